import { InvalidArgumentError } from 'commander';
import { momentWritten } from '../platform/calendarTime.ts';

const UNIT_MS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `90s`, `5m`, `1.5h`, `500ms`, `2d` → milliseconds. */
export function parseDuration(text: string): number {
  const match = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h|d)$/.exec(text);
  if (!match) throw new InvalidArgumentError('expected a duration such as 500ms, 60s, 5m, 2h or 1d');
  return Math.round(Number(match[1]) * UNIT_MS[match[2]!]!);
}

/** Milliseconds → `90s`, `5m`: what `parseDuration` reads, in the largest unit that has no fraction. */
export function durationTyped(ms: number): string {
  const [unit, unitMs] = Object.entries(UNIT_MS).findLast(([, each]) => ms % each === 0 && ms >= each) ?? ['s', 1_000];
  return `${ms / unitMs}${unit}`;
}

/** `now`, `+30s` (from now) or a date with time and zone, `2026-12-31T20:00:00+08:00` → a function of now, epoch ms. */
export function parseMoment(text: string): (now: number) => number {
  if (text === 'now') return (now) => now;
  if (text.startsWith('+')) {
    const ahead = parseDuration(text.slice(1));
    return (now) => now + ahead;
  }
  const time = parseTime(text);
  if (Number.isNaN(time))
    throw new InvalidArgumentError('expected +30s, +5m … or a time with its zone such as 2026-12-31T20:00:00+08:00');
  return () => time;
}

/** `30m`, `2h`, `7d` (ago) or a date with time and zone → a function of now, epoch ms. */
export function parsePast(text: string): (now: number) => number {
  const time = parseTime(text);
  if (!Number.isNaN(time)) return () => time;
  if (!/^[\d.]+[a-z]+$/.test(text))
    throw new InvalidArgumentError(
      'expected 30m, 2h, 7d … before now, or a time with its zone such as 2026-12-31T20:00:00+08:00',
    );
  const ago = parseDuration(text);
  return (now) => now - ago;
}

function parseTime(text: string): number {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/.test(text) ? momentWritten(text) : NaN;
}

/** `0.05` or `5%` → a share from 0 to 1. */
export function parseShare(text: string): number {
  const match = /^(\d{1,3}(?:\.\d{1,6})?)(%?)$/.exec(text);
  const share = match ? Number(match[1]) / (match[2] === '%' ? 100 : 1) : NaN;
  if (!(share >= 0 && share <= 1)) throw new InvalidArgumentError('expected a share such as 0.05 or 5%');
  return share;
}

export function parseCount(min: number, max: number): (text: string) => number {
  return (text) => {
    const count = /^\d{1,9}$/.test(text) ? Number(text) : NaN;
    if (!(count >= min && count <= max))
      throw new InvalidArgumentError(`expected a whole number from ${min} to ${max}`);
    return count;
  };
}

/**
 * An amount gets its cents, as in the console's form: `600` is `600.00`, and `19.9` is `19.90`. Other text stays
 * unchanged, and the command that takes it reports what it expected.
 */
export function typedAmount(text: string): string {
  if (/^(0|[1-9]\d*)$/.test(text)) return `${text}.00`;
  return /^(0|[1-9]\d*)\.\d$/.test(text) ? `${text}0` : text;
}

/** The fault in the address of dead letters: one of them, or all that an option names. */
export function letterOrAll(letter: string | undefined, option: string, all: string | undefined): string | undefined {
  if ((letter === undefined) !== (all === undefined)) return undefined;
  return `letter: expected a letter or ${option}${letter === undefined ? '' : ', not both'}`;
}
