import type { Cents } from '../rain/money.ts';
import type { Terms } from '../rain/terms.ts';
import { userAccount } from './accounts.ts';
import { findCredits, type BookedCredit } from './book.ts';
import type { Database } from './database.ts';

/** One red packet that was credited to a user. */
interface StatementPacket {
  rainId: string;
  title: string;
  redPacketId: string;
  amountCents: Cents;
  /** Epoch ms, by the database's clock. */
  postedAt: number;
}

/** The last packet of a page. */
export type StatementCursor = Pick<StatementPacket, 'postedAt' | 'redPacketId'>;

/** `balanceCents` covers all credits, those on other pages included. */
interface StatementPage {
  balanceCents: Cents;
  packets: StatementPacket[];
}

type StatementRow = Omit<StatementPacket, 'rainId' | 'postedAt'> & {
  balanceCents: Cents;
  rainId: string | null;
  postedAt: Date;
};

/**
 * A user's balance and credits, newest first. One statement, so that a credit that is posted meanwhile is in both or in
 * neither.
 * @param after the last packet of the previous page
 */
export async function walletStatement(
  database: Database,
  userId: string,
  after: StatementCursor | undefined,
  limit: number,
): Promise<StatementPage> {
  const account = userAccount(userId);
  const [before, id] = after ? [new Date(after.postedAt), `credit:${after.redPacketId}`] : [null, ''];
  const rows = await database.$queryRaw<StatementRow[]>`
    SELECT coalesce(account."balanceCents", 0)::bigint AS "balanceCents", page.*
    FROM (SELECT 1) AS one
    LEFT JOIN "Account" AS account ON account."id" = ${account}
    LEFT JOIN LATERAL (
      SELECT transfer."rainId", rain."title", transfer."redPacketId", transfer."amountCents", transfer."postedAt"
      FROM "Transfer" AS transfer JOIN "Rain" AS rain ON rain."id" = transfer."rainId"
      WHERE transfer."creditAccountId" = ${account} AND transfer."kind" = 'credit'
        AND (${before}::timestamptz IS NULL OR (transfer."postedAt" <= ${before}::timestamptz AND (transfer."postedAt" < ${before}::timestamptz OR transfer."id" > ${id})))
      ORDER BY transfer."postedAt" DESC, transfer."id" ASC LIMIT ${limit}
    ) AS page ON true`;
  return {
    balanceCents: rows[0]!.balanceCents,
    // A user without credits has one row, with the balance only.
    packets: rows.flatMap(({ rainId, title, redPacketId, amountCents, postedAt }) =>
      rainId === null ? [] : [{ rainId, title, redPacketId, amountCents, postedAt: postedAt.getTime() }],
    ),
  };
}

/** This user's credits in these rains, by rain id: at most one in each. */
export async function creditsAmong(
  database: Database,
  userId: string,
  rainIds: readonly string[],
): Promise<Map<string, BookedCredit>> {
  if (rainIds.length === 0) return new Map();
  const rows = await database.transfer.findMany({
    where: { rainId: { in: [...rainIds] }, userId },
    select: { rainId: true, redPacketId: true, amountCents: true },
  });
  return new Map(
    rows.map(({ rainId, redPacketId, amountCents }) => [rainId, { redPacketId: redPacketId!, userId, amountCents }]),
  );
}

/** `givenCents`: what all winners got; only of a settled rain, to which no credit will be added. */
interface LuckiestCredits {
  credits: BookedCredit[];
  givenCents?: Cents;
}

/** The highest credits of a rain; of equal ones the earlier. `undefined`: no such rain, or none for everybody. */
export async function luckiest(
  database: Database,
  rainId: string,
  limit: number,
): Promise<LuckiestCredits | undefined> {
  // Read this first: when the ledger is closed here, the next query sees all credits.
  const rain = await database.rain.findUnique({ where: { id: rainId }, select: { settledAt: true, terms: true } });
  if (!rain || (rain.terms as Terms).invitedOnly) return undefined;
  const orderBy = [{ amountCents: 'desc' as const }, { postedAt: 'asc' as const }, { id: 'asc' as const }];
  const credits = await findCredits(database, { where: { rainId, kind: 'credit' }, orderBy, take: limit });
  return { credits, ...(rain.settledAt && { givenCents: await givenOf(database, rainId) }) };
}

/** The money put into a rain less the money returned: its few transfers without a user, and not one for each packet. */
async function givenOf(database: Database, rainId: string): Promise<Cents> {
  const rows = await database.transfer.groupBy({
    by: ['kind'],
    where: { rainId, userId: null },
    _sum: { amountCents: true },
  });
  const sumOf = (kind: 'fund' | 'recycle') => rows.find((row) => row.kind === kind)?._sum.amountCents ?? 0n;
  return sumOf('fund') - sumOf('recycle');
}
