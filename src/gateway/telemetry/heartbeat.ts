import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sendHeartbeat, removeHeartbeat } from '../../store/gatewayHeartbeat.ts';
import type { RedisClient } from '../../platform/redis/connect.ts';
import { VERSION } from '../../platform/process/version.ts';
import type { GatewayCounters } from './counters.ts';

/** A gateway that closes has more to do in its time. */
const GOODBYE_MS = 250;

interface HeartbeatRules {
  redis: RedisClient;
  address: string;
  counters: Pick<GatewayCounters, 'answers'>;
  sockets: () => number;
  grabsPending: () => number;
  pressed: () => boolean;
  /** Redis's clock, epoch ms. */
  now: () => number;
  everyMs?: number;
}

interface GatewayHeartbeat {
  /** Says goodbye if that is quickly done; otherwise it is missed a little later. Never rejects. */
  close(): Promise<void>;
}

/**
 * Tells the console, once a second, that this gateway is there and what it has counted. A word that is lost is followed by the
 * next; while Redis is away nobody is told anything, and one word waits at most.
 */
export function startHeartbeat({ redis, address, counters, sockets, grabsPending, pressed, now, everyMs = 1_000 }: HeartbeatRules): GatewayHeartbeat {
  const id = randomUUID();
  const startedAt = now();
  let telling: Promise<void> | undefined;
  const tell = () => {
    telling ??= sendHeartbeat(redis, { id, address, version: VERSION, startedAt, at: Math.round(now()), sockets: sockets(), grabsPending: grabsPending(), pressed: pressed(), answers: { ...counters.answers } })
      // Its faults are told by those who asked Redis for something that matters.
      .catch(() => {}).finally(() => { telling = undefined; });
  };
  tell();
  const timer = setInterval(tell, everyMs).unref();
  return {
    async close() {
      clearInterval(timer);
      const goodbye = async () => {
        await telling;
        await removeHeartbeat(redis, id);
      };
      await Promise.race([goodbye().catch(() => {}), sleep(GOODBYE_MS, undefined, { ref: false })]);
    },
  };
}
