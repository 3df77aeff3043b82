import { describe, expect, it } from 'vitest';
import { withoutTriggers } from '../support/withoutTriggers.ts';
import { claimOf, claimsOf, newRain } from './claims.ts';
import type { OpenBook } from './openBook.ts';

const NONE = { accounts: [], keptCents: 0n };

/** Changes by a superuser of the database are found afterwards. */
export function accountFaultsContract(book: OpenBook): void {
  describe('an account that differs from its transfers', () => {
    const change = (id: string, cents: number) =>
      withoutTriggers(
        book.database,
        `UPDATE "Account" SET "balanceCents" = "balanceCents" + ${cents} WHERE "id" = '${id}'`,
      );

    it('[R8] is found: the one of the rain, and those of its winners, money of other rains included', async () => {
      for (const [id, rehearsal] of [
        ['found', false],
        ['found-too', false],
        ['found-test', true],
      ] as const) {
        await book.ledger.createRain(newRain(id, 1_000n, rehearsal ? { terms: { rehearsal } } : {}), 'ann');
        await book.ledger.credit(claimsOf(id, 0, 4).map((claim) => ({ ...claim, userId: `found-${claim.userId}` })));
        expect(await book.ledger.accountFaults(id)).toEqual(NONE);
      }
      await change('user:found-u3', 5_000);
      await change('rain:found', -7);
      await change('shadow:rain:found-test', 1);
      const user = { accountId: 'user:found-u3', balanceCents: 5_008n, transfersCents: 8n };
      expect(await book.ledger.accountFaults('found')).toEqual({
        accounts: [{ accountId: 'rain:found', balanceCents: 983n, transfersCents: 990n }, user],
        keptCents: 0n,
      });
      expect(await book.ledger.accountFaults('found-too')).toEqual({ accounts: [user], keptCents: 0n });
      expect(await book.ledger.sumOfBalances()).toBe(4_994n);
      expect((await book.ledger.accountFaults('found-test')).accounts).toEqual([
        { accountId: 'shadow:rain:found-test', balanceCents: 991n, transfersCents: 990n },
      ]);
      for (const [id, cents] of [
        ['user:found-u3', -5_000],
        ['rain:found', 7],
        ['shadow:rain:found-test', -1],
      ] as const)
        await change(id, cents);
      expect(await book.ledger.accountFaults('found')).toEqual(NONE);
      expect(await book.ledger.sumOfBalances()).toBe(0n);
    });

    it('[R8] is found as money that the plan of the rain does not have, and as money left after the settlement', async () => {
      await book.ledger.createRain(newRain('forged', 100n), 'ann');
      await book.ledger.recycle('forged', 100n, 'ann');
      await book.ledger.settle('forged');
      expect(await book.ledger.accountFaults('forged')).toEqual(NONE);
      // All that the checks of the database let pass.
      await book.database
        .$executeRaw`INSERT INTO "Transfer" VALUES ('fund:forged/1', 'fund', 'operator', 'rain:forged', 50, 'forged', NULL, NULL)`;
      expect(await book.ledger.accountFaults('forged')).toEqual({
        ...NONE,
        funding: { budgetCents: 100n, fundedCents: 150n },
        keptCents: 50n,
      });
      expect(await book.ledger.settledFaults(10, 2)).toContainEqual({ id: 'forged', title: 'rain forged' });
      expect(await book.ledger.settledFaults(0)).toEqual([]);
    });

    it('[R10] is found on every page, a hundred of them at most, and also when it is gone', async () => {
      const winners = 130;
      await book.ledger.createRain(newRain('wide', 100_000n), 'ann');
      await book.ledger.credit(
        claimsOf('wide', 0, winners).map((claim) => ({ ...claim, userId: `wide-${claim.userId}` })),
      );
      await withoutTriggers(
        book.database,
        `UPDATE "Account" SET "balanceCents" = "balanceCents" + 1 WHERE "id" LIKE 'user:wide-%'`,
      );
      expect((await book.ledger.accountFaults('wide', 7)).accounts).toHaveLength(100);
      await withoutTriggers(
        book.database,
        `UPDATE "Account" SET "balanceCents" = "balanceCents" - 1 WHERE "id" LIKE 'user:wide-%'`,
        `DELETE FROM "Account" WHERE "id" = 'user:wide-u129'`,
      );
      expect((await book.ledger.accountFaults('wide', 7)).accounts).toEqual([
        { accountId: 'user:wide-u129', balanceCents: 0n, transfersCents: 130n },
      ]);
      await withoutTriggers(book.database, `INSERT INTO "Account" VALUES ('user:wide-u129', 'user', 130)`);
    });

    it('[R8] is found beside the sum that an earlier audit has kept; a credit that was posted late is no finding', async () => {
      const rains = ['kept-0', 'kept-1'];
      for (const id of rains) {
        await book.ledger.createRain(newRain(id, 100n), 'ann');
        await book.ledger.credit([claimOf(id, 0, { userId: 'kept-user' })]);
      }
      const post = (ids: readonly string[], ago: string) =>
        withoutTriggers(
          book.database,
          `UPDATE "Transfer" SET "postedAt" = now() - interval '${ago}' WHERE "userId" = 'kept-user' AND "rainId" IN ('${ids.join("', '")}')`,
        );
      const audit = (id: string) => book.ledger.accountFaults(id, undefined, 2);
      await post(rains, '1 h');
      expect(await audit('kept-0')).toEqual(NONE);
      expect(await book.database.auditedAccount.findMany()).toMatchObject([{ accountId: 'user:kept-user', cents: 2n }]);

      await change('user:kept-user', 5_000);
      const accounts = [{ accountId: 'user:kept-user', balanceCents: 5_002n, transfersCents: 2n }];
      expect(await audit('kept-0')).toEqual({ ...NONE, accounts });
      await change('user:kept-user', -5_000);

      await book.ledger.createRain(newRain('kept-late', 100n), 'ann');
      await book.ledger.credit([claimOf('kept-late', 0, { userId: 'kept-user' })]);
      await post(['kept-late'], '2 h');
      expect(await audit('kept-late')).toEqual(NONE);
    });
  });
}
