import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { BatchRefused, type PayoutProvider } from '../../src/credit/payoutProvider.ts';
import { postBisecting } from '../../src/credit/bisect.ts';
import { connectDatabase, type Database } from '../../src/ledger/database.ts';
import { openLedger, type Ledger } from '../../src/ledger/ledger.ts';
import type { Claim } from '../../src/rain/claim.ts';
import { formatMoney } from '../../src/rain/money.ts';
import { claimOf, claimsOf, expectBalanced, FIRST_WIN, newRain, sumOfFirst } from '../ledger/claims.ts';
import { startDatabase, type TestDatabase } from '../support/servers/database.ts';
import type { ToldClaim } from './wallet.ts';

export interface PayoutProviderName {
  balance: PayoutProvider;
  /** The payments of a wallet elsewhere, by claim id, if there is one. */
  paid?: ReadonlyMap<string, ToldClaim>;
  stop(): Promise<void>;
}

/** The contract of every payout provider. */
export function balanceContract(name: string, open: (ledger: Ledger) => Promise<PayoutProviderName>): void {
  describe(`the balance, kept by ${name}`, () => {
    let server: TestDatabase;
    let database: Database;
    let ledger: Ledger;
    let payoutProvider: PayoutProviderName;
    beforeAll(async () => {
      server = await startDatabase();
      database = connectDatabase(server.url);
      ledger = openLedger(database);
      payoutProvider = await open(ledger);
    });
    afterEach(async () => {
      await expectBalanced(database);
      // The external wallet and the ledger have paid the same users.
      const credits = await database.transfer.findMany({ where: { kind: 'credit' } });
      if (payoutProvider.paid)
        expect(
          new Set(
            [...payoutProvider.paid.values()].map(
              ({ redPacketId, userId, amount }) => `${redPacketId} ${userId} ${amount}`,
            ),
          ),
        ).toEqual(
          new Set(
            credits.map(
              ({ redPacketId, userId, amountCents }) => `${redPacketId} ${userId} ${formatMoney(amountCents)}`,
            ),
          ),
        );
    });
    afterAll(async () => {
      await payoutProvider?.stop();
      await database?.$disconnect();
      await server?.stop();
    });
    const outcomes = async (rainId: string, claims: readonly Claim[]) =>
      (await payoutProvider.balance.post(rainId, claims)).map((answer) =>
        answer.outcome === 'giveUp' ? answer.reason : answer.outcome,
      );

    it('[R5] commits each claim, in order, however often and in whatever batch it is posted, and credits it once', async () => {
      await ledger.createRain(newRain('twice', 1_000n), 'ann');
      expect(await outcomes('twice', claimsOf('twice', 0, 5))).toEqual(Array(5).fill('commit'));
      expect(await outcomes('twice', [...claimsOf('twice', 2, 8), claimOf('twice', 7), claimOf('twice', 0)])).toEqual(
        Array(8).fill('commit'),
      );
      expect(await ledger.book('twice')).toMatchObject({ credited: { count: 8, cents: sumOfFirst(8) } });
    });

    it('[R5] posted by four at once, credits each once', async () => {
      await ledger.createRain(newRain('crowd', sumOfFirst(60)), 'ann');
      const answers = await Promise.all(
        [0, 15, 30, 0].map((from) => outcomes('crowd', claimsOf('crowd', from, from + 30))),
      );
      expect(new Set(answers.flat())).toEqual(new Set(['commit']));
      expect(await ledger.book('crowd')).toMatchObject({ credited: { count: 60, cents: sumOfFirst(60) } });
    });

    it("[R1][R2] gives up a packet that is another user's and a second packet of one user, and says what stands", async () => {
      await ledger.createRain(newRain('rivals', 1_000n), 'ann');
      const first = claimOf('rivals', 4);
      await payoutProvider.balance.post('rivals', [first]);
      const [packet, bystander, second] = await payoutProvider.balance.post('rivals', [
        { ...first, userId: 'late' },
        claimOf('rivals', 5),
        claimOf('rivals', 6, { userId: 'u4' }),
      ]);
      expect(packet).toEqual({
        outcome: 'giveUp',
        reason: 'told_twice',
        detail: 'in the ledger: {"rainId":"rivals","redPacketId":"rivals-p4","userId":"u4","amount":"0.05"}',
      });
      expect(bystander).toEqual({ outcome: 'commit' });
      expect(second).toMatchObject({ reason: 'told_twice', detail: expect.stringContaining('rivals-p4') });
      expect(await outcomes('rivals', [{ ...first, amount: '0.01' }])).toEqual(['amount_differs']);
    });

    it('told twice within one batch goes to the first winner', async () => {
      await ledger.createRain(newRain('order', 1_000n), 'ann');
      const won = claimOf('order', 3);
      expect(await outcomes('order', [{ ...won, userId: 'a-later', at: String(FIRST_WIN + 500) }, won])).toEqual([
        'told_twice',
        'commit',
      ]);
    });

    it('[R2] posted for two winners at the same time, commits one of them for each packet', async () => {
      await ledger.createRain(newRain('race', sumOfFirst(20)), 'ann');
      const others = claimsOf('race', 0, 20).map((claim) => ({ ...claim, userId: `other-${claim.userId}` }));
      const [ones, twos] = await Promise.all([outcomes('race', claimsOf('race', 0, 20)), outcomes('race', others)]);
      ones!.forEach((one, i) => expect([one, twos![i]].sort()).toEqual(['commit', 'told_twice']));
      expect(await ledger.book('race')).toMatchObject({ credited: { count: 20, cents: sumOfFirst(20) } });
    });

    it('[R8] refuses a batch beyond the budget or of an unknown rain, and pays nothing of it', async () => {
      await ledger.createRain(newRain('budget', 10n), 'ann');
      await expect(payoutProvider.balance.post('budget', claimsOf('budget', 0, 6))).rejects.toBeInstanceOf(
        BatchRefused,
      );
      await expect(payoutProvider.balance.post('nowhere', [claimOf('nowhere', 0)])).rejects.toBeInstanceOf(
        BatchRefused,
      );
      expect(await ledger.book('budget')).toMatchObject({ credited: { count: 0 } });
    });

    it('a refused batch that is bisected loses only its poison claims', async () => {
      await ledger.createRain(newRain('poison', 10_000n), 'ann');
      const claims = claimsOf('poison', 0, 40).map((claim, i) =>
        i === 7 ? { ...claim, amount: '99999.99' } : i === 20 ? { ...claim, userId: 'n\0' } : claim,
      );
      const { committed, late, lost } = await postBisecting(
        payoutProvider.balance,
        'poison',
        claims.map((claim, index) => ({ index, entry: JSON.stringify(claim), claim })),
      );
      expect([committed.length, late, lost.map(({ index, reason }) => [index, reason])]).toEqual([
        38,
        [],
        [
          [7, 'refused'],
          [20, 'refused'],
        ],
      ]);
    });

    it('takes ids of any script', async () => {
      await ledger.createRain(newRain('script', 1_000n), 'ann');
      expect(
        await outcomes('script', [claimOf('script', 0, { redPacketId: '红包 №1 %2F\u{1F9E7}', userId: '张三' })]),
      ).toEqual(['commit']);
    });
  });
}
