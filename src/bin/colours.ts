import picocolors from 'picocolors';
import type { Output, Terminal } from './terminal.ts';

type Brush = (text: string) => string;
const { bold, dim, green, red, yellow, cyan } = picocolors.createColors(true);

/** Colours say again what the words say, never more: `print` and `tell` take them off where nobody wants them. */
export const paint: Record<'good' | 'bad' | 'warning' | 'quiet' | 'strong' | 'name' | 'complaint', Brush> = {
  good: green, bad: (text) => bold(red(text)), warning: yellow, quiet: dim, strong: bold, name: cyan,
  /** The word before a refusal. */
  complaint: red,
};

const STATES: Record<string, Brush> = {
  draft: paint.quiet, loaded: paint.name, open: paint.good, paused: paint.warning, closed: paint.strong, settled: paint.quiet,
};

/** A rain's state, each in the colour that the console has for it. */
export const paintState: Brush = (state) => STATES[state]?.(state) ?? state;

/** A file, a pipe or NO_COLOR gets the words alone; FORCE_COLOR asks for colours where no terminal is. */
export function wantsPaint({ environment: { NO_COLOR, FORCE_COLOR, TERM } }: Pick<Terminal, 'environment'>, stream: Output): boolean {
  if (NO_COLOR) return false;
  return Boolean(FORCE_COLOR && FORCE_COLOR !== '0') || (stream.isTTY === true && TERM !== 'dumb');
}

export function withoutPaint(text: string): string {
  return text.replace(/\x1b\[\d+m/g, '');
}
