import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { randomSource, shuffle } from '../../src/rain/fairness.ts';
import { claimOf, claimsOf, FIRST_WIN, newRain, sumOfFirst } from './claims.ts';
import { refused, type OpenBook } from './openBook.ts';

/** The ledger reserves the packet for its winner before an external wallet is asked to pay. */
export function reserveContract(book: OpenBook): void {
  const outcomes = async (claims: Parameters<Ledger['reserve']>[0]) =>
    (await book.ledger.reserve(claims)).map(({ outcome }) => outcome);

  describe('a reservation', () => {
    it('[R5] is the same however often it is requested, and moves no money', async () => {
      await book.ledger.createRain(newRain('keep', 1_000n), 'ann');
      expect(await outcomes(claimsOf('keep', 0, 4))).toEqual(Array(4).fill('reserved'));
      expect(await outcomes([...claimsOf('keep', 2, 6), claimOf('keep', 5)])).toEqual(Array(5).fill('reserved'));
      expect(await book.ledger.book('keep')).toMatchObject({ credited: { count: 0, cents: 0n } });
      expect(await book.database.reservedBudget.findUnique({ where: { rainId: 'keep' } })).toMatchObject({
        budgetCents: 1_000n,
        reservedCents: sumOfFirst(6),
      });
    });

    it('[R5] ends in the credit, and a credited claim need not be reserved', async () => {
      await book.ledger.createRain(newRain('ends', 1_000n), 'ann');
      await book.ledger.reserve(claimsOf('ends', 0, 2));
      await book.ledger.credit(claimsOf('ends', 0, 3));
      expect(await outcomes(claimsOf('ends', 0, 4))).toEqual(['credited', 'credited', 'credited', 'reserved']);
      expect(await book.database.reservation.count({ where: { rainId: 'ends' } })).toBe(3);
    });

    it('[R8] prevents its money from going back while a wallet may have paid it', async () => {
      await book.ledger.createRain(newRain('asked', 1_000n), 'ann');
      await book.ledger.reserve([claimOf('asked', 9)]); // 0.10, and no word from the wallet.
      await book.ledger.recycle('asked', 1_000n, 'ann').then(() => expect.unreachable(), refused('23514'));
      expect(await book.ledger.book('asked')).toMatchObject({ recycledCents: 0n });
      expect(await book.ledger.recycle('asked', 990n, 'ann')).toEqual({ outcome: 'recycled' });
    });

    it('is kept for a user called null, too', async () => {
      await book.ledger.createRain(newRain('null', 1_000n), 'ann');
      const [first, second] = [claimOf('null', 0), { ...claimOf('null', 1), userId: 'null' }];
      await book.ledger.discard({
        letterId: 'null-letter',
        rainId: 'null',
        entry: '',
        deadReason: 'refused',
        reason: 'test',
        actor: 'ann',
        claim: { redPacketId: first.redPacketId, userId: first.userId, claimedCents: 1n, allocatedCents: 1n },
      });
      expect((await book.ledger.reserve([first, second])).map(({ outcome }) => outcome)).toEqual([
        'discarded',
        'reserved',
      ]);
    });

    it('[R2] of a packet that is reserved for another user is told twice, before and after the credit', async () => {
      await book.ledger.createRain(newRain('kept', 1_000n), 'ann');
      const first = claimOf('kept', 7);
      await book.ledger.reserve([first]);
      const existing = { rainId: 'kept', redPacketId: first.redPacketId, userId: 'u7', amountCents: 8n };
      expect(await book.ledger.reserve([{ ...first, userId: 'late' }, claimOf('kept', 8)])).toEqual([
        { outcome: 'told_twice', existing },
        { outcome: 'reserved' },
      ]);
      await book.ledger.credit([first]);
      expect(await book.ledger.reserve([{ ...first, userId: 'late' }])).toEqual([{ outcome: 'told_twice', existing }]);
    });

    it('[R1] for a user who has another packet of this rain is told twice, reserved or credited', async () => {
      await book.ledger.createRain(newRain('one', 1_000n), 'ann');
      await book.ledger.reserve([claimOf('one', 1)]);
      await book.ledger.credit([claimOf('one', 2)]);
      for (const userId of ['u1', 'u2']) {
        const [second] = await book.ledger.reserve([claimOf('one', 3, { userId })]);
        expect(second).toMatchObject({ outcome: 'told_twice', existing: { userId } });
      }
    });

    it('told twice within one batch goes to the first winner, at any place in the batch', async () => {
      await book.ledger.createRain(newRain('wonfirst', 1_000n), 'ann');
      const won = claimOf('wonfirst', 3);
      expect(await outcomes([{ ...won, userId: 'a-later', at: String(FIRST_WIN + 500) }, won])).toEqual([
        'told_twice',
        'reserved',
      ]);
    });

    it('of another amount than reserved is reported as such', async () => {
      await book.ledger.createRain(newRain('sum', 1_000n), 'ann');
      await book.ledger.reserve([claimOf('sum', 3)]);
      expect(await book.ledger.reserve([claimOf('sum', 3, { amount: '0.05' })])).toMatchObject([
        { outcome: 'amount_differs', existing: { amountCents: 4n } },
      ]);
    });

    it('[R8] beyond the budget is refused, with its whole batch: no wallet is asked for missing money', async () => {
      await book.ledger.createRain(newRain('within', 10n), 'ann');
      await book.ledger.reserve(claimsOf('within', 0, 3));
      await book.ledger.reserve(claimsOf('within', 3, 5)).then(() => expect.unreachable(), refused('23514'));
      await book.ledger
        .reserve([claimOf('within', 9, { amount: '99999.99' })])
        .then(() => expect.unreachable(), refused('23514'));
      expect(await outcomes([claimOf('within', 3)])).toEqual(['reserved']);
    });

    it('of an unknown rain, or with text that PostgreSQL cannot hold, is refused', async () => {
      await book.ledger.reserve([claimOf('nowhere', 0)]).then(() => expect.unreachable(), refused('23503'));
      await book.ledger.createRain(newRain('text', 10n), 'ann');
      await book.ledger
        .reserve([claimOf('text', 0, { redPacketId: 'p\0' })])
        .then(() => expect.unreachable(), refused('22021'));
    });

    it('[R2][R5] requested by four callers at once, two with other winners of the same packets, gives each packet one winner', async () => {
      const seed = randomBytes(32).toString('hex');
      const wins = 200;
      await book.ledger.createRain(newRain('rush', sumOfFirst(wins)), 'ann');
      const kept = new Map<string, Set<string>>();
      await Promise.all(
        [0, 1, 2, 3].map(async (caller) => {
          const order = BigInt64Array.from({ length: wins }, (_, n) => BigInt(n));
          shuffle(order, randomSource(seed, `caller ${caller}`));
          for (let at = 0; at < wins; at += 50) {
            const batch = [...order.subarray(at, at + 75)].map((n) =>
              claimOf('rush', Number(n), caller < 2 ? {} : { userId: `other-${n}` }),
            );
            const answers = await book.ledger.reserve(batch);
            answers.forEach(({ outcome }, i) => {
              if (outcome === 'reserved')
                kept.set(batch[i]!.redPacketId, (kept.get(batch[i]!.redPacketId) ?? new Set()).add(batch[i]!.userId));
            });
          }
        }),
      );
      expect({ seed, packets: kept.size, winners: new Set([...kept.values()].map(({ size }) => size)) }).toEqual({
        seed,
        packets: wins,
        winners: new Set([1]),
      });
      expect(await book.database.reservedBudget.findUnique({ where: { rainId: 'rush' } })).toMatchObject({
        reservedCents: sumOfFirst(wins),
      });
    });

    it('is never changed or deleted', async () => {
      await book.ledger.createRain(newRain('stays', 100n), 'ann');
      await book.ledger.reserve([claimOf('stays', 0)]);
      for (const sql of [
        `UPDATE "Reservation" SET "userId" = 'x'`,
        'DELETE FROM "Reservation"',
        'TRUNCATE "Reservation"',
      ]) {
        await book.database.$executeRawUnsafe(sql).then(() => expect.unreachable(sql), refused('23001'));
      }
    });
  });
}
