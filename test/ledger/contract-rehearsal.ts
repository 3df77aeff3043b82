import { describe, expect, it } from 'vitest';
import { claimOf, claimsOf, newRain } from './claims.ts';
import { refused, type OpenBook } from './openBook.ts';

/** A rehearsal is kept in the same book, and never touches real money. */
export function rehearsalContract(book: OpenBook): void {
  const create = (id: string, cents = 100n) =>
    book.ledger.createRain(newRain(id, cents, { terms: { rehearsal: true } }), 'ann');
  const balances = async () =>
    Object.fromEntries((await book.database.account.findMany()).map(({ id, balanceCents }) => [id, balanceCents]));
  const transfer = (values: string) =>
    book.database.$executeRawUnsafe(
      `INSERT INTO "Transfer" ("id", "kind", "debitAccountId", "creditAccountId", "amountCents", "rainId", "redPacketId", "userId") VALUES (${values})`,
    );

  describe('a rehearsal', () => {
    it('[R8] is funded, credited and recycled in test money, and no real account changes', async () => {
      const real = async () => Object.entries(await balances()).filter(([id]) => !id.startsWith('shadow:'));
      const before = await real();
      await create('try');
      expect(await book.ledger.rain('try')).toMatchObject({ terms: { rehearsal: true } });
      const claims = claimsOf('try', 0, 3);
      expect(await book.ledger.credit(claims)).toEqual(claims.map(() => ({ outcome: 'posted' })));
      expect(await book.ledger.credit(claims)).toEqual(claims.map(() => ({ outcome: 'already' })));
      const { credited } = (await book.ledger.book('try'))!;
      expect(await book.ledger.recycle('try', 100n - credited.cents, 'ann')).toEqual({ outcome: 'recycled' });
      expect(await real()).toEqual(before);
      expect(await balances()).toMatchObject({ 'shadow:rain:try': 0n, 'shadow:operator': -credited.cents });
    });

    it('[R8] takes a top-up from test money too', async () => {
      await create('more-shadow');
      const operator = (await balances())['operator'];
      const before = (await balances())['shadow:operator']!;
      expect(
        await book.ledger.addTopUp(
          {
            id: 'more-shadow-1',
            rainId: 'more-shadow',
            budgetCents: 50n,
            packets: 5,
            split: { budget: '0.50', packets: 5 },
            seed: 'cd'.repeat(32),
          },
          'ann',
        ),
      ).toMatchObject({ outcome: 'added' });
      expect(await balances()).toMatchObject({ 'shadow:rain:more-shadow': 150n, 'shadow:operator': before - 50n });
      expect((await balances())['operator']).toBe(operator);
    });

    it("shows in nobody's wallet", async () => {
      await create('wallet');
      await book.ledger.credit([claimOf('wallet', 0, { userId: 'dreamer' })]);
      expect(await book.ledger.walletStatement('dreamer', undefined, 100)).toEqual({ balanceCents: 0n, packets: [] });
      expect((await balances())['shadow:user:dreamer']).toBe(claimCents(claimOf('wallet', 0)));
    });

    it('stays a rehearsal, and differs from a real rain of its id', async () => {
      await create('nature');
      expect(await create('nature')).toEqual({ outcome: 'exists' });
      expect(await book.ledger.createRain(newRain('nature', 100n), 'ann')).toEqual({
        outcome: 'differs',
        fields: ['rehearsal'],
      });
      for (const to of ['false', 'NOT "rehearsal"']) {
        await book.database
          .$executeRawUnsafe(`UPDATE "Rain" SET "rehearsal" = ${to} WHERE "id" = 'nature'`)
          .then(() => expect.unreachable(), refused('23001'));
      }
    });

    it('[R8] the database lets no transfer mix test money and real money', async () => {
      await create('dream');
      await book.ledger.createRain(newRain('wake', 100n), 'ann');
      await book.ledger.credit([claimOf('dream', 0, { userId: 'sleeper' }), claimOf('dream', 1, { userId: 'other' })]);
      await book.ledger.credit([claimOf('wake', 0, { userId: 'sleeper' })]);
      for (const values of [
        // Transfers of a rehearsal, between real accounts; of a real rain, between shadows; from one side to the other.
        `'credit:k', 'credit', 'rain:dream', 'user:sleeper', 1, 'dream', 'k', 'sleeper-2'`,
        `'recycle:wake', 'recycle', 'shadow:rain:wake', 'shadow:operator', 1, 'wake', NULL, NULL`,
        `'recycle:dream', 'recycle', 'shadow:rain:dream', 'operator', 1, 'dream', NULL, NULL`,
        `'credit:k', 'credit', 'shadow:rain:dream', 'user:k', 1, 'dream', 'k', 'k'`,
        `'fund:dream', 'fund', 'operator', 'shadow:rain:dream', 1, 'dream', NULL, NULL`,
      ]) {
        await transfer(values).then(
          () => expect.unreachable(values),
          (error: unknown) => expect(String(error)).toMatch(/23514|23503/),
        );
      }
      await transfer(`'recycle:dream', 'recycle', 'rain:dream', 'operator', 1, 'dream', NULL, NULL`).then(
        () => expect.unreachable(),
        refused('23514'),
      );
    });

    it('reserves nothing for external wallets, and can still be discarded', async () => {
      await create('aside');
      await book.ledger.reserve([claimOf('aside', 0)]).then(() => expect.unreachable(), refused('23514'));
      const { redPacketId, userId } = claimOf('aside', 0);
      const asked = {
        letterId: 'aside-letter',
        rainId: 'aside',
        entry: '{}',
        deadReason: 'refused',
        reason: 'a trial',
        actor: 'ann',
      };
      expect(
        await book.ledger.discard({ ...asked, claim: { redPacketId, userId, claimedCents: 1n, allocatedCents: 1n } }),
      ).toEqual({ outcome: 'returned', amountCents: 1n });
      expect(await balances()).toMatchObject({ 'shadow:rain:aside': 99n });
    });
  });
}

function claimCents({ amount }: { amount: string }): bigint {
  return BigInt(amount.replace('.', ''));
}
