import type { Ledger } from '../../ledger/ledger.ts';
import type { BookedTheme } from '../../ledger/themes.ts';
import { themeFilePath, type ThemeMediaType } from '../../rain/theme/files.ts';
import type { Greeting, ShownTheme } from '../../rain/theme.ts';
import { itemPicturePath } from '../../sale/picture.ts';
import { ITEMS_MAX } from '../../sale/purchase.ts';
import { createSharedReads, sharedFor } from '../../wallet/cache.ts';

/**
 * How long one read of the ledger serves all callers, ms: the themes, what is said with a rain, and a rain that does
 * not exist.
 */
const FRESH_MS = 1_000;
const UNKNOWN_MS = 10_000;
/** The bytes of a file never change. Whether any theme still has it is asked again within `FRESH_MS`. */
const FILE_MS = 600_000;
/** Limits: rains remembered, concurrent reads, and rains that wait for a read [R10]. */
const GREETINGS = { rememberedMax: 1_000, atOnceMax: 2, waitingMax: 200 } as const;
/** Files in memory, each of at most 4 MiB [R10]. */
const FILES = { rememberedMax: 16, atOnceMax: 2, waitingMax: 100 } as const;
/** As many as a sale has items, each of at most 256 KiB [R10]. */
const PICTURES = { rememberedMax: ITEMS_MAX, atOnceMax: 2, waitingMax: 100 } as const;

export interface ThemeFileRead {
  type: ThemeMediaType;
  bytes: Uint8Array;
}

/** The themes that players see, and anybody may read. Everything rejects when the ledger cannot be read. */
export interface ThemeReader {
  /** The host's words with this rain. `undefined`: there is no such rain, or none for everybody. */
  greeting: (rainId: string) => Promise<Greeting | undefined>;
  /**
   * The same for a user who may see the rain, also by invitation. Kept apart: what invited users read must not change
   * how soon others are answered.
   */
  invitedGreeting: (rainId: string) => Promise<Greeting | undefined>;
  /** The greeting with its theme, or with the default one. */
  show: (greeting: Greeting | undefined) => Promise<ShownTheme>;
  /** @param path behind the origin. `undefined`: no theme has this file, and it is no picture of an item */
  file: (path: string) => Promise<ThemeFileRead | undefined>;
}

/** One read serves all who ask within a second: a crowd opens its pages at the same moment. */
export function createThemeReader(
  ledger: Pick<Ledger, 'themes' | 'themeFile' | 'itemPictures' | 'itemPicture' | 'publicGreeting' | 'greeting'>,
  now?: () => number,
): ThemeReader {
  const themes = sharedFor(FRESH_MS, ledger.themes);
  const pictures = sharedFor(FRESH_MS, ledger.itemPictures);
  const greetings = (read: (rainId: string) => Promise<Greeting | undefined>) =>
    createSharedReads({
      ...GREETINGS,
      what: 'greetings',
      now,
      read,
      freshMs: (found) => (found ? FRESH_MS : UNKNOWN_MS),
    });
  const filesRead = (what: string, limits: typeof FILES | typeof PICTURES, read: Ledger['themeFile']) =>
    createSharedReads({ ...limits, what, now, read, freshMs: (bytes) => (bytes ? FILE_MS : FRESH_MS) });
  const bytesOf = filesRead('files of themes', FILES, ledger.themeFile);
  const pictureOf = filesRead('pictures of items', PICTURES, ledger.itemPicture);
  return {
    greeting: greetings(ledger.publicGreeting),
    invitedGreeting: greetings(ledger.greeting),
    async show({ theme: named, ...said } = {}) {
      const known = await themes();
      const theme = known.find(({ id }) => id === named) ?? known.find(({ isDefault }) => isDefault);
      return { ...said, ...(theme && { theme: shown(theme) }) };
    },
    async file(path) {
      const hash = /\/([0-9a-f]{64})\.webp$/.exec(path)?.[1];
      if (hash !== undefined && path === itemPicturePath(hash)) {
        const picture = (await pictures()).has(hash) ? await pictureOf(hash) : undefined;
        return picture && { type: 'image/webp', bytes: picture };
      }
      const found = (await themes())
        .flatMap(({ files }) => Object.values(files))
        .find(({ sha256, type }) => themeFilePath(sha256, type) === path);
      const bytes = found && (await bytesOf(found.sha256));
      return bytes && { type: found.type, bytes };
    },
  };
}

function shown({ id, colours, files }: BookedTheme): NonNullable<ShownTheme['theme']> {
  return {
    id,
    colours,
    files: Object.fromEntries(
      Object.entries(files).map(([kind, { sha256, type }]) => [kind, themeFilePath(sha256, type)]),
    ),
  };
}
