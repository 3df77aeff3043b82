import { BUSY } from '../../grab/engine.ts';
import { readEpoch } from '../../store/epoch.ts';
import { startLoop } from '../../platform/concurrency/loop.ts';
import type { RedisClient } from '../../platform/redis/connect.ts';
import type { Logger } from '../../platform/telemetry/log.ts';
import type { Layer } from '../pipeline.ts';
import { POLL_MS } from '../rains/limits.ts';
import { GATE_POLL_MS } from './limits.ts';

interface EpochGateOptions {
  redis: RedisClient;
  log: Logger;
  onFault: (error: unknown) => void;
  /** Called when Redis has turned into an earlier state of itself, or has lost its epoch. */
  onOlder: () => void;
}

/**
 * A gateway that has just started remembers no win, so it cannot tell whether Redis has lost any. If Redis was
 * restarted since a worker last compared it with the ledger, it may have been restored from a backup: until the
 * comparison every grab is answered "busy". A gateway that was there before does so only if the counter goes back, and
 * restores what it told.
 */
export function createEpochGate({ redis, log, onFault, onOlder }: EpochGateOptions) {
  let shut = false;
  let counter: number | undefined;

  async function read(first: boolean): Promise<void> {
    const epoch = await readEpoch(redis);
    const wasShut = shut;
    const older = counter !== undefined && (epoch.counter ?? -1) < counter;
    // No epoch: no worker has used this Redis, so nothing of it is in a ledger. No run id: restarts cannot be seen.
    shut =
      (first || shut || older) &&
      epoch.storeId !== undefined &&
      epoch.runId !== undefined &&
      epoch.runId !== epoch.comparedRunId;
    if (shut && !wasShut)
      log.warn(
        'Redis was restarted, and no worker has compared it with the database since: grabs are answered "busy" until a worker runs',
      );
    if (!shut && wasShut) log.info('a worker has compared Redis with the database; grabs are decided');
    if (older) onOlder();
    counter = epoch.counter;
  }

  // After a reconnect the server may be another one.
  const onReady = () => {
    if (rounds) void read(false).catch(onFault);
  };
  redis.on('ready', onReady);
  let rounds: ReturnType<typeof startLoop> | undefined;
  const busyUntilCompared: Layer = (inner) => ({
    grab: (rainId, shard, userIds, move) =>
      shut ? Promise.resolve(userIds.map(() => BUSY)) : inner.grab(rainId, shard, userIds, move),
  });
  return {
    busyUntilCompared,
    /** True: nothing is decided until a worker has compared the stores. */
    get shut() {
      return shut;
    },
    /** For `/readyz`. @throws while grabs wait for the comparison */
    async ask(): Promise<void> {
      if (shut) throw new Error('waits until a worker has compared Redis with the database');
    },
    /** @throws when Redis cannot be read */
    async start(): Promise<void> {
      await read(true);
      let first = true;
      rounds = startLoop(async () => {
        if (!first) await read(false).catch(onFault);
        first = false;
        return shut ? GATE_POLL_MS : POLL_MS;
      });
    },
    close(): void {
      redis.off('ready', onReady);
      // Without waiting for a read that is under way: it changes nothing.
      void rounds?.close();
    },
  };
}
