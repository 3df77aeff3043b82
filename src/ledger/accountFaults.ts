import type { Cents } from '../rain/money.ts';
import { rainAccount, sumOfBalances } from './accounts.ts';
import type { Database } from './database.ts';
import { isRehearsal } from './rains.ts';

/** An account whose balance is not the sum of its transfers; an account that is gone has 0. */
interface AccountFault {
  accountId: string;
  balanceCents: Cents;
  transfersCents: Cents;
}

/** `sumCents`: of all balances of the ledger; anything but 0 is a fault. */
export interface AccountFaults {
  accounts: AccountFault[];
  sumCents: Cents;
}

const FAULTS_MAX = 100;
/** Winners per statement: each is one look-up of all their credits. */
const PAGE = 10_000;

/**
 * Compares the account of a rain and those of its credited users with their transfers, and sums all balances. The database keeps balances
 * by itself, so a difference means that somebody has changed the ledger. Each statement sees a credit in both places or in neither.
 * @returns the first 100 accounts at most
 */
export async function accountFaults(database: Database, rainId: string, page = PAGE): Promise<AccountFaults> {
  const accounts = await faultOfRain(database, rainId);
  for (let last: string | undefined = ''; last !== undefined && accounts.length < FAULTS_MAX;) {
    const compared: (AccountFault & { userId: string })[] = await compareUsers(database, rainId, last, page);
    last = compared.at(-1)?.userId;
    accounts.push(...compared.filter(differs).map(({ userId: _, ...fault }) => fault));
  }
  return { accounts: accounts.slice(0, FAULTS_MAX), sumCents: await sumOfBalances(database) };
}

const differs = ({ balanceCents, transfersCents }: AccountFault) => balanceCents !== transfersCents;

async function faultOfRain(database: Database, rainId: string): Promise<AccountFault[]> {
  const accountId = rainAccount(rainId, await isRehearsal(database, rainId));
  const found = await database.$queryRaw<AccountFault[]>`
    SELECT ${accountId} AS "accountId", coalesce((SELECT "balanceCents" FROM "Account" WHERE "id" = ${accountId}), 0)::bigint AS "balanceCents",
      coalesce(sum(CASE "kind" WHEN 'fund' THEN "amountCents" ELSE -"amountCents" END), 0)::bigint AS "transfersCents"
    FROM "Transfer" WHERE "rainId" = ${rainId}`;
  return found.filter(differs);
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
