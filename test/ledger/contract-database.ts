import { describe, expect, it } from 'vitest';
import { claimOf, newRain } from './claims.ts';
import { refused, type OpenBook } from './openBook.ts';

/** Changes that the database refuses for every caller. */
export function databaseContract(book: OpenBook): void {
  describe('the database itself', () => {
    const transfer = (values: string) => book.database.$executeRawUnsafe(
      `INSERT INTO "Transfer" ("id", "kind", "debitAccountId", "creditAccountId", "amountCents", "rainId", "redPacketId", "userId") VALUES (${values})`);

    it('never changes or deletes a transfer or an operator\'s action', async () => {
      await book.ledger.createRain(newRain('stone', 100n), 'ann');
      for (const table of ['Transfer', 'OperatorAction', 'Discard']) {
        for (const sql of [`UPDATE "${table}" SET "rainId" = 'x'`, `DELETE FROM "${table}"`, `TRUNCATE "${table}"`]) {
          await book.database.$executeRawUnsafe(sql).then(() => expect.unreachable(sql), refused('23001'));
        }
      }
    });

    it("lets no account but the operator's go below zero, or claim to be it", async () => {
      for (const values of [`'user:x', 'user', -1`, `'rain:x', 'rain', -1`, `'bank', 'operator', -1`, `'operator', 'user', 0`, `'rain:', 'rain', 0`]) {
        await book.database.$executeRawUnsafe(`INSERT INTO "Account" VALUES (${values})`).then(() => expect.unreachable(values), refused('23514'));
      }
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
      await transfer(`'fund:kinds', 'fund', 'operator', 'rain:kinds', 1, 'kinds', NULL, NULL`).then(() => expect.unreachable(), refused('23505'));
    });
  });
}
