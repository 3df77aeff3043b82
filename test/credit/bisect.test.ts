import { describe, expect, it } from 'vitest';
import { BatchRefused, type PayoutProvider } from '../../src/credit/payoutProvider.ts';
import { postBisecting } from '../../src/credit/bisect.ts';
import { ledgerProvider } from '../../src/credit/ledgerProvider.ts';
import { connectDatabase } from '../../src/ledger/database.ts';
import { openLedger } from '../../src/ledger/ledger.ts';
import { claimOf, claimsOf } from '../ledger/claims.ts';
import { freePort } from '../support/freePort.ts';

describe('isolating', () => {
  const logged = claimsOf('rain', 0, 500).map((claim, index) => ({ index, entry: JSON.stringify(claim), claim }));

  /** A payout provider that refuses each batch with one of these users. */
  function refusing(poison: ReadonlySet<string>): PayoutProvider & { calls: number } {
    return {
      calls: 0,
      async post(_rainId, claims) {
        this.calls++;
        if (claims.some(({ userId }) => poison.has(userId))) throw new BatchRefused('poison');
        return claims.map(() => ({ outcome: 'commit' }));
      },
    };
  }

  it.each([[[250]], [[0, 499]], [[7, 8, 9]], [[]]])(
    'separates the poison %j from the others, in order',
    async (poison) => {
      const balance = refusing(new Set(poison.map((n) => `u${n}`)));
      const { committed, lost } = await postBisecting(balance, 'rain', logged);
      expect(lost.map(({ index, reason, detail }) => ({ index, reason, detail }))).toEqual(
        poison.map((index) => ({ index, reason: 'refused', detail: 'poison' })),
      );
      expect(committed.map(({ index }) => index)).toEqual(
        logged.map(({ index }) => index).filter((index) => !poison.includes(index)),
      );
    },
  );

  it('[R10] needs 18 more calls for one poison claim among 500', async () => {
    const balance = refusing(new Set(['u250']));
    await postBisecting(balance, 'rain', logged);
    expect(balance.calls).toBeLessThanOrEqual(19);
  });

  it('does not bisect after a fault: an unreachable database refuses no claim', async () => {
    const database = connectDatabase(`postgres://postgres@127.0.0.1:${await freePort()}/postgres`);
    const posting = postBisecting(ledgerProvider(openLedger(database)), 'rain', [
      { index: 0, entry: '', claim: claimOf('rain', 0) },
    ]);
    await expect(posting).rejects.toThrow(/reach/);
    await expect(posting).rejects.not.toBeInstanceOf(BatchRefused);
    await database.$disconnect();
  });

  it('rejects an answer for fewer claims than were posted', async () => {
    await expect(postBisecting({ post: async () => [] }, 'rain', logged)).rejects.toThrow(
      'returned 0 outcomes for 500 claims',
    );
  });
});
