import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { NewDiscard } from '../../src/ledger/discard.ts';
import type { Claim } from '../../src/rain/claim.ts';
import { randomSource, shuffle } from '../../src/rain/fairness.ts';
import { parseMoney } from '../../src/rain/money.ts';
import { claimOf, claimsOf, newRain, sumOfFirst } from './claims.ts';
import { refused, type OpenBook } from './openBook.ts';

/** A dead letter with this claim in it. */
function letterOf(claim: Claim, differing: Partial<NewDiscard> = {}): NewDiscard {
  const cents = parseMoney(claim.amount)!;
  return {
    letterId: `letter-${claim.redPacketId}-${claim.userId}`,
    rainId: claim.rainId,
    entry: JSON.stringify(claim),
    deadReason: 'refused',
    reason: 'the account is closed',
    actor: 'ann',
    claim: { redPacketId: claim.redPacketId, userId: claim.userId, claimedCents: cents, allocatedCents: cents },
    ...differing,
  };
}

/** A claim that cannot be credited is discarded, and its money is the operator's again. */
export function discardContract(book: OpenBook): void {
  const outcomes = async (claims: readonly Claim[]) => (await book.ledger.credit(claims)).map(({ outcome }) => outcome);

  describe('a discard', () => {
    it('gives the money of the claim back, with a recorded reason, and is counted apart from other recycled money', async () => {
      await book.ledger.createRain(newRain('give', 100n), 'ann');
      const letter = letterOf(claimOf('give', 4));
      expect(await book.ledger.discard(letter)).toEqual({ outcome: 'returned', amountCents: 5n });
      expect(await book.ledger.recycle('give', 60n, 'ann')).toEqual({ outcome: 'recycled' });
      expect(await book.ledger.book('give')).toMatchObject({
        recycledCents: 60n,
        discarded: { count: 1, cents: 5n },
        discardedClaims: 1,
      });
      const { claim: _claim, ...words } = letter;
      expect(await book.ledger.discards('give')).toEqual([
        { ...words, returned: { redPacketId: 'give-p4', amountCents: 5n }, at: expect.any(Number) as number },
      ]);
      expect((await book.ledger.actions('give')).at(1)).toMatchObject({
        actor: 'ann',
        verb: 'discard',
        details: { letter: letter.letterId, reason: letter.reason, redPacketId: 'give-p4', amount: '0.05' },
      });
    });

    it('[R5] of the same letter again moves nothing, and the first reason is kept', async () => {
      await book.ledger.createRain(newRain('same-letter', 100n), 'ann');
      const letter = letterOf(claimOf('same-letter', 4));
      const answers = await Promise.all(
        [1, 2, 3, 4].map((n) => book.ledger.discard({ ...letter, reason: `reason ${n}` })),
      );
      expect(answers.map(({ outcome }) => outcome).sort()).toEqual(['already', 'already', 'already', 'returned']);
      const [kept] = await book.ledger.discards('same-letter');
      expect(await book.ledger.discard(letter)).toEqual({ outcome: 'already', discard: kept });
      expect(await book.ledger.book('same-letter')).toMatchObject({
        discarded: { count: 1, cents: 5n },
        discardedClaims: 1,
      });
      expect((await book.ledger.actions('same-letter')).map(({ verb }) => verb)).toEqual(['create', 'discard']);
    });

    it('[R5] closes the packet permanently: no user is credited with it', async () => {
      await book.ledger.createRain(newRain('shut', 100n), 'ann');
      const claim = claimOf('shut', 4);
      await book.ledger.discard(letterOf(claim));
      expect(await book.ledger.credit([claim, claimOf('shut', 5), { ...claim, userId: 'shut-late' }])).toEqual([
        { outcome: 'discarded', amountCents: 5n },
        { outcome: 'posted' },
        { outcome: 'discarded', amountCents: 5n },
      ]);
      expect(await book.ledger.balance('shut-late')).toBe(0n);
    });

    it('of a claim whose packet is credited to another user moves nothing and keeps the reason', async () => {
      await book.ledger.createRain(newRain('word', 100n), 'ann');
      const claim = claimOf('word', 4);
      await book.ledger.credit([claim]);
      expect(
        await book.ledger.discard(
          letterOf({ ...claim, userId: 'word-late' }, { deadReason: 'told_twice', reason: 'voucher 123' }),
        ),
      ).toEqual({ outcome: 'discarded' });
      expect(await book.ledger.discards('word')).toMatchObject([{ reason: 'voucher 123', deadReason: 'told_twice' }]);
      expect((await book.ledger.discards('word'))[0]).not.toHaveProperty('returned');
      expect(await book.ledger.book('word')).toMatchObject({
        credited: { count: 1 },
        discarded: { count: 0, cents: 0n },
        discardedClaims: 1,
      });
    });

    it('of a claim that is credited as it is discards nothing; with another amount it does', async () => {
      await book.ledger.createRain(newRain('stale', 100n), 'ann');
      const claim = claimOf('stale', 4);
      await book.ledger.credit([claim]);
      expect(await book.ledger.discard(letterOf(claim))).toEqual({ outcome: 'credited' });
      expect(await book.ledger.discards('stale')).toEqual([]);
      expect(
        await book.ledger.discard(letterOf({ ...claim, amount: '0.09' }, { deadReason: 'amount_differs' })),
      ).toEqual({ outcome: 'discarded' });
    });

    it('of the second of two letters to one packet moves nothing', async () => {
      await book.ledger.createRain(newRain('both', 100n), 'ann');
      const claim = claimOf('both', 4);
      expect(await book.ledger.discard(letterOf(claim))).toMatchObject({ outcome: 'returned' });
      expect(await book.ledger.discard(letterOf({ ...claim, userId: 'both-late' }))).toEqual({ outcome: 'discarded' });
      expect(await book.ledger.book('both')).toMatchObject({ discarded: { count: 1, cents: 5n }, discardedClaims: 2 });
    });

    it('without a packet, for any text in the log, keeps the reason', async () => {
      const entry = 'n\0 and half a pair \ud800';
      expect(
        await book.ledger.discard({
          letterId: 'torn',
          rainId: 'unheard-of',
          entry,
          deadReason: 'malformed',
          reason: 'torn',
          actor: 'ann',
        }),
      ).toEqual({ outcome: 'discarded' });
      expect(await book.ledger.discards('unheard-of')).toMatchObject([{ entry: 'n\\u0000 and half a pair \ufffd' }]);
    });

    it('[R8] of more than the rain still holds is refused, and nothing is recorded', async () => {
      await book.ledger.createRain(newRain('empty', 100n), 'ann');
      await book.ledger.recycle('empty', 100n, 'ann');
      await book.ledger.discard(letterOf(claimOf('empty', 4))).then(() => expect.unreachable(), refused('23514'));
      expect(await book.ledger.discards('empty')).toEqual([]);
      expect((await book.ledger.actions('empty')).map(({ verb }) => verb)).toEqual(['create', 'recycle']);
    });

    it('without a reason, or with a very long one, is refused by the database', async () => {
      await book.ledger.createRain(newRain('silent', 100n), 'ann');
      for (const reason of ['', 'x'.repeat(501)])
        await book.ledger
          .discard(letterOf(claimOf('silent', 4), { reason }))
          .then(() => expect.unreachable(), refused('23514'));
    });

    it('is found by its letter, and page by page', async () => {
      await book.ledger.createRain(newRain('leaf', 1_000n), 'ann');
      for (const claim of claimsOf('leaf', 0, 5)) await book.ledger.discard(letterOf(claim));
      const first = await book.ledger.discards('leaf', undefined, 2);
      const rest = await book.ledger.discards('leaf', first.at(-1)!.letterId, 10);
      expect([...first, ...rest].map(({ returned }) => returned!.redPacketId).sort()).toEqual(
        [0, 1, 2, 3, 4].map((n) => `leaf-p${n}`),
      );
      expect([...(await book.ledger.discardedClaims([first[0]!.letterId, 'nobody'])).keys()]).toEqual([
        first[0]!.letterId,
      ]);
      expect(await book.ledger.discardedClaims([])).toEqual(new Map());
    });

    it('[R5] and a credit of the same claim at the same time: exactly one of them has the packet', async () => {
      const seed = randomBytes(32).toString('hex');
      const wins = 40;
      await book.ledger.createRain(newRain('race', sumOfFirst(wins)), 'ann');
      const answers: { n: number; who: string }[] = [];
      const credit = async (claims: Claim[], numbers: number[]) => {
        (await outcomes(claims)).forEach((outcome, i) => answers.push({ n: numbers[i]!, who: outcome }));
      };
      await Promise.all(
        [0, 1, 2, 3].map(async (caller) => {
          const order = BigInt64Array.from({ length: wins }, (_, n) => BigInt(n));
          shuffle(order, randomSource(seed, `caller ${caller}`));
          const numbers = [...order].map(Number);
          if (caller < 2)
            for (const n of numbers)
              answers.push({ n, who: (await book.ledger.discard(letterOf(claimOf('race', n)))).outcome });
          else
            for (let at = 0; at < wins; at += 3)
              await credit(
                numbers.slice(at, at + 3).map((n) => claimOf('race', n)),
                numbers.slice(at, at + 3),
              );
        }),
      );
      for (let n = 0; n < wins; n++) {
        const said = answers
          .filter((answer) => answer.n === n)
          .map(({ who }) => who)
          .sort();
        // One caller discards it, three find it discarded.
        expect(
          [
            ['already', 'credited', 'credited', 'posted'],
            ['already', 'discarded', 'discarded', 'returned'],
          ],
          `packet ${n}, seed ${seed}`,
        ).toContainEqual(said);
      }
      const { credited, discarded, discardedClaims } = (await book.ledger.book('race'))!;
      expect([credited.count + discarded.count, credited.cents + discarded.cents, discardedClaims]).toEqual([
        wins,
        sumOfFirst(wins),
        discarded.count,
      ]);
      expect((await book.database.account.findUniqueOrThrow({ where: { id: 'rain:race' } })).balanceCents).toBe(0n);
    });
  });
}
