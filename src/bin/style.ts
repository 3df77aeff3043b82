import Table from 'cli-table3';
import picocolors from 'picocolors';
import type { Output, Terminal } from './terminal.ts';

type Brush = (text: string) => string;
const { bold, dim, green, red, yellow, cyan } = picocolors.createColors(true);

/** Colours never carry information of their own. `print` and `notify` remove them where the output should have none. */
export const paint: Record<'good' | 'bad' | 'warning' | 'quiet' | 'strong' | 'name' | 'error', Brush> = {
  good: green,
  bad: (text) => bold(red(text)),
  warning: yellow,
  quiet: dim,
  strong: bold,
  name: cyan,
  error: red,
};

const STATES: Record<string, Brush> = {
  draft: paint.quiet,
  loaded: paint.name,
  open: paint.good,
  paused: paint.warning,
  closed: paint.strong,
  settled: paint.quiet,
  lost: paint.bad,
};

/** A rain's state, in the same colours as in the console. */
export const paintState: Brush = (state) => STATES[state]?.(state) ?? state;

/** No colours for a file, a pipe or NO_COLOR; FORCE_COLOR asks for colours where there is no terminal. */
export function wantsPaint(
  { environment: { NO_COLOR, FORCE_COLOR, TERM } }: Pick<Terminal, 'environment'>,
  stream: Output,
): boolean {
  if (NO_COLOR) return false;
  return Boolean(FORCE_COLOR && FORCE_COLOR !== '0') || (stream.isTTY === true && TERM !== 'dumb');
}

/**
 * Our own colours, and everything that a terminal would obey: who wrote it may be anybody. Lines break where we broke
 * them.
 */
const OBEYED = /(\x1b\[(?:[12]|22|3[1236]|39)m|\n)|[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** Text in which no character commands the terminal or turns its direction; such a character is shown as `\u001b`. */
export function harmless(text: string): string {
  return text.replace(
    OBEYED,
    (found, ours?: string) => ours ?? `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

export function withoutPaint(text: string): string {
  return text.replace(/\x1b\[\d+m/g, '');
}

const NO_LINES = Object.fromEntries(
  [
    'top',
    'top-mid',
    'top-left',
    'top-right',
    'bottom',
    'bottom-mid',
    'bottom-left',
    'bottom-right',
    'left',
    'left-mid',
    'mid',
    'mid-mid',
    'right',
    'right-mid',
  ].map((place) => [place, '']),
);

/** Rows under their headings, numbers right-aligned. It has no border lines, so that `cut` and `grep` work on it. */
export function table(headings: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const right = headings.map(
    (_, column) => rows.length > 0 && rows.every((row) => /^-?[\d.,]+$/.test(withoutPaint(String(row[column])))),
  );
  return draw(right, [
    headings.map((heading) => (heading === '' ? '' : paint.quiet(heading))),
    ...rows.map((row) => row.map(String)),
  ]);
}

export function facts(rows: readonly (readonly (string | number)[])[]): string {
  return draw(
    [false, false],
    rows.map(([name, value]) => [paint.quiet(String(name)), String(value)]),
  );
}

function draw(right: readonly boolean[], rows: string[][]): string {
  const lines = new Table({
    chars: { ...NO_LINES, middle: '  ' },
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
    colAligns: right.map((yes) => (yes ? 'right' : 'left')),
  });
  // A line break in a cell would look like another row.
  lines.push(...rows.map((row) => row.map((cell) => harmless(cell).replaceAll('\n', '\\n'))));
  return lines
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}
