import { describe, expect, it } from 'vitest';
import { refusalOf } from '../../src/ledger/refusal.ts';
import { claimOf, newRain } from './claims.ts';
import { refused, type OpenBook } from './openBook.ts';

/** Changes that the database refuses for every caller. */
export function databaseContract(book: OpenBook): void {
  describe('the database itself', () => {
    const transfer = (values: string) =>
      book.database.$executeRawUnsafe(
        `INSERT INTO "Transfer" ("id", "kind", "debitAccountId", "creditAccountId", "amountCents", "rainId", "redPacketId", "userId") VALUES (${values})`,
      );

    it("never changes or deletes a transfer or an operator's action", async () => {
      await book.ledger.createRain(newRain('stone', 100n), 'ann');
      for (const table of ['Transfer', 'OperatorAction', 'Discard']) {
        for (const sql of [`UPDATE "${table}" SET "rainId" = 'x'`, `DELETE FROM "${table}"`, `TRUNCATE "${table}"`]) {
          await book.database.$executeRawUnsafe(sql).then(() => expect.unreachable(sql), refused('23001'));
        }
      }
    });

    it("lets no account but the operator's go below zero, or claim to be it", async () => {
      for (const values of [
        `'user:x', 'user', -1`,
        `'rain:x', 'rain', -1`,
        `'bank', 'operator', -1`,
        `'operator', 'user', 0`,
        `'rain:', 'rain', 0`,
      ]) {
        // The owner of the table can switch the trigger off, and the checks still stand.
        await book.database
          .$transaction([
            book.database.$executeRaw`ALTER TABLE "Account" DISABLE TRIGGER "Account_changes_by_transfer"`,
            book.database.$executeRawUnsafe(`INSERT INTO "Account" VALUES (${values})`),
          ])
          .then(() => expect.unreachable(values), refused('23514'));
      }
    });

    it('[R8] changes a balance by a transfer only', async () => {
      await book.ledger.createRain(newRain('stubborn', 100n), 'ann');
      await book.ledger.credit([claimOf('stubborn', 0, { userId: 'greedy' })]);
      for (const sql of [
        `UPDATE "Account" SET "balanceCents" = "balanceCents" + 5000 WHERE "id" = 'user:greedy'`,
        `INSERT INTO "Account" VALUES ('user:new', 'user', 5000)`,
        `INSERT INTO "Account" VALUES ('user:greedy', 'user', 1) ON CONFLICT ("id") DO UPDATE SET "balanceCents" = 5000`,
        `DELETE FROM "Account"`,
        `TRUNCATE "Account" CASCADE`,
        `UPDATE "Account" SET "id" = 'user:other' WHERE "id" = 'user:greedy'`,
      ]) {
        await book.database.$executeRawUnsafe(sql).then(
          () => expect.unreachable(sql),
          (error: unknown) => {
            expect(String(error)).toContain('changes by a transfer only');
            // A worker of an older version, which updates balances itself, tries again until it is restarted, and gives
            // up no claim.
            expect(refusalOf(error)).toBeUndefined();
          },
        );
      }
      expect(await book.ledger.balance('greedy')).toBe(1n);
    });

    it('[R8] books each transfer of a statement, whoever writes it, and refuses one from a rain that was never funded', async () => {
      for (const id of ['hand-a', 'hand-b']) await book.ledger.createRain(newRain(id, 100n), 'ann');
      await transfer(`'credit:h1', 'credit', 'rain:hand-a', 'user:hand', 30, 'hand-a', 'h1', 'hand'), ('fund:hand-b/1', 'fund', 'operator', 'rain:hand-b', 50, 'hand-b', NULL, NULL),
        ('credit:h2', 'credit', 'rain:hand-b', 'user:hand', 120, 'hand-b', 'h2', 'hand'), ('recycle:hand-a', 'recycle', 'rain:hand-a', 'operator', 70, 'hand-a', NULL, NULL`);
      expect(await book.ledger.balance('hand')).toBe(150n);
      expect(
        await book.database.account.findMany({ where: { id: { startsWith: 'rain:hand-' } }, orderBy: { id: 'asc' } }),
      ).toMatchObject([{ balanceCents: 0n }, { balanceCents: 30n }]);
      await transfer(`'recycle:hand-b', 'recycle', 'rain:hand-b', 'operator', 31, 'hand-b', NULL, NULL`).then(
        () => expect.unreachable(),
        refused('23514'),
      );
      const { id: _, ...plan } = await book.database.rain.findUniqueOrThrow({
        where: { id: 'hand-a' },
        select: { id: true, title: true, budgetCents: true, packets: true, seed: true, opensAt: true, closesAt: true },
      });
      await book.database.rain.create({ data: { ...plan, id: 'penniless', split: {} } });
      await transfer(`'credit:h3', 'credit', 'rain:penniless', 'user:hand', 1, 'penniless', 'h3', 'hand'`).then(
        () => expect.unreachable(),
        refused('23503'),
      );
    });

    it('takes no transfer that does not fit its kind', async () => {
      await book.ledger.createRain(newRain('kinds', 100n), 'ann');
      await book.ledger.credit([claimOf('kinds', 0, { userId: 'kind' })]);
      for (const values of [
        `'credit:k', 'credit', 'rain:kinds', 'user:kind', 0, 'kinds', 'k', 'kind'`,
        `'credit:k', 'credit', 'rain:kinds', 'user:kind', -5, 'kinds', 'k', 'kind'`,
        `'credit:k', 'credit', 'rain:kinds', 'user:kind', 1, 'kinds', NULL, 'kind'`,
        `'credit:k', 'credit', 'rain:kinds', 'user:kind', 1, 'kinds', 'k', NULL`,
        `'credit:other', 'credit', 'rain:kinds', 'user:kind', 1, 'kinds', 'k', 'kind'`,
        `'credit:k', 'credit', 'operator', 'user:kind', 1, 'kinds', 'k', 'kind'`,
        `'fund:kinds', 'fund', 'rain:kinds', 'operator', 1, 'kinds', NULL, NULL`,
        `'fund:kinds', 'fund', 'operator', 'rain:kinds', 1, 'kinds', 'k', NULL`,
        `'recycle:2', 'recycle', 'rain:kinds', 'operator', 1, 'kinds', NULL, NULL`,
        `'recycle:kinds', 'recycle', 'rain:kinds', 'rain:kinds', 1, 'kinds', NULL, NULL`,
        `'recycle:kinds', 'recycle', 'rain:kinds', 'operator', 1, 'kinds', 'k', NULL`,
        `'recycle:k', 'recycle', 'rain:kinds', 'operator', 1, 'kinds', 'k', NULL`,
        `'discard:k', 'recycle', 'rain:kinds', 'operator', 1, 'kinds', NULL, NULL`,
        `'discard:k', 'recycle', 'rain:kinds', 'operator', 1, 'kinds', 'k', 'kind'`,
        `'discard:k', 'recycle', 'rain:kinds', 'user:kind', 1, 'kinds', 'k', NULL`,
        `'discard:k', 'credit', 'rain:kinds', 'user:kind', 1, 'kinds', 'k', 'kind'`,
      ]) {
        await transfer(values).then(() => expect.unreachable(values), refused('23514'));
      }
      await transfer(`'fund:kinds', 'fund', 'operator', 'rain:kinds', 1, 'kinds', NULL, NULL`).then(
        () => expect.unreachable(),
        refused('23505'),
      );
    });
  });
}
