import picocolors from 'picocolors';
import { readEnvironment } from '../runtime/config.ts';

/**
 * Colours say again what the words say, never more: a file, a pipe or NO_COLOR gets the words alone. FORCE_COLOR asks for them
 * where no terminal is.
 */
function wanted(stream: NodeJS.WriteStream): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = readEnvironment();
  if (NO_COLOR) return false;
  return Boolean(FORCE_COLOR && FORCE_COLOR !== '0') || (stream.isTTY && TERM !== 'dumb');
}

type Brush = (text: string) => string;
const { bold, dim, green, red, yellow, cyan } = picocolors.createColors(wanted(process.stdout));

/** What the answer on stdout is painted with. */
export const paint: Record<'good' | 'bad' | 'warning' | 'quiet' | 'strong' | 'name', Brush> = {
  good: green, bad: (text) => bold(red(text)), warning: yellow, quiet: dim, strong: bold, name: cyan,
};

const STATES: Record<string, Brush> = {
  draft: paint.quiet, loaded: paint.name, open: paint.good, paused: paint.warning, closed: paint.strong, settled: paint.quiet,
};

/** A rain's state, each in the colour that the console has for it. */
export const paintState: Brush = (state) => STATES[state]?.(state) ?? state;

/** The word before a refusal on stderr. */
export const paintComplaint: Brush = picocolors.createColors(wanted(process.stderr)).red;
