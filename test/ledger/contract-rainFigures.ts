import { describe, expect, it } from 'vitest';
import { claimOf, claimsOf, newRain, sumOfFirst } from './claims.ts';
import type { OpenBook } from './openBook.ts';

/** The figures of a list are those that the transfers come to, although it does not read them. */
export function rainFiguresContract(book: OpenBook): void {
  describe('the figures of rains', () => {
    const ofBook = async (id: string) => {
      const { credited, recycledCents, discarded } = (await book.ledger.book(id))!;
      return { credited, recycledCents: recycledCents + discarded.cents };
    };

    it.each([1, 3])('are those of their transfers, before and after the settlement, with %i shards', async (shards) => {
      const id = `figures-${shards}`;
      await book.ledger.createRain(newRain(id, 1_000n, { shards }), 'ann');
      const figures = async () => (await book.ledger.rainFigures([id])).get(id);
      expect(await figures()).toEqual({ credited: { count: 0, cents: 0n }, recycledCents: 0n, wasLoaded: false });
      await book.ledger.record({ actor: 'ann', verb: 'load', rainId: id, details: {} });
      await book.ledger.credit(claimsOf(id, 0, 6).map((claim) => ({ ...claim, userId: `${id}-${claim.userId}` })));
      const claim = claimOf(id, 7);
      await book.ledger.discard({
        letterId: `letter-${id}`,
        rainId: id,
        entry: JSON.stringify(claim),
        deadReason: 'refused',
        reason: 'the account is closed',
        actor: 'ann',
        claim: { redPacketId: claim.redPacketId, userId: claim.userId, claimedCents: 8n, allocatedCents: 8n },
      });
      expect(await figures()).toEqual({
        credited: { count: 6, cents: sumOfFirst(6) },
        recycledCents: 8n,
        wasLoaded: true,
      });
      await book.ledger.recycle(id, 1_000n - 8n - sumOfFirst(6), 'ann');
      await book.ledger.settle(id);
      expect(await figures()).toEqual({ ...(await ofBook(id)), wasLoaded: true });
      expect(await book.database.rain.findUnique({ where: { id }, select: { credited: true } })).toEqual({
        credited: 6,
      });
    });

    it('of a rain that the ledger does not have, are 0', async () => {
      expect(await book.ledger.rainFigures(['nobodys'])).toEqual(
        new Map([['nobodys', { credited: { count: 0, cents: 0n }, recycledCents: 0n, wasLoaded: false }]]),
      );
      expect(await book.ledger.rainFigures([])).toEqual(new Map());
    });
  });
}
