import { record, recordChange, type ActionVerb } from './actions.ts';
import type { Database } from './database.ts';
import { Prisma, type Participant } from './generated/client.ts';

/** A person on the list. Times are epoch ms. */
export interface BookedParticipant extends Pick<Participant, 'number' | 'name' | 'userId' | 'codeSalt' | 'codeKey'> {
  department?: string;
  addedAt: number;
  /** When the code was used first. */
  enteredAt?: number;
}

/** As an import brings them. */
type NewParticipant = Pick<BookedParticipant, 'number' | 'name' | 'department' | 'userId' | 'codeSalt' | 'codeKey'>;

const ON_LIST = { removedAt: null } as const;

/** Prisma does not take the meaning of `%` and `_` from a text that is searched for. */
const literally = (text: string): string => text.replaceAll(/[\\%_]/g, String.raw`\$&`);

/**
 * Adds these people. For people on the list name and department are changed, also the user id until its first use; the
 * code stays. People who had been removed come back with another code, and under another name as somebody else.
 * @returns how many were added, those who had been removed included, and how many changed
 */
export async function importParticipants(
  database: Database,
  list: readonly NewParticipant[],
  actor: string,
): Promise<{ added: number; changed: number }> {
  const rows = JSON.stringify(list);
  return database.$transaction(async (transaction) => {
    const before = await transaction.$queryRaw<
      { number: string; userId: string }[]
    >`SELECT "number", "userId" FROM "Participant" WHERE "number" = ANY (${list.map(({ number }) => number)}::text[]) AND "removedAt" IS NULL FOR UPDATE`;
    const done = await transaction.$queryRaw<{ added: boolean }[]>`
      WITH given AS (SELECT * FROM jsonb_to_recordset(${rows}::jsonb) AS one("number" text, "name" text, "department" text, "userId" text, "codeSalt" integer, "codeKey" text)),
        gone AS (SELECT "number" FROM "Participant" JOIN given USING ("number") WHERE "removedAt" IS NOT NULL)
      INSERT INTO "Participant" AS known ("number", "name", "department", "userId", "codeSalt", "codeKey") SELECT "number", "name", "department", "userId", "codeSalt", "codeKey" FROM given
      ON CONFLICT ("number") DO UPDATE SET "name" = excluded."name", "department" = excluded."department", "removedAt" = NULL,
        "userId" = CASE WHEN known."enteredAt" IS NOT NULL AND (known."removedAt" IS NULL OR known."name" = excluded."name") THEN known."userId" ELSE excluded."userId" END,
        "enteredAt" = CASE WHEN known."removedAt" IS NULL OR known."name" = excluded."name" THEN known."enteredAt" END,
        "codeSalt" = CASE WHEN known."removedAt" IS NULL THEN known."codeSalt" ELSE excluded."codeSalt" END, "codeKey" = CASE WHEN known."removedAt" IS NULL THEN known."codeKey" ELSE excluded."codeKey" END,
        "addedAt" = CASE WHEN known."removedAt" IS NULL THEN known."addedAt" ELSE CURRENT_TIMESTAMP END
      WHERE (known."name", known."department", known."removedAt") IS DISTINCT FROM (excluded."name", excluded."department", NULL)
      RETURNING xmax = 0 OR "number" IN (SELECT "number" FROM gone) AS "added"`;
    // The same person under a corrected name: who is excluded stays so.
    await transaction.$executeRaw`
      INSERT INTO "CampaignExclusion" ("campaignId", "userId", "source")
      SELECT named."campaignId", known."userId", named."source" FROM jsonb_to_recordset(${JSON.stringify(before)}::jsonb) AS one("number" text, "userId" text)
      JOIN "Participant" AS known ON known."number" = one."number" AND known."userId" <> one."userId"
      JOIN "CampaignExclusion" AS named ON named."userId" = one."userId"
      ON CONFLICT DO NOTHING`;
    const added = done.filter((one) => one.added).length;
    const counts = { added, changed: done.length - added };
    if (done.length > 0) await record(transaction, { actor, verb: 'participants_import', details: counts });
    return counts;
  });
}

/** The people on the list, by number. @param search a part of number, name or department, in any case */
export async function participants(
  database: Database,
  { search, skip = 0, limit }: { search?: string | undefined; skip?: number; limit: number },
): Promise<BookedParticipant[]> {
  const contains = search ? { contains: literally(search), mode: Prisma.QueryMode.insensitive } : undefined;
  const rows = await database.participant.findMany({
    where: {
      ...ON_LIST,
      ...(contains && { OR: [{ number: contains }, { name: contains }, { department: contains }] }),
    },
    orderBy: { number: 'asc' },
    skip,
    take: limit,
  });
  return rows.map(toBooked);
}

