import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { allocationOf } from '../../src/ledger/allocation.ts';
import type { Claim } from '../../src/rain/claim.ts';
import { formatMoney } from '../../src/rain/money.ts';
import { redPacketId } from '../../src/rain/red-packet.ts';
import { claimOf, newRain } from './claims.ts';
import { refused, type OpenBook } from './openBook.ts';

const PLAN = { budget: '20.00', packets: 40, split: { method: 'double-mean' } };
const MORE = { budget: '9.00', packets: 3, split: { method: 'even' } };
const refusedAsUnallocated = refused('23514');

/** The database itself knows the packets of a rain, whoever asks it. */
export function allocationContract(book: OpenBook): void {
  /** The claims to all packets of a new rain with two top-ups, as the plan has them. */
  async function planned(id: string): Promise<Claim[]> {
    await book.ledger.createRain(
      newRain(id, 2_000n, { packets: 40, split: PLAN, seed: randomBytes(32).toString('hex') }),
      'ann',
    );
    for (const topUp of [1, 2]) {
      expect(
        await book.ledger.addTopUp(
          {
            id: `${id}/${topUp}`,
            rainId: id,
            budgetCents: 900n,
            packets: 3,
            split: MORE,
            seed: randomBytes(32).toString('hex'),
          },
          'ann',
        ),
      ).toMatchObject({ outcome: 'added' });
    }
    return Array.from(allocationOf((await book.ledger.rain(id))!), (cents, n) =>
      claimOf(id, n, { redPacketId: redPacketId(id, n), amount: formatMoney(cents) }),
    );
  }

  describe('an allocation', () => {
    it('[R14] holds every packet of the rain and its top-ups: all are credited', async () => {
      const claims = await planned('allocated');
      expect(claims).toHaveLength(46);
      expect(new Set((await book.ledger.credit(claims)).map(({ outcome }) => outcome))).toEqual(new Set(['posted']));
    });

    it.each<[string, Partial<Claim>]>([
      ['with another amount', { redPacketId: 'stamped-45', amount: '3.01' }],
      ['with an amount of 32 more bits', { redPacketId: 'stamped-45', amount: formatMoney(300n + (1n << 32n)) }],
      ['beyond the last one', { redPacketId: 'stamped-46', amount: '3.00' }],
      ['far beyond', { redPacketId: 'stamped-99999999', amount: '3.00' }],
      ['with a number too large', { redPacketId: 'stamped-99999999999999999999', amount: '3.00' }],
      ['written in another way', { redPacketId: 'stamped-045', amount: '3.00' }],
      ['with a sign', { redPacketId: 'stamped--1', amount: '3.00' }],
      ['with another line', { redPacketId: 'stamped-45\n', amount: '3.00' }],
      ['without a number', { redPacketId: 'stamped', amount: '3.00' }],
      ['of another rain', { redPacketId: 'other-45', amount: '3.00' }],
    ])(
      '[R14] refuses a packet %s, and with it the honest claims of the batch; nobody is credited or reserved',
      async (_, forged) => {
        if (!(await book.ledger.rain('stamped'))) await planned('stamped');
        const claims = [
          claimOf('stamped', 0, { redPacketId: 'stamped-44', amount: '3.00' }),
          claimOf('stamped', 1, forged),
        ];
        await expect(book.ledger.credit(claims)).rejects.toSatisfy((error) => {
          refusedAsUnallocated(error);
          return true;
        });
        await expect(book.ledger.reserve(claims)).rejects.toSatisfy((error) => {
          refusedAsUnallocated(error);
          return true;
        });
        expect(await book.ledger.book('stamped')).toMatchObject({ credited: { count: 0 } });
      },
    );

    it('[R14] refuses the same in SQL, and to change or remove what it holds', async () => {
      if (!(await book.ledger.rain('stamped'))) await planned('stamped');
      const run = (sql: string) => book.database.$executeRawUnsafe(sql);
      await expect(
        run(`INSERT INTO "Transfer" ("id", "kind", "debitAccountId", "creditAccountId", "amountCents", "rainId", "redPacketId", "userId")
        VALUES ('credit:stamped-9999', 'credit', 'rain:stamped', 'user:thief', 500, 'stamped', 'stamped-9999', 'thief')`),
      ).rejects.toThrow('was not allocated');
      await expect(
        run(`INSERT INTO "Transfer" ("id", "kind", "debitAccountId", "creditAccountId", "amountCents", "rainId", "redPacketId")
        VALUES ('discard:stamped-9999', 'recycle', 'rain:stamped', 'operator', 500, 'stamped', 'stamped-9999')`),
      ).rejects.toThrow('was not allocated');
      for (const sql of [
        'UPDATE "Allocation" SET "firstPacket" = 0',
        'DELETE FROM "Allocation"',
        'TRUNCATE "Allocation"',
      ]) {
        await expect(run(sql), sql).rejects.toThrow('is append-only');
      }
    });
  });
}
