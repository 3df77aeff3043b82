import { describe, expect, it } from 'vitest';
import { claimOf, claimsOf, newRain } from './claims.ts';
import { refused, type OpenBook } from './openBook.ts';

/** One rain, one payout provider. */
export function payoutProviderContract(book: OpenBook): void {
  const create = (id: string, rehearsal = false) =>
    book.ledger.createRain(newRain(id, 100n, { ...(rehearsal && { terms: { rehearsal } }) }), 'ann');

  describe('the payout provider of a rain', () => {
    it('is the first one requested, however many are requested at once, and never changes', async () => {
      await create('entrusted');
      expect(await book.ledger.rain('entrusted')).not.toHaveProperty('payoutProvider');
      const told = await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          book.ledger.assignPayout('entrusted', i % 2 === 0 ? 'ledger' : 'webhook_v2'),
        ),
      );
      expect(new Set(told).size).toBe(1);
      expect((await book.ledger.rain('entrusted'))!.payoutProvider).toBe(told[0]);
      for (const to of [`'webhook_v2'`, `'webhook'`, `'ledger'`, 'NULL'].filter((other) => other !== `'${told[0]}'`)) {
        await book.database
          .$executeRawUnsafe(`UPDATE "Rain" SET "keeper" = ${to} WHERE "id" = 'entrusted'`)
          .then(() => expect.unreachable(), refused('23001'));
      }
      expect(await create('entrusted'), 'the same rain as before').toEqual({ outcome: 'exists' });
    });

    it('is none for an unknown rain or a rehearsal', async () => {
      await create('dreamt', true);
      expect([
        await book.ledger.assignPayout('nowhere', 'ledger'),
        await book.ledger.assignPayout('dreamt', 'webhook'),
      ]).toEqual([undefined, undefined]);
      await book.database.$executeRaw`UPDATE "Rain" SET "keeper" = 'ledger' WHERE "id" = 'dreamt'`.then(
        () => expect.unreachable(),
        refused('23514'),
      );
    });

    it.each(['webhook', 'webhook_v2'] as const)(
      '[R5] with an external wallet (%s), the database credits nothing that was not reserved for it',
      async (provider) => {
        const away = `away-${provider}`;
        await create(away);
        await book.ledger.assignPayout(away, provider);
        const [asked, unasked] = [claimsOf(away, 0, 2), claimOf(away, 2)];
        expect(await book.ledger.reserve(asked)).toEqual([{ outcome: 'reserved' }, { outcome: 'reserved' }]);
        await book.ledger.credit([unasked]).then(() => expect.unreachable(), refused('23514'));
        // Neither a packet beside the reserved one, nor for another user.
        await book.ledger.credit([...asked, unasked]).then(() => expect.unreachable(), refused('23514'));
        expect((await book.ledger.book(away))!.credited.count).toBe(0);
        expect(await book.ledger.credit(asked)).toEqual([{ outcome: 'posted' }, { outcome: 'posted' }]);
      },
    );

    it('[R5] with our own ledger, the database reserves nothing for a wallet', async () => {
      await create('home');
      await book.ledger.assignPayout('home', 'ledger');
      await book.ledger.reserve([claimOf('home', 0)]).then(() => expect.unreachable(), refused('23514'));
      expect(await book.ledger.credit([claimOf('home', 0)])).toEqual([{ outcome: 'posted' }]);
    });
  });
}
