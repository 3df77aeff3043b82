import { parseMoney } from './money.ts';
import type { Refusal } from './refusal.ts';

/** How pages look and sound for a rain. Pages import this file, so it needs nothing of Node. */
export const THEME_FILE_KINDS = ['logo', 'sponsor', 'packet', 'background', 'music'] as const;
export type ThemeFileKind = (typeof THEME_FILE_KINDS)[number];

export const THEME_COLOUR_NAMES = ['background', 'packet', 'accent'] as const;
export type ThemeColourName = (typeof THEME_COLOUR_NAMES)[number];
/** `#rrggbb`. An absent colour has the default look. */
export type ThemeColours = { [N in ThemeColourName]?: string };

export const THEME_TITLE_CHARACTERS_MAX = 60;
export const SENDER_CHARACTERS_MAX = 40;
export const BLESSING_CHARACTERS_MAX = 120;
/** Themes in the ledger; each may hold some megabytes [R10]. */
export const THEMES_MAX = 100;

export const PRIZES_MAX = 8;

/**
 * The greeting of large wins: those of at least `from`, a decimal string such as "88.00". A type, since only
 * those are JSON to Prisma.
 */
export type PrizeBlessing = { from: string; blessing: string };

/** The host's words with one rain, and the theme that it has instead of the default one. */
export interface Greeting {
  sender?: string;
  blessing?: string;
  /** In place of the blessing. No two are for one amount. */
  prizes?: PrizeBlessing[];
  /** The id of a theme. */
  theme?: string;
}

/** The look of a rain on a page. The addresses of files are relative to the page. */
export interface ShownTheme extends Pick<Greeting, 'sender' | 'blessing' | 'prizes'> {
  theme?: { id: string; colours: ThemeColours; files: { [K in ThemeFileKind]?: string } };
}

/**
 * The blessing of a win: that of the highest prize which it reaches, or else that of all.
 * @param amount a decimal string
 */
export function blessingOf(
  { blessing, prizes = [] }: Pick<Greeting, 'blessing' | 'prizes'>,
  amount: string,
): string | undefined {
  const cents = parseMoney(amount) ?? 0n;
  const centsOf = ({ from }: PrizeBlessing) => parseMoney(from) ?? cents + 1n;
  const reached = prizes.filter((prize) => centsOf(prize) <= cents).sort((a, b) => (centsOf(a) < centsOf(b) ? 1 : -1));
  return reached[0]?.blessing ?? blessing;
}

/** The colours of pages where a theme has none: the text on them, and the texts that the contrast is measured with. */
export const DEFAULT_COLOURS = {
  background: '#8f121c',
  packet: '#c4192a',
  accent: '#f6c667',
} as const satisfies Record<ThemeColourName, string>;
export const PAGE_TEXT = '#ffe9bd';
export const BUTTON_TEXT = '#5c0a11';
/** WCAG 2.2, 1.4.3, for text of usual size. */
const CONTRAST_MIN = 4.5;

/** Text must be readable on these colours, also beside the default ones. @param colours each is `#rrggbb` */
export function checkContrast(colours: ThemeColours): Refusal[] {
  const { background = DEFAULT_COLOURS.background, accent = DEFAULT_COLOURS.accent } = colours;
  const pairs = [
    {
      field: 'colours.background',
      own: colours.background,
      what: `the page's text ${PAGE_TEXT} on it`,
      one: PAGE_TEXT,
      other: background,
    },
    {
      field: colours.accent === undefined ? 'colours.background' : 'colours.accent',
      own: colours.accent ?? colours.background,
      what: `the accent ${accent} on the background ${background}`,
      one: accent,
      other: background,
    },
    {
      field: 'colours.accent',
      own: colours.accent,
      what: `the text ${BUTTON_TEXT} of buttons on it`,
      one: BUTTON_TEXT,
      other: accent,
    },
  ];
  return pairs.flatMap(({ field, own, what, one, other }) => {
    const ratio = contrastOf(one, other);
    // All text on the background is light, and the text of buttons is dark.
    const advice = `choose a ${field === 'colours.accent' ? 'lighter' : 'darker'} colour`;
    return own === undefined || ratio >= CONTRAST_MIN
      ? []
      : [
          {
            field,
            reason: `${what} has a contrast of ${(Math.floor(ratio * 100) / 100).toFixed(2)}, expected at least ${CONTRAST_MIN}: ${advice}`,
          },
        ];
  });
}

/** Contrast ratio of WCAG, 1 to 21. */
function contrastOf(one: string, other: string): number {
  const [lighter, darker] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => b - a) as [number, number];
  return (lighter + 0.05) / (darker + 0.05);
}

/** Relative luminance of WCAG, 0 to 1. */
function luminanceOf(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
