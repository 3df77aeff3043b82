import { z } from 'zod';
import type { actions } from '../../ledger/actions.ts';
import type { BookedRain } from '../../ledger/rains.ts';

/** When a rain opens and closes, epoch ms. */
export type Opening = Pick<BookedRain, 'opensAt' | 'closesAt'>;

/** Clocks of a master and its replica may differ by so much, and so may the time of a restored win, ms. */
export const CLOCK_TOLERANCE_MS = 60_000;

const moment = z.iso.datetime().transform((text) => Date.parse(text));
const recorded = z.object({ opensAt: moment, closesAt: moment });

/**
 * The present window and those that were recorded before: a failover may undo a reschedule, and one that is cut reaches
 * Redis late.
 */
export function recordedWindows({ opensAt, closesAt }: Opening, done: Awaited<ReturnType<typeof actions>>): Opening[] {
  return [
    { opensAt, closesAt },
    ...done.flatMap(({ details }) => {
      const { success, data } = recorded.safeParse(details);
      return success ? [data] : [];
    }),
  ];
}

export function isWithin(at: number, windows: readonly Opening[]): boolean {
  return windows.some(
    ({ opensAt, closesAt }) => at >= opensAt - CLOCK_TOLERANCE_MS && at <= closesAt + CLOCK_TOLERANCE_MS,
  );
}

export function isOpenAt({ opensAt, closesAt }: Opening, now: number): boolean {
  return now >= opensAt && now < closesAt;
}

export function isSame(one: Opening, other: Opening): boolean {
  return one.opensAt === other.opensAt && one.closesAt === other.closesAt;
}
