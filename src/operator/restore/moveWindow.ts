import type { BookedRain } from '../../ledger/rains.ts';
import { iso } from '../../rain/figures.ts';
import { redisNow } from '../../store/rains.ts';
import { reschedule } from '../../store/transitions.ts';
import { commonWindow, describeWindow } from './compareWindow.ts';
import type { RestoreContext } from './context.ts';
import { pauseShards } from './pauseShards.ts';
import { readPresence } from './presence.ts';

/** Moves the rain in Redis to the time of the ledger. @returns what was done, one sentence each */
export async function moveInRedis(context: RestoreContext, rain: BookedRain, dryRun: boolean): Promise<string[]> {
  if (dryRun) return [`move it to the time of the ledger, ${describeWindow(rain)}`];
  if ((await reschedule(context.redis, rain.id, rain.shards, rain)) === 'moved')
    return [`moved it to the time of the ledger, ${describeWindow(rain)}`];
  await pauseShards(context, rain.id, rain.shards, dryRun);
  return [
    'paused it: Redis has opened it at its former time',
    `it cannot be moved before its start at ${iso(rain.opensAt)}: repeat this command then, and go on with rain resume ${rain.id}`,
  ];
}

/**
 * Books the time that Redis has: only an operator knows whether the rain was moved since the backup, or Redis was
 * changed.
 */
export async function moveInLedger(context: RestoreContext, rain: BookedRain, dryRun: boolean): Promise<string[]> {
  const window = commonWindow(
    (await readPresence(context, rain.id, rain.shards)).shards,
    await redisNow(context.redis),
  );
  if (!window) return [];
  if (dryRun) return [`book the time of Redis, ${describeWindow(window)}`];
  return (await context.ledger.reschedule(rain.id, window, { actor: context.actor, verb: 'schedule' }, rain))
    ? [`booked the time of Redis, ${describeWindow(window)}`]
    : [];
}
