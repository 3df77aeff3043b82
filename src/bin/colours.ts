import picocolors from 'picocolors';
import type { Output, Terminal } from './terminal.ts';

type Brush = (text: string) => string;
const { bold, dim, green, red, yellow, cyan } = picocolors.createColors(true);

/** Colours never carry information of their own. `print` and `notify` remove them where the output should have none. */
export const paint: Record<'good' | 'bad' | 'warning' | 'quiet' | 'strong' | 'name' | 'error', Brush> = {
  good: green, bad: (text) => bold(red(text)), warning: yellow, quiet: dim, strong: bold, name: cyan,
  error: red,
};

const STATES: Record<string, Brush> = {
  draft: paint.quiet, loaded: paint.name, open: paint.good, paused: paint.warning, closed: paint.strong, settled: paint.quiet,
};

/** A rain's state, in the same colours as in the console. */
export const paintState: Brush = (state) => STATES[state]?.(state) ?? state;

/** No colours for a file, a pipe or NO_COLOR; FORCE_COLOR asks for colours where there is no terminal. */
export function wantsPaint({ environment: { NO_COLOR, FORCE_COLOR, TERM } }: Pick<Terminal, 'environment'>, stream: Output): boolean {
  if (NO_COLOR) return false;
  return Boolean(FORCE_COLOR && FORCE_COLOR !== '0') || (stream.isTTY === true && TERM !== 'dumb');
}

export function withoutPaint(text: string): string {
  return text.replace(/\x1b\[\d+m/g, '');
}
