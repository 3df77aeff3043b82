import { describe, expect, it } from 'vitest';
import { refusalOf } from '../../src/ledger/refusal.ts';
import { claimOf, claimsOf, FIRST_WIN, newRain } from './claims.ts';
import { refused, type OpenBook } from './openBook.ts';

/** A rain from its creation to the day its rest went back. */
export function rainContract(book: OpenBook): void {
  describe('a rain', () => {
    it('is created with its account funded by the operator, and recorded', async () => {
      const asked = newRain('create', 8888n);
      expect(await book.ledger.createRain(asked, 'ann')).toEqual({ outcome: 'created' });
      expect(await book.ledger.rain('create')).toMatchObject(asked);
      expect(await book.ledger.book('create')).toEqual({
        fundedCents: 8888n,
        credited: { count: 0, cents: 0n },
        recycledCents: 0n,
        discarded: { count: 0, cents: 0n },
        discardedClaims: 0,
      });
      expect(await book.ledger.actions('create')).toMatchObject([
        { actor: 'ann', verb: 'create', details: { budget: '88.88' } },
      ]);
    });

    it('created again exists already and is not funded twice, also at the same time', async () => {
      const asked = newRain('again', 500n);
      const answers = await Promise.all([1, 2, 3].map(() => book.ledger.createRain(asked, 'ann')));
      expect(answers.map(({ outcome }) => outcome).sort()).toEqual(['created', 'exists', 'exists']);
      expect((await book.ledger.book('again'))?.fundedCents).toBe(500n);
      expect(await book.ledger.actions('again')).toHaveLength(1);
    });

    it('with the id of another is refused, and the differences are named [R12]', async () => {
      await book.ledger.createRain(newRain('taken', 500n), 'ann');
      const answer = await book.ledger.createRain(
        newRain('taken', 501n, { split: { method: 'even' }, closesAt: FIRST_WIN + 1 }),
        'ann',
      );
      expect(answer).toEqual({ outcome: 'differs', fields: ['budgetCents', 'split', 'closesAt'] });
      expect((await book.ledger.book('taken'))?.fundedCents).toBe(500n);
    });

    it('without a budget is refused by the database', async () => {
      await expect(book.ledger.createRain(newRain('free', 0n), 'ann')).rejects.toSatisfy(
        (error) => refusalOf(error)?.code === '23514',
      );
      expect(await book.ledger.rain('free')).toBeUndefined();
    });

    it('is listed, newest first, and counted', async () => {
      const before = await book.ledger.countRains();
      await book.ledger.createRain(newRain('listed-1', 1n), 'ann');
      await book.ledger.createRain(newRain('listed-2', 1n), 'ann');
      const ids = (await book.ledger.rains()).map(({ id }) => id);
      expect(ids.indexOf('listed-2')).toBeLessThan(ids.indexOf('listed-1'));
      expect(ids).toContain('listed-1');
      expect(await book.ledger.countRains()).toBe(before + 2);
      const open = await book.ledger.countRains('unsettled');
      await book.ledger.settle('listed-1');
      const unsettled = (await book.ledger.rains(100, 'unsettled')).map(({ id }) => id);
      expect(unsettled).toContain('listed-2');
      expect(unsettled).not.toContain('listed-1');
      expect([unsettled.length, await book.ledger.countRains('unsettled')]).toEqual([open - 1, open - 1]);
    });

    it('is settled once; a repetition gives the first answer', async () => {
      await book.ledger.createRain(newRain('settle', 1n), 'ann');
      const first = await book.ledger.settle('settle');
      expect(await book.ledger.settle('settle')).toBe(first);
      expect((await book.ledger.book('settle'))?.settledAt).toBe(first);
      await expect(book.ledger.settle('nowhere')).rejects.toThrow('no rain nowhere');
    });
  });

  describe('recycling', () => {
    it('gives the rest back once, also when called at the same time', async () => {
      await book.ledger.createRain(newRain('rest', 100n), 'ann');
      await book.ledger.credit(claimsOf('rest', 0, 4));
      const answers = await Promise.all([1, 2, 3].map(() => book.ledger.recycle('rest', 90n, 'ann')));
      expect(answers.map(({ outcome }) => outcome).sort()).toEqual(['already', 'already', 'recycled']);
      expect(await book.ledger.recycle('rest', 80n, 'ann')).toEqual({ outcome: 'differs', recycledCents: 90n });
      expect(await book.ledger.book('rest')).toMatchObject({
        fundedCents: 100n,
        credited: { cents: 10n },
        recycledCents: 90n,
      });
      expect((await book.ledger.actions('rest')).map(({ verb }) => verb)).toEqual(['create', 'recycle']);
    });

    it('of nothing makes no transfer', async () => {
      await book.ledger.createRain(newRain('none', 100n), 'ann');
      expect(await book.ledger.recycle('none', 0n, 'ann')).toEqual({ outcome: 'nothing' });
      expect(await book.ledger.book('none')).toMatchObject({ recycledCents: 0n });
    });

    it('[R8] of more than is left is refused; of all leaves nothing to credit', async () => {
      await book.ledger.createRain(newRain('more', 100n), 'ann');
      await book.ledger.recycle('more', 101n, 'ann').then(() => expect.unreachable(), refused('23514'));
      expect(await book.ledger.recycle('more', 100n, 'ann')).toEqual({ outcome: 'recycled' });
      await book.ledger.credit([claimOf('more', 0)]).then(() => expect.unreachable(), refused('23514'));
    });
  });
}
