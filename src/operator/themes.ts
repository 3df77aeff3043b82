import { createHash } from 'node:crypto';
import type { Ledger } from '../ledger/ledger.ts';
import type { BookedTheme } from '../ledger/themes.ts';
import { iso } from '../rain/figures.ts';
import { refusalsOf } from '../rain/refusal.ts';
import { requestedGreeting, themeColours, themeId, themeTitle } from '../rain/theme/check.ts';
import { checkSound, THEME_FILE_LIMITS, themeFilePath } from '../rain/theme/files.ts';
import { THEMES_MAX, type Greeting, type ThemeFileKind } from '../rain/theme.ts';
import { z } from 'zod';
import { refuse, type OperatorContext, type Refused } from './context.ts';
import { rewrittenPicture } from './picture.ts';
import { unknownReason } from './restore/presence.ts';

/** A theme as the operator sees it; `changedAt` is ISO. */
interface ShownTheme extends Pick<BookedTheme, 'id' | 'title' | 'colours' | 'isDefault'> {
  files: { [K in ThemeFileKind]?: { url: string; type: string; bytes: number } };
  changedAt: string;
}

type Themes = Pick<OperatorContext, 'ledger' | 'actor'>;
type Changed = { ok: true; theme: ShownTheme } | Refused;

const requestedTheme = z.strictObject({
  id: themeId,
  title: themeTitle,
  colours: themeColours.default({}),
  isDefault: z.boolean('expected true or false').optional(),
});

export async function listThemes({ ledger }: Pick<Themes, 'ledger'>): Promise<{ themes: ShownTheme[] }> {
  return { themes: (await ledger.themes()).map(shown) };
}

/** Makes or changes a theme. Safe to repeat. */
export async function setTheme(context: Themes, requested: z.input<typeof requestedTheme>): Promise<Changed> {
  const parsed = requestedTheme.safeParse(requested);
  if (!parsed.success) return { ok: false, refusals: refusalsOf(parsed.error, 'theme') };
  if (!(await context.ledger.setTheme(parsed.data, context.actor)))
    return refuse('id', `there are ${THEMES_MAX} themes, which is the most; remove one first`);
  return found(context, parsed.data.id);
}

/** Removes a theme with its files. Rains that have it have the default one then. */
export async function removeTheme(
  { ledger, actor }: Themes,
  id: string,
): Promise<{ ok: true; removed: true } | Refused> {
  return (await ledger.removeTheme(id, actor)) ? { ok: true, removed: true } : unknown(id);
}

/** Safe to repeat. */
export async function setThemeFile(context: Themes, id: string, kind: ThemeFileKind, file: Buffer): Promise<Changed> {
  const limits = THEME_FILE_LIMITS[kind];
  const checked =
    limits.is === 'sound' ? checkSound(kind, file, limits.bytesMax) : await rewrittenPicture(kind, file, limits);
  if (!checked.ok) return checked;
  const { type, bytes } = checked;
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return (await context.ledger.setThemeFile(id, kind, { type, sha256, bytes }, context.actor))
    ? found(context, id)
    : unknown(id);
}

/** Safe to repeat. */
export async function removeThemeFile(context: Themes, id: string, kind: ThemeFileKind): Promise<Changed> {
  await context.ledger.removeThemeFile(id, kind, context.actor);
  return found(context, id);
}

/** Sets the host's words with a rain, and its theme: all of it is replaced, at any time. Safe to repeat. */
export async function setGreeting(
  context: OperatorContext,
  rainId: string,
  requested: unknown,
): Promise<{ ok: true; greeting: Greeting } | Refused> {
  const parsed = requestedGreeting.safeParse(requested);
  if (!parsed.success) return { ok: false, refusals: refusalsOf(parsed.error, 'greeting') };
  const noTheme = await themeRefusal(context, parsed.data.theme, 'theme');
  if (noTheme) return noTheme;
  if (!(await context.ledger.greeting(rainId))) return refuse('id', await unknownReason(context, rainId));
  await context.ledger.setGreeting(rainId, parsed.data, context.actor);
  return { ok: true, greeting: parsed.data };
}

/** @returns why a rain cannot have this theme; `undefined`: it can, or has none */
export async function themeRefusal(
  { ledger }: { ledger: Pick<Ledger, 'themes'> },
  id: string | undefined,
  field: string,
): Promise<Refused | undefined> {
  return id === undefined || (await ledger.themes()).some((theme) => theme.id === id) ? undefined : unknown(id, field);
}

async function found({ ledger }: Themes, id: string): Promise<Changed> {
  const theme = (await ledger.themes()).find((one) => one.id === id);
  return theme ? { ok: true, theme: shown(theme) } : unknown(id);
}

function unknown(id: string, field = 'theme'): Refused {
  return refuse(field, `there is no theme ${id}`);
}

function shown({ files, changedAt, ...plain }: BookedTheme): ShownTheme {
  const urls = Object.entries(files).map(([kind, { type, sha256, bytes }]) => [
    kind,
    { url: `/${themeFilePath(sha256, type)}`, type, bytes },
  ]);
  return { ...plain, files: Object.fromEntries(urls) as ShownTheme['files'], changedAt: iso(changedAt) };
}