/** How many are on the list, and how many of them have used their codes. */
export async function countParticipants(database: Database): Promise<{ total: number; entered: number }> {
  const [total, entered] = await Promise.all([
    database.participant.count({ where: ON_LIST }),
    database.participant.count({ where: { ...ON_LIST, enteredAt: { not: null } } }),
  ]);
  return { total, entered };
}

/** Everybody with what their codes are derived from; recorded first. */
export async function participantsForCards(
  database: Database,
  limit: number,
  actor: string,
): Promise<BookedParticipant[]> {
  await record(database, { actor, verb: 'participants_cards' });
  return participants(database, { limit });
}

/** Whether anybody is or was on the list. */
export async function hasParticipants(database: Database): Promise<boolean> {
  return (await database.participant.findFirst({ select: { number: true } })) !== null;
}

/** The entries of these users who are on the list, or were, as the list has them now; by user id. */
export async function participantsAmong(
  database: Database,
  userIds: readonly string[],
): Promise<Map<string, BookedParticipant>> {
  const rows = await database.participant.findMany({ where: { userId: { in: [...userIds] } } });
  return new Map(rows.map((row) => [row.userId, toBooked(row)]));
}

export async function participant(database: Database, number: string): Promise<BookedParticipant | undefined> {
  const row = await database.participant.findFirst({ where: { number, ...ON_LIST } });
  return row ? toBooked(row) : undefined;
}

/** @param before its code. @returns false: the participant is not on the list, or has another code meanwhile */
export async function renewParticipantCode(
  database: Database,
  before: Pick<BookedParticipant, 'number' | 'userId' | 'codeKey'>,
  { codeSalt, codeKey }: Pick<BookedParticipant, 'codeSalt' | 'codeKey'>,
  actor: string,
): Promise<boolean> {
  const { number, userId } = before;
  return recordChange(database, actor, 'participants_renew', { userId }, (transaction) =>
    transaction.participant.updateMany({
      where: { number, codeKey: before.codeKey, ...ON_LIST },
      data: { codeSalt, codeKey },
    }),
  );
}

/**
 * Each is recorded by the user id, which an erasure replaces there, too.
 * @returns how many of these were on the list
 */
export async function removeParticipants(
  database: Database,
  numbers: readonly string[],
  actor: string,
): Promise<number> {
  return database.$transaction(async (transaction) => {
    const removed = await transaction.participant.updateManyAndReturn({
      where: { number: { in: [...numbers] }, ...ON_LIST },
      data: { removedAt: new Date() },
      select: { userId: true },
    });
    await transaction.operatorAction.createMany({
      data: removed.map(({ userId }) => ({
        actor,
        verb: 'participants_remove' satisfies ActionVerb,
        details: { userId },
      })),
    });
    return removed.length;
  });
}

/** @returns how many were on the list */
export async function removeAllParticipants(database: Database, actor: string): Promise<number> {
  return database.$transaction(async (transaction) => {
    const { count: removed } = await transaction.participant.updateMany({
      where: ON_LIST,
      data: { removedAt: new Date() },
    });
    if (removed > 0) await record(transaction, { actor, verb: 'participants_remove', details: { removed } });
    return removed;
  });
}

/** Finds the owner of this code, and writes down the first use. @param codeKeys of the code under each key */
export async function enterByCode(
  database: Database,
  codeKeys: readonly string[],
): Promise<Pick<BookedParticipant, 'userId' | 'name'> | undefined> {
  const where = { codeKey: { in: [...codeKeys] }, ...ON_LIST };
  const read = () => database.participant.findFirst({ where, select: { userId: true, name: true, enteredAt: true } });
  let known = await read();
  if (known && !known.enteredAt) {
    // An import of this moment may give another user id: what is told is what is there after the first use.
    await database.participant.updateMany({ where: { ...where, enteredAt: null }, data: { enteredAt: new Date() } });
    known = await read();
  }
  return known ? { userId: known.userId, name: known.name } : undefined;
}

function toBooked({
  number,
  name,
  department,
  userId,
  codeSalt,
  codeKey,
  addedAt,
  enteredAt,
}: Participant): BookedParticipant {
  return {
    number,
    name,
    userId,
    codeSalt,
    codeKey,
    addedAt: addedAt.getTime(),
    ...(department !== null && { department }),
    ...(enteredAt && { enteredAt: enteredAt.getTime() }),
  };
}
