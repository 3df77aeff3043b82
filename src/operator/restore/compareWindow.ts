import type { BookedRain } from '../../ledger/rains.ts';
import { iso } from '../../rain/figures.ts';
import { isSame, recordedWindows, type Opening } from '../audit/windows.ts';
import type { OperatorContext } from '../context.ts';
import { checkWindow, moment } from '../window.ts';
import type { Difference } from './difference.ts';
import type { ShardPresence } from './presence.ts';

/**
 * Whether Redis opens and closes the rain when the ledger says. A time that the ledger had recorded before is an older
 * state of Redis; one that it never had is of after the backup of the ledger, or was written by somebody else.
 */
export async function compareWindow(
  { ledger }: Pick<OperatorContext, 'ledger'>,
  rain: BookedRain,
  shards: readonly ShardPresence[],
): Promise<Difference | undefined> {
  const differing = shards.find(({ window }) => !isSame(window, rain));
  if (!differing) return undefined;
  const recorded = recordedWindows(rain, await ledger.actions(rain.id));
  const isKnown = shards.every(({ window }) => recorded.some((known) => isSame(known, window)));
  // Nobody can win in it any more, and what was won was won in time.
  if (isKnown && shards.every(({ state }) => state === 'closed')) return undefined;
  const sentence = `Redis has the rain open ${describeWindow(differing.window)}, the ledger ${describeWindow(rain)}`;
  return isKnown
    ? { kind: 'window_not_in_redis', sentence: `${sentence}: it was moved, and Redis is older` }
    : {
        kind: 'window_not_in_book',
        sentence: `${sentence}, and has no record of the former: it is older, or somebody has changed Redis`,
      };
}

/** The window that all shards have, if it is one. */
export function commonWindow(shards: readonly ShardPresence[], now: number): Opening | undefined {
  const window = shards[0]?.window;
  if (!window || !shards.every((shard) => isSame(shard.window, window))) return undefined;
  return moment.safeParse(window.opensAt).success &&
    moment.safeParse(window.closesAt).success &&
    !checkWindow(window, now, true)
    ? window
    : undefined;
}

export function describeWindow({ opensAt, closesAt }: Opening): string {
  return `from ${describeMoment(opensAt)} to ${describeMoment(closesAt)}`;
}

function describeMoment(at: number): string {
  return moment.safeParse(at).success ? iso(at) : 'no time at all';
}
