import { z } from 'zod';
import { iso } from '../rain/figures.ts';
import { refuse, type Refused } from './context.ts';

/** Limits of a rain's window. A value beyond them is probably a mix-up of seconds and milliseconds. */
const AHEAD_MS_MAX = 366 * 86_400_000;
const DURATION_MS_MAX = 7 * 86_400_000;

const MOMENT = 'expected epoch milliseconds';
/** Epoch ms. Values beyond the range of Date are refused, since they cannot be formatted. */
export const moment = z.int(MOMENT).min(0, MOMENT).max(8_640_000_000_000_000, MOMENT);

const weekAtMost = (what: 'rain' | 'sale') => `a ${what} lasts a week at most`;
const DURATION = 'expected milliseconds, above zero';
/** How long a rain lasts, ms, where nobody says yet when it starts. */
export const rainDuration = z.int(DURATION).min(1, DURATION).max(DURATION_MS_MAX, weekAtMost('rain'));

/**
 * Why a rain or a sale cannot be planned for this window.
 * @param known it was planned before, so that it may be over by now
 */
export function checkWindow(
  { opensAt, closesAt }: { opensAt: number; closesAt: number },
  now: number,
  known = false,
  what: 'rain' | 'sale' = 'rain',
): Refused | undefined {
  if (closesAt <= opensAt) return refuse('closesAt', `${iso(closesAt)} is not after the start at ${iso(opensAt)}`);
  // The end follows from the start and the duration: what was typed too early is the start.
  if (closesAt <= now && !known)
    return refuse('opensAt', `${iso(opensAt)} has passed already, and so has the end, ${iso(closesAt)}`);
  if (opensAt - now > AHEAD_MS_MAX) return refuse('opensAt', `${iso(opensAt)} is more than a year ahead`);
  if (closesAt - opensAt > DURATION_MS_MAX) return refuse('closesAt', weekAtMost(what));
  return undefined;
}
