import type { Cents } from '../rain/money.ts';
import { rainAccount } from './accounts.ts';
import type { Database } from './database.ts';
import { isRehearsal } from './rains.ts';

/** An account whose balance is not the sum of its transfers; an account that is gone has 0. */
interface AccountFault {
  accountId: string;
  balanceCents: Cents;
  transfersCents: Cents;
}

interface AccountFaults {
  accounts: AccountFault[];
  /** Absent while the rain was funded with its budget. */
  funding?: { budgetCents: Cents; fundedCents: Cents };
  /** What the account of a settled rain still holds; 0 before the settlement. */
  keptCents: Cents;
}

const FAULTS_MAX = 100;
/** Winners per statement, which has to end within its timeout: each is one look-up of all their credits, of other rains, too. */
const PAGE = 2_000;

/**
 * Compares the account of a rain and those of its credited users with their transfers. The database keeps balances by itself, so a
 * difference means that somebody has changed the ledger. Each statement sees a credit in both places or in neither.
 * @returns the first 100 accounts at most
 */
export async function accountFaults(database: Database, rainId: string, page = PAGE): Promise<AccountFaults> {
  const rain = await compareRain(database, rainId);
  const accounts = [rain.account].filter(differs);
  for (let last: string | undefined = ''; last !== undefined && accounts.length < FAULTS_MAX;) {
    const compared: (AccountFault & { userId: string })[] = await compareUsers(database, rainId, last, page);
    last = compared.at(-1)?.userId;
    accounts.push(...compared.filter(differs).map(({ userId: _, ...fault }) => fault));
  }
  const { account, fundedCents, budgetCents, settled } = rain;
  return {
    accounts: accounts.slice(0, FAULTS_MAX), ...(fundedCents !== budgetCents && { funding: { budgetCents, fundedCents } }),
    keptCents: settled ? account.balanceCents : 0n,
  };
}

const differs = ({ balanceCents, transfersCents }: AccountFault) => balanceCents !== transfersCents;

/** The account of a rain beside its transfers and its row, as of one moment. */
async function compareRain(database: Database, rainId: string) {
  const accountId = rainAccount(rainId, await isRehearsal(database, rainId));
  const [row] = await database.$queryRaw<{ balanceCents: Cents; transfersCents: Cents; fundedCents: Cents; budgetCents: Cents; settled: boolean }[]>`
    SELECT coalesce((SELECT "balanceCents" FROM "Account" WHERE "id" = ${accountId}), 0)::bigint AS "balanceCents",
      coalesce(sum(CASE "kind" WHEN 'fund' THEN "amountCents" ELSE -"amountCents" END), 0)::bigint AS "transfersCents",
      coalesce(sum("amountCents") FILTER (WHERE "kind" = 'fund'), 0)::bigint AS "fundedCents",
      coalesce((SELECT "budgetCents" FROM "Rain" WHERE "id" = ${rainId}), 0)::bigint AS "budgetCents",
      EXISTS (SELECT FROM "Rain" WHERE "id" = ${rainId} AND "settledAt" IS NOT NULL) AS "settled"
    FROM "Transfer" WHERE "rainId" = ${rainId}`;
  const { balanceCents, transfersCents, ...rest } = row!;
  return { account: { accountId, balanceCents, transfersCents }, ...rest };
}

/** One page of users: those whose accounts differ, and the last one of the page in any case. */
function compareUsers(database: Database, rainId: string, after: string, limit: number): Promise<(AccountFault & { userId: string })[]> {
  return database.$queryRaw`
    WITH page AS (
      SELECT "userId", "creditAccountId" FROM "Transfer" WHERE "rainId" = ${rainId} AND "userId" > ${after} ORDER BY "userId" LIMIT ${limit}
    ), compared AS (
      SELECT page."userId", page."creditAccountId" AS "accountId", coalesce(account."balanceCents", 0) AS "balanceCents",
        (SELECT sum("amountCents") FROM "Transfer" WHERE "creditAccountId" = page."creditAccountId")::bigint AS "transfersCents"
      FROM page LEFT JOIN "Account" AS account ON account."id" = page."creditAccountId"
    )
    SELECT * FROM compared WHERE "balanceCents" <> "transfersCents" OR "userId" = (SELECT max("userId") FROM page) ORDER BY "userId"`;
}
