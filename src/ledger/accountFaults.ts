import type { Cents } from '../rain/money.ts';
import { findRainMoney, rainAccounts } from './accounts.ts';
import type { Database } from './database.ts';

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
  /** The balance of the accounts of a settled rain; 0 before the settlement. */
  keptCents: Cents;
}

const FAULTS_MAX = 100;
/**
 * Winners per statement, which has to end within its timeout: each is one look-up of all their credits, of other rains,
 * too.
 */
const PAGE = 2_000;

/**
 * Compares the accounts of a rain and those of its credited users with their transfers. The database keeps balances by
 * itself, so a difference means that somebody has changed the ledger. Each statement sees a credit in both places or in
 * neither.
 * @returns the first 100 accounts at most
 */
export async function accountFaults(database: Database, rainId: string, page = PAGE): Promise<AccountFaults> {
  const rain = await compareRain(database, rainId);
  const accounts = rain.accounts.filter(differs);
  for (let last: string | undefined = ''; last !== undefined && accounts.length < FAULTS_MAX;) {
    const compared: (AccountFault & { userId: string })[] = await compareUsers(database, rainId, last, page);
    last = compared.at(-1)?.userId;
    accounts.push(...compared.filter(differs).map(({ userId: _, ...fault }) => fault));
  }
  const { fundedCents, budgetCents, settled } = rain;
  return {
    accounts: accounts.slice(0, FAULTS_MAX),
    ...(fundedCents !== budgetCents && { funding: { budgetCents, fundedCents } }),
    keptCents: settled ? rain.accounts.reduce((sum, { balanceCents }) => sum + balanceCents, 0n) : 0n,
  };
}

const differs = ({ balanceCents, transfersCents }: AccountFault) => balanceCents !== transfersCents;

/** The accounts of a rain beside their transfers and its row, as of one moment. */
async function compareRain(database: Database, rainId: string) {
  const accountIds = rainAccounts((await findRainMoney(database, rainId)) ?? { rainId, rehearsal: false, accounts: 1 });
  const rows = await database.$queryRaw<
    (AccountFault & { fundedCents: Cents; budgetCents: Cents; settled: boolean })[]
  >`
    WITH moved AS (
      SELECT CASE "kind" WHEN 'fund' THEN "creditAccountId" ELSE "debitAccountId" END AS "id",
        sum(CASE "kind" WHEN 'fund' THEN "amountCents" ELSE -"amountCents" END) AS "cents", sum("amountCents") FILTER (WHERE "kind" = 'fund') AS "funded"
      FROM "Transfer" WHERE "rainId" = ${rainId} GROUP BY 1
    )
    SELECT "id" AS "accountId", coalesce(account."balanceCents", 0)::bigint AS "balanceCents", coalesce(moved."cents", 0)::bigint AS "transfersCents",
      coalesce(sum(moved."funded") OVER (), 0)::bigint AS "fundedCents",
      coalesce((SELECT "budgetCents" FROM "Rain" WHERE "id" = ${rainId}), 0)::bigint AS "budgetCents",
      EXISTS (SELECT FROM "Rain" WHERE "id" = ${rainId} AND "settledAt" IS NOT NULL) AS "settled"
    FROM unnest(${accountIds}::text[]) AS known ("id") FULL JOIN moved USING ("id") LEFT JOIN "Account" AS account USING ("id") ORDER BY "id"`;
  const { fundedCents, budgetCents, settled } = rows[0]!;
  return {
    accounts: rows.map(({ accountId, balanceCents, transfersCents }) => ({ accountId, balanceCents, transfersCents })),
    fundedCents,
    budgetCents,
    settled,
  };
}

/** One page of users: those whose accounts differ, and the last one of the page in any case. */
function compareUsers(
  database: Database,
  rainId: string,
  after: string,
  limit: number,
): Promise<(AccountFault & { userId: string })[]> {
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
