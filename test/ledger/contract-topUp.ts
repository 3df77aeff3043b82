import { describe, expect, it } from 'vitest';
import { atCreation } from '../../src/ledger/rains.ts';
import type { NewTopUp } from '../../src/ledger/topUps.ts';
import { commitmentOf } from '../../src/rain/commitment.ts';
import { claimOf, claimsOf, FIRST_WIN, newRain, sumOfFirst } from './claims.ts';
import { refused, type OpenBook } from './openBook.ts';

const SEED = 'cd'.repeat(32);
const topUp = (rainId: string, id: string, budgetCents = 50n, more: Partial<NewTopUp> = {}): NewTopUp => ({
  id,
  rainId,
  budgetCents,
  packets: 5,
  split: { method: 'even' },
  seed: SEED,
  ...more,
});

/** Packets added to a rain after its creation. */
export function topUpContract(book: OpenBook): void {
  describe('a topUp', () => {
    it('is added with its money, commitment and record, and the rain holds the total', async () => {
      await book.ledger.createRain(newRain('grow', 100n), 'ann');
      const added = await book.ledger.addTopUp(topUp('grow', 'grow-1'), 'bob');
      const commitment = commitmentOf({ rainId: 'grow', seed: SEED, plan: { method: 'even' }, shards: 2, first: 10 });
      expect(added).toMatchObject({
        outcome: 'added',
        topUp: { id: 'grow-1', ordinal: 1, budgetCents: 50n, packets: 5, seed: SEED, commitment },
      });
      expect(await book.ledger.addTopUp(topUp('grow', 'grow-2', 7n), 'bob')).toMatchObject({
        outcome: 'added',
        topUp: { ordinal: 2 },
      });
      const rain = (await book.ledger.rain('grow'))!;
      expect(rain).toMatchObject({
        budgetCents: 157n,
        packets: 20,
        topUps: [{ id: 'grow-1', commitment }, { id: 'grow-2' }],
      });
      expect(rain.topUps[1]!.commitment).toBe(
        commitmentOf({ rainId: 'grow', seed: SEED, plan: { method: 'even' }, shards: 2, first: 15 }),
      );
      expect(atCreation(rain)).toEqual({ budgetCents: 100n, packets: 10 });
      expect((await book.ledger.book('grow'))!.fundedCents).toBe(157n);
      expect((await book.ledger.actions('grow')).at(1)).toMatchObject({
        actor: 'bob',
        verb: 'top-up',
        details: { id: 'grow-1', topUp: 1, budget: '0.50', packets: 5, commitment },
      });
      expect(await book.ledger.createRain(newRain('grow', 100n), 'ann')).toEqual({ outcome: 'exists' });
    });

    it('[R5] added again exists already, with its first seed, also at the same time', async () => {
      await book.ledger.createRain(newRain('added-once', 100n), 'ann');
      const answers = await Promise.all(
        [1, 2, 3, 4].map((i) =>
          book.ledger.addTopUp(topUp('added-once', 'added-once-1', 50n, { seed: String(i).repeat(64) }), 'ann'),
        ),
      );
      expect(answers.map(({ outcome }) => outcome).sort()).toEqual(['added', 'exists', 'exists', 'exists']);
      expect(new Set(answers.map((answer) => 'topUp' in answer && answer.topUp.seed)).size).toBe(1);
      expect((await book.ledger.book('added-once'))!.fundedCents).toBe(150n);
    });

    it('with the id of another is refused, and the differences are named [R12]', async () => {
      await book.ledger.createRain(newRain('mine', 100n), 'ann');
      await book.ledger.createRain(newRain('yours', 100n), 'ann');
      await book.ledger.addTopUp(topUp('mine', 'word'), 'ann');
      expect(await book.ledger.addTopUp(topUp('mine', 'word', 51n, { packets: 6 }), 'ann')).toEqual({
        outcome: 'differs',
        fields: ['budgetCents', 'packets'],
      });
      expect(await book.ledger.addTopUp(topUp('yours', 'word'), 'ann')).toEqual({
        outcome: 'differs',
        fields: ['rainId'],
      });
      expect(await book.ledger.addTopUp(topUp('nowhere', 'other'), 'ann')).toEqual({ outcome: 'no_rain' });
      expect((await book.ledger.book('yours'))!.fundedCents).toBe(100n);
    });

    it('a rain is read with the top-ups of one moment, also while some are added: the audit recomputes its plan from them', async () => {
      await book.ledger.createRain(newRain('watched', 100n), 'ann');
      let isOver = false;
      const adding = (async () => {
        for (let i = 0; i < 30; i++)
          await book.ledger.addTopUp(topUp('watched', `watched-${i}`, 1n, { packets: 1 }), 'ann');
        isOver = true;
      })();
      const read = new Set<string>();
      const look = async () => {
        while (!isOver)
          for (const rain of [
            (await book.ledger.rain('watched'))!,
            ...(await book.ledger.rains(1, { ids: ['watched'] })),
          ])
            read.add(JSON.stringify([atCreation(rain).packets, Number(atCreation(rain).budgetCents)]));
      };
      await Promise.all([adding, look(), look(), look()]);
      expect([...read]).toEqual(['[10,100]']);
    });

    it('are numbered without gaps, and the thirty-third is refused, also when many are added at once [R10]', async () => {
      await book.ledger.createRain(newRain('many', 100n), 'ann');
      const outcomes: string[] = [];
      for (let i = 0; i < 36; i += 6) {
        outcomes.push(
          ...(
            await Promise.all(
              [0, 1, 2, 3, 4, 5].map((j) =>
                book.ledger.addTopUp(topUp('many', `many-${i + j}`, 1n, { packets: 1 }), 'ann'),
              ),
            )
          ).map(({ outcome }) => outcome),
        );
      }
      expect(outcomes.filter((outcome) => outcome === 'added')).toHaveLength(32);
      expect(outcomes.filter((outcome) => outcome === 'too_much')).toHaveLength(4);
      expect((await book.ledger.rain('many'))!.topUps.map(({ ordinal }) => ordinal)).toEqual(
        Array.from({ length: 32 }, (_, i) => i + 1),
      );
    });

    it('is refused beyond the packets and the money that a rain may have', async () => {
      await book.ledger.createRain(newRain('huge', 100n), 'ann');
      expect(await book.ledger.addTopUp(topUp('huge', 'huge-1', 50n, { packets: 4_999_991 }), 'ann')).toEqual({
        outcome: 'too_much',
      });
      expect(await book.ledger.addTopUp(topUp('huge', 'huge-2', 2n ** 53n - 1n), 'ann')).toEqual({
        outcome: 'too_much',
      });
    });

    it('[R8] comes before the seal or not at all', async () => {
      await book.ledger.createRain(newRain('sealed', 100n), 'ann');
      const [first] = await Promise.all([
        book.ledger.addTopUp(topUp('sealed', 'sealed-1'), 'ann'),
        book.ledger.seal('sealed'),
      ]);
      expect(['added', 'sealed']).toContain(first.outcome);
      expect(await book.ledger.addTopUp(topUp('sealed', 'sealed-2'), 'ann')).toEqual({ outcome: 'sealed' });
      const { sealedAt } = (await book.ledger.rain('sealed'))!;
      await book.ledger.seal('sealed');
      expect((await book.ledger.rain('sealed'))!.sealedAt).toBe(sealedAt);
      expect(
        await book.ledger.reschedule(
          'sealed',
          { opensAt: FIRST_WIN, closesAt: FIRST_WIN + 1 },
          { actor: 'ann', verb: 'schedule' },
        ),
      ).toBe(false);
      await expect(book.ledger.seal('nowhere')).rejects.toThrow('no rain nowhere');
    });

    it('[R8] is money that can be credited, recycled and reserved for external wallets', async () => {
      await book.ledger.createRain(newRain('spent', 3n), 'ann');
      await book.ledger.reserve(claimsOf('spent', 0, 2)); // 0.01 and 0.02: all there is.
      await book.ledger.reserve([claimOf('spent', 2)]).then(() => expect.unreachable(), refused('23514'));
      await book.ledger.addTopUp(topUp('spent', 'spent-1', 12n), 'ann');
      expect((await book.ledger.reserve(claimsOf('spent', 0, 5))).map(({ outcome }) => outcome)).toEqual(
        Array(5).fill('reserved'),
      );
      await book.ledger.credit(claimsOf('spent', 0, 4));
      expect(await book.ledger.book('spent')).toMatchObject({ fundedCents: 15n, credited: { cents: sumOfFirst(4) } });
      await book.ledger.createRain(newRain('back', 3n), 'ann');
      await book.ledger.addTopUp(topUp('back', 'back-1', 12n), 'ann');
      expect(await book.ledger.recycle('back', 15n, 'ann')).toEqual({ outcome: 'recycled' });
    });

    it('is never changed, and the database refuses a transfer for an impossible top-up', async () => {
      await book.ledger.createRain(newRain('slate', 100n), 'ann');
      await book.ledger.addTopUp(topUp('slate', 'slate-1'), 'ann');
      for (const sql of [`UPDATE "Portion" SET "seed" = 'x'`, 'DELETE FROM "Portion"', 'TRUNCATE "Portion"']) {
        await book.database.$executeRawUnsafe(sql).then(() => expect.unreachable(sql), refused('23001'));
      }
      for (const id of [
        'fund:slate/0',
        'fund:slate/33',
        'fund:slate/1x',
        'fund:slate/',
        'fund:slat/1',
        'fund:slate/01',
        'fund:slate1',
      ]) {
        await book.database
          .$executeRawUnsafe(
            `INSERT INTO "Transfer" ("id", "kind", "debitAccountId", "creditAccountId", "amountCents", "rainId") VALUES ('${id}', 'fund', 'operator', 'rain:slate', 1, 'slate')`,
          )
          .then(() => expect.unreachable(id), refused('23514'));
      }
    });
  });

  describe('the window of a rain', () => {
    it('is changed and recorded, both or nothing', async () => {
      await book.ledger.createRain(newRain('moved', 1n), 'ann');
      expect(
        await book.ledger.reschedule(
          'moved',
          { opensAt: FIRST_WIN + 5, closesAt: FIRST_WIN + 9 },
          { actor: 'bob', verb: 'start' },
        ),
      ).toBe(true);
      expect(await book.ledger.rain('moved')).toMatchObject({ opensAt: FIRST_WIN + 5, closesAt: FIRST_WIN + 9 });
      expect((await book.ledger.actions('moved')).at(-1)).toMatchObject({
        actor: 'bob',
        verb: 'start',
        details: { opensAt: new Date(FIRST_WIN + 5).toISOString() },
      });
      await book.ledger
        .reschedule('moved', { opensAt: FIRST_WIN, closesAt: FIRST_WIN }, { actor: 'bob', verb: 'start' })
        .then(() => expect.unreachable(), refused('23514'));
      expect(await book.ledger.actions('moved')).toHaveLength(2);
    });
  });
}
