import { mayEnter } from '../rain/audience.ts';
import type { Terms } from '../rain/terms.ts';
import type { ThemeMediaType } from '../rain/theme/files.ts';
import { THEMES_MAX, type Greeting, type PrizeBlessing, type ThemeColours, type ThemeFileKind } from '../rain/theme.ts';
import { record, recordChange } from './actions.ts';
import type { Database, Transaction } from './database.ts';

/** A file without its bytes, and how many they are. */
interface BookedThemeFile {
  type: ThemeMediaType;
  sha256: string;
  bytes: number;
}

export interface BookedTheme {
  id: string;
  title: string;
  colours: ThemeColours;
  /** At most one theme is. */
  isDefault: boolean;
  files: { [K in ThemeFileKind]?: BookedThemeFile };
  /** Epoch ms, also of its files. */
  changedAt: number;
}

type NewTheme = Pick<BookedTheme, 'id' | 'title' | 'colours'> & { isDefault?: boolean | undefined };

/** All of them, by title. The lengths of files are read without the files. */
export async function themes(database: Database): Promise<BookedTheme[]> {
  const rows = await database.$queryRaw<(Omit<BookedTheme, 'changedAt'> & { changedAt: Date })[]>`
    SELECT "id", "title", "colours", "isDefault", "changedAt", coalesce((
      SELECT jsonb_object_agg("kind", jsonb_build_object('type', "type", 'sha256', "sha256", 'bytes', octet_length("bytes"))) FROM "ThemeFile" WHERE "themeId" = "Theme"."id"
    ), '{}') AS "files" FROM "Theme" ORDER BY "title", "id"`;
  return rows.map(({ changedAt, ...plain }) => ({ ...plain, changedAt: changedAt.getTime() }));
}

/**
 * Makes or changes a theme; its files stay. Changes wait for one another, so that neither the number nor the default
 * one is wrong.
 * @returns false: there are as many as there may be
 */
export async function setTheme(
  database: Database,
  { id, title, colours, isDefault }: NewTheme,
  actor: string,
): Promise<boolean> {
  return database.$transaction(async (transaction) => {
    await transaction.$executeRaw`LOCK TABLE "Theme" IN SHARE ROW EXCLUSIVE MODE`;
    const others = await transaction.theme.count({ where: { id: { not: id } } });
    if (others >= THEMES_MAX) return false;
    if (isDefault)
      await transaction.theme.updateMany({ where: { isDefault: true, id: { not: id } }, data: { isDefault: false } });
    const changes = { title, colours, ...(isDefault !== undefined && { isDefault }), changedAt: new Date() };
    await transaction.theme.upsert({
      where: { id },
      create: { id, ...changes },
      update: changes,
      select: { id: true },
    });
    await record(transaction, {
      actor,
      verb: 'theme_set',
      details: { theme: id, title, colours, ...(isDefault !== undefined && { isDefault }) },
    });
    return true;
  });
}

/** With its files; greetings that name it have no theme then. @returns whether it was there */
export async function removeTheme(database: Database, id: string, actor: string): Promise<boolean> {
  return recordChange(database, actor, 'theme_remove', { theme: id }, (transaction) =>
    transaction.theme.deleteMany({ where: { id } }),
  );
}

/** @returns false: there is no such theme */
export async function setThemeFile(
  database: Database,
  theme: string,
  kind: ThemeFileKind,
  { bytes, ...told }: Omit<BookedThemeFile, 'bytes'> & { bytes: Uint8Array<ArrayBuffer> },
  actor: string,
): Promise<boolean> {
  return recordChange(
    database,
    actor,
    'theme_file',
    { theme, kind, ...told, bytes: bytes.length },
    async (transaction) => {
      const touched = await touch(transaction, theme);
      if (touched.count > 0)
        await transaction.themeFile.upsert({
          where: { themeId_kind: { themeId: theme, kind } },
          create: { themeId: theme, kind, bytes, ...told },
          update: { bytes, ...told },
          select: { kind: true },
        });
      return touched;
    },
  );
}

/** @returns whether it was there */
export async function removeThemeFile(
  database: Database,
  theme: string,
  kind: ThemeFileKind,
  actor: string,
): Promise<boolean> {
  return recordChange(database, actor, 'theme_file_remove', { theme, kind }, async (transaction) => {
    await touch(transaction, theme);
    return transaction.themeFile.deleteMany({ where: { themeId: theme, kind } });
  });
}

/** Also the lock that two changes of one theme wait for. */
function touch(transaction: Transaction, id: string): Promise<{ count: number }> {
  return transaction.theme.updateMany({ where: { id }, data: { changedAt: new Date() } });
}

export async function themeFile(database: Database, sha256: string): Promise<Uint8Array | undefined> {
  const row = await database.themeFile.findFirst({ where: { sha256 }, select: { bytes: true } });
  return row?.bytes;
}

/** @returns `undefined`: there is no such rain */
export async function greeting(database: Database, rainId: string): Promise<Greeting | undefined> {
  return (await readGreeting(database, rainId))?.greeting;
}

/**
 * The greeting that anybody may read.
 * @returns `undefined`: there is no such rain, or it is by invitation, which must look the same
 */
export async function publicGreeting(database: Database, rainId: string): Promise<Greeting | undefined> {
  const found = await readGreeting(database, rainId);
  return found && mayEnter(undefined, 'rains', rainId, found.terms) ? found.greeting : undefined;
}

/**
 * One statement whether there is such a rain or not: a second one would take time, and so tell strangers of a rain by
 * invitation.
 */
async function readGreeting(
  database: Database,
  rainId: string,
): Promise<{ greeting: Greeting; terms: Terms } | undefined> {
  const [row] = await database.$queryRaw<
    {
      terms: Terms;
      sender: string | null;
      blessing: string | null;
      prizes: PrizeBlessing[] | null;
      themeId: string | null;
    }[]
  >`
    SELECT "terms", "sender", "blessing", "prizes", "themeId" FROM "Rain" LEFT JOIN "Greeting" ON "rainId" = "id" WHERE "id" = ${rainId}`;
  if (!row) return undefined;
  const { terms, sender, blessing, prizes, themeId } = row;
  return {
    terms,
    greeting: {
      ...(sender !== null && { sender }),
      ...(blessing !== null && { blessing }),
      ...(prizes?.length && { prizes }),
      ...(themeId !== null && { theme: themeId }),
    },
  };
}

/** Replaces what was there. */
export async function setGreeting(
  database: Database,
  rainId: string,
  requested: Greeting,
  actor: string,
): Promise<void> {
  await database.$transaction((transaction) => writeGreeting(transaction, rainId, requested, actor));
}

/** A theme that somebody removes at this moment is none, as if it were removed afterwards. */
export async function writeGreeting(
  transaction: Transaction,
  rainId: string,
  requested: Greeting,
  actor: string,
): Promise<void> {
  const { sender = null, blessing = null, prizes = [], theme = null } = requested;
  const [known] = await transaction.$queryRaw<
    { id: string }[]
  >`SELECT "id" FROM "Theme" WHERE "id" = ${theme} FOR KEY SHARE`;
  const data = {
    sender,
    blessing,
    prizes: prizes.map((prize) => ({ ...prize })),
    themeId: known?.id ?? null,
    changedAt: new Date(),
  };
  await transaction.greeting.upsert({
    where: { rainId },
    create: { rainId, ...data },
    update: data,
    select: { rainId: true },
  });
  await record(transaction, { actor, verb: 'greeting', rainId, details: { ...requested } });
}
