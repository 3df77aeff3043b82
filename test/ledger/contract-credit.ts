import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { randomSource, shuffle } from '../../src/rain/fairness.ts';
import { claimOf, claimsOf, FIRST_WIN, newRain, sumOfFirst } from './claims.ts';
import { refused, type OpenBook } from './openBook.ts';

/** A claim becomes money once, or the book says why not. */
export function creditContract(book: OpenBook): void {
  const outcomes = async (claims: Parameters<Ledger['credit']>[0]) =>
    (await book.ledger.credit(claims)).map(({ outcome }) => outcome);

  describe('a credit', () => {
    it('[R5] delivered twice is posted once', async () => {
      await book.ledger.createRain(newRain('twice', 1_000n), 'ann');
      const claims = claimsOf('twice', 0, 5);
      expect(await outcomes(claims)).toEqual(Array(5).fill('posted'));
      expect(await outcomes(claims)).toEqual(Array(5).fill('already'));
      expect(await book.ledger.book('twice')).toMatchObject({ credited: { count: 5, cents: sumOfFirst(5) } });
      expect(await book.ledger.balance('u4')).toBe(5n);
    });

    it('[R5] in overlapping batches, and twice in one batch, is posted once', async () => {
      await book.ledger.createRain(newRain('overlap', 1_000n), 'ann');
      expect(await outcomes(claimsOf('overlap', 0, 4))).toEqual(Array(4).fill('posted'));
      expect(await outcomes(claimsOf('overlap', 2, 6))).toEqual(['already', 'already', 'posted', 'posted']);
      expect(await outcomes([claimOf('overlap', 6), claimOf('overlap', 6), claimOf('overlap', 0)])).toEqual([
        'posted',
        'already',
        'already',
      ]);
      expect(await book.ledger.book('overlap')).toMatchObject({ credited: { count: 7, cents: sumOfFirst(7) } });
    });

    it('[R5] posted by four callers at once in shuffled, overlapping batches is posted once', async () => {
      const seed = randomBytes(32).toString('hex');
      const wins = 600;
      await book.ledger.createRain(newRain('crowd', sumOfFirst(wins)), 'ann');
      const answers: string[] = [];
      await Promise.all(
        [0, 1, 2, 3].map(async (caller) => {
          const order = BigInt64Array.from({ length: wins }, (_, n) => BigInt(n));
          shuffle(order, randomSource(seed, `caller ${caller}`));
          for (let at = 0; at < wins; at += 50) {
            const batch = [...order.subarray(at, at + 75)].map((n) => claimOf('crowd', Number(n)));
            answers.push(...(await outcomes(batch)));
          }
        }),
      );
      const posted = answers.filter((outcome) => outcome === 'posted').length;
      expect(new Set(answers)).toEqual(new Set(['posted', 'already']));
      expect({ seed, posted }).toEqual({ seed, posted: wins });
      expect(await book.ledger.book('crowd')).toMatchObject({ credited: { count: wins, cents: sumOfFirst(wins) } });
    });

    it('to a packet of another user is told twice: the first one is kept and reported to the second, nothing is paid twice', async () => {
      await book.ledger.createRain(newRain('packet', 1_000n), 'ann');
      const first = claimOf('packet', 7);
      await book.ledger.credit([first]);
      const [second, bystander] = await book.ledger.credit([{ ...first, userId: 'late' }, claimOf('packet', 8)]);
      expect(second).toEqual({
        outcome: 'told_twice',
        existing: { rainId: 'packet', redPacketId: first.redPacketId, userId: 'u7', amountCents: 8n },
      });
      expect(bystander).toEqual({ outcome: 'posted' });
      expect(await book.ledger.balance('late')).toBe(0n);
    });

    it('[R1] to a user who has another packet of this rain is told twice', async () => {
      await book.ledger.createRain(newRain('user', 1_000n), 'ann');
      await book.ledger.credit([claimOf('user', 1)]);
      const [posting] = await book.ledger.credit([claimOf('user', 2, { userId: 'u1' })]);
      expect(posting).toMatchObject({ outcome: 'told_twice', existing: { redPacketId: 'user-p1', userId: 'u1' } });
    });

    it('told twice within one batch goes to the first winner, at any place in the batch', async () => {
      await book.ledger.createRain(newRain('order', 1_000n), 'ann');
      const won = claimOf('order', 3);
      const later = { ...won, userId: 'a-later', at: String(FIRST_WIN + 500) };
      expect(await outcomes([later, won])).toEqual(['told_twice', 'posted']);
    });

    it('of another amount than posted is reported as such and not paid', async () => {
      await book.ledger.createRain(newRain('amount', 1_000n), 'ann');
      await book.ledger.credit([claimOf('amount', 3)]);
      const [posting] = await book.ledger.credit([claimOf('amount', 3, { amount: '0.05' })]);
      expect(posting).toMatchObject({ outcome: 'amount_differs', existing: { amountCents: 4n } });
      expect(await outcomes([claimOf('amount', 9), claimOf('amount', 9, { amount: '0.01' })])).toEqual([
        'posted',
        'amount_differs',
      ]);
    });

    it('to a packet that was credited in another rain is told twice', async () => {
      await book.ledger.createRain(newRain('here', 1_000n), 'ann');
      await book.ledger.createRain(newRain('there', 1_000n), 'ann');
      await book.ledger.credit([claimOf('there', 1)]);
      const [posting] = await book.ledger.credit([claimOf('there', 1, { rainId: 'here' })]);
      expect(posting).toMatchObject({ outcome: 'told_twice', existing: { rainId: 'there' } });
    });

    it('[R8] beyond the budget is refused, with its whole batch', async () => {
      await book.ledger.createRain(newRain('budget', 10n), 'ann');
      await book.ledger.credit(claimsOf('budget', 0, 3));
      await book.ledger.credit(claimsOf('budget', 3, 5)).then(() => expect.unreachable(), refused('23514'));
      expect(await outcomes([claimOf('budget', 3)])).toEqual(['posted']);
      expect(await book.ledger.book('budget')).toMatchObject({ credited: { count: 4, cents: 10n } });
    });

    it('of an unknown rain is refused', async () => {
      await book.ledger.credit([claimOf('unknown', 0)]).then(() => expect.unreachable(), refused('23503'));
      expect(await book.ledger.balance('u0-of-nothing')).toBe(0n);
    });

    it('with a text PostgreSQL cannot hold is refused', async () => {
      await book.ledger.createRain(newRain('nul', 10n), 'ann');
      await book.ledger
        .credit([claimOf('nul', 0, { redPacketId: 'p\0' })])
        .then(() => expect.unreachable(), refused('22021'));
    });

    it('of several rains in one call is an error of the caller', async () => {
      await expect(book.ledger.credit([claimOf('twice', 0), claimOf('overlap', 0)])).rejects.toThrow(TypeError);
      expect(await book.ledger.credit([])).toEqual([]);
    });

    it('shows in the wallet and in the pages of the audit', async () => {
      await book.ledger.createRain(newRain('pages', 1_000n), 'ann');
      await book.ledger.credit(
        ['c', 'a', 'e', 'b', 'd'].map((name, n) => claimOf('pages', n, { userId: `pages-${name}` })),
      );
      const first = await book.ledger.credits('pages', undefined, 2);
      const second = await book.ledger.credits('pages', first.at(-1)!.userId, 2);
      const third = await book.ledger.credits('pages', second.at(-1)!.userId, 2);
      expect([...first, ...second, ...third].map(({ userId, amountCents }) => [userId.at(-1), amountCents])).toEqual([
        ['a', 2n],
        ['b', 4n],
        ['c', 1n],
        ['d', 5n],
        ['e', 3n],
      ]);
      expect(await book.ledger.credits('pages', third.at(-1)!.userId, 2)).toEqual([]);
      expect(await book.ledger.walletStatement('pages-d', undefined, 100)).toMatchObject({
        balanceCents: 5n,
        packets: [{ rainId: 'pages', redPacketId: 'pages-p4', amountCents: 5n }],
      });
      expect(await book.ledger.walletStatement('nobody', undefined, 100)).toEqual({ balanceCents: 0n, packets: [] });
    });
  });
}
