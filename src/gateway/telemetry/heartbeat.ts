import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sendHeartbeat, removeHeartbeat } from '../../store/gatewayHeartbeat.ts';
import type { RedisClient } from '../../platform/redis/connect.ts';
import { VERSION } from '../../platform/process/version.ts';
import type { GatewayCounters } from './counters.ts';
import { HEARTBEAT_EVERY_MS, HEARTBEAT_REMOVAL_MS_MAX } from './limits.ts';

interface HeartbeatRules {
  redis: RedisClient;
  address: string;
  counters: Pick<GatewayCounters, 'answers'>;
  sockets: () => number;
  screens: () => number;
  grabsPending: () => number;
  pressed: () => boolean;
  /** Redis's clock, epoch ms. */
  now: () => number;
}

/**
 * Reports this gateway and its counters to the console. The next report replaces a lost one; without Redis at most one
 * waits.
 * @returns a function that removes it from the console's list if Redis answers quickly (otherwise the entry becomes
 * stale), and never rejects
 */
export function startHeartbeat({
  redis,
  address,
  counters,
  sockets,
  screens,
  grabsPending,
  pressed,
  now,
}: HeartbeatRules): () => Promise<void> {
  const id = randomUUID();
  const startedAt = now();
  let sending: Promise<void> | undefined;
  const report = () => {
    sending ??= sendHeartbeat(redis, {
      id,
      address,
      version: VERSION,
      startedAt,
      at: Math.round(now()),
      sockets: sockets(),
      screens: screens(),
      grabsPending: grabsPending(),
      pressed: pressed(),
      answers: { ...counters.answers },
    })
      // Redis faults are reported by the callers that need an answer.
      .catch(() => {})
      .finally(() => {
        sending = undefined;
      });
  };
  report();
  const timer = setInterval(report, HEARTBEAT_EVERY_MS).unref();
  return async () => {
    clearInterval(timer);
    const remove = async () => {
      await sending;
      await removeHeartbeat(redis, id);
    };
    await Promise.race([remove().catch(() => {}), sleep(HEARTBEAT_REMOVAL_MS_MAX, undefined, { ref: false })]);
  };
}
