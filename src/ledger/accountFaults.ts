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
 * Winners per statement, which has to end within its timeout: each is one look-up of their credits since the last audit
 * that has kept a sum, of other rains, too.
 */
const PAGE = 200;
/** Credits since then that make it worth to keep another sum. */
const KEPT_AFTER = 100;

/**
 * Compares the accounts of a rain and those of its credited users with their transfers. The database keeps balances by
 * itself, so a difference means that somebody has changed the ledger. Each statement sees a credit in both places or in
 * neither.
 *
 * A user's credits before a kept sum are not read again. A changed one that left the balance as it was is found where
 * its own rain is audited, or by `settledFaults`.
 * @returns the first 100 accounts at most
 */
export async function accountFaults(
  database: Database,
  rainId: string,
  page = PAGE,
  keptAfter = KEPT_AFTER,
): Promise<AccountFaults> {
  const rain = await compareRain(database, rainId);
  const accounts = rain.accounts.filter(differs);
  for (let last: string | undefined = ''; last !== undefined && accounts.length < FAULTS_MAX;) {
    const compared: ComparedUser[] = await compareUsers(database, rainId, last, page, keptAfter);
    last = compared.at(-1)?.userId;
    const many = compared.filter(({ newer }) => newer >= keptAfter);
    if (many.length > 0) await database.$queryRaw`SELECT FROM keep_audited(${idsOf(many)}::text[])`;
    // A kept sum may lack a credit that was posted late: only a sum of all of them is a finding.
    const doubtful = compared.filter(differs);
    if (doubtful.length > 0) accounts.push(...(await compareWhole(database, idsOf(doubtful))).filter(differs));
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

type ComparedUser = AccountFault & { userId: string; newer: number };

const idsOf = (accounts: readonly AccountFault[]): string[] => accounts.map(({ accountId }) => accountId);

/** One page of users: those whose accounts differ or have many new credits, and the last one of the page in any case. */
function compareUsers(
  database: Database,
  rainId: string,
  after: string,
  limit: number,
  keptAfter: number,
): Promise<ComparedUser[]> {
  return database.$queryRaw`
    WITH page AS (
      SELECT "userId", "creditAccountId" AS "accountId" FROM "Transfer" WHERE "rainId" = ${rainId} AND "userId" > ${after} ORDER BY "userId" LIMIT ${limit}
    ), compared AS (
      SELECT page."userId", "accountId", coalesce(account."balanceCents", 0) AS "balanceCents",
        coalesce(kept."cents", 0) + since."cents" AS "transfersCents", since."newer"
      FROM page LEFT JOIN "Account" AS account ON account."id" = "accountId"
      LEFT JOIN audited_accounts(ARRAY(SELECT "accountId" FROM page)) AS kept USING ("accountId")
      CROSS JOIN LATERAL (
        SELECT coalesce(sum("amountCents"), 0)::bigint AS "cents", count(*)::int AS "newer" FROM "Transfer"
        WHERE "creditAccountId" = page."accountId" AND "postedAt" > coalesce(kept."until", '-infinity')
      ) AS since
    )
    SELECT * FROM compared WHERE "balanceCents" <> "transfersCents" OR "newer" >= ${keptAfter} OR "userId" = (SELECT max("userId") FROM page) ORDER BY "userId"`;
}

/** These accounts beside all of their credits. */
function compareWhole(database: Database, accountIds: readonly string[]): Promise<AccountFault[]> {
  return database.$queryRaw`
    SELECT "accountId", coalesce(account."balanceCents", 0) AS "balanceCents",
      (SELECT sum("amountCents") FROM "Transfer" WHERE "creditAccountId" = "accountId")::bigint AS "transfersCents"
    FROM unnest(${[...accountIds]}::text[]) WITH ORDINALITY AS known ("accountId", "place") LEFT JOIN "Account" AS account ON account."id" = "accountId"
    ORDER BY "place"`;
}
