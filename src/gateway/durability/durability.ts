import { confirmedEngine, createConfirm, type Confirm } from '../../grab/confirm.ts';
import { BUSY, createGrabEngine, type GrabEngine } from '../../grab/engine.ts';
import type { Durability } from '../../platform/redis/durability.ts';
import type { Logger } from '../../platform/telemetry/log.ts';
import { connectRedis, parseRedisUrl, type RedisClient } from '../../platform/redis/connect.ts';
import { startRestorer } from './restorer.ts';
import { RecentWins } from './recentWins.ts';

interface GatewayDurabilityOptions {
  redisUrl: string;
  /** The connection grabs go through. */
  redis: RedisClient;
  durability: Durability;
  waitMs: number;
  /** Redis's clock as estimated here, epoch ms. */
  now: () => number;
  log: Logger;
  onFault: (error: unknown) => void;
}

/** Keeps what users are told true: nothing is told too early [R4], and what was told is put back should Redis lose it. */
export interface GatewayDurability {
  /** Decides about grabs; its wins may be told. */
  engine: GrabEngine;
  /** For a win that was read elsewhere. */
  confirm: Confirm;
  /** Called with every win that is told, and the shard that it is from: the board may have lost sight of the rain meanwhile. */
  remember(rainId: string, shard: number, userId: string, win: { redPacketId: string; amount: string }): void;
  /** Its own, for the owner to await and to end. */
  connections: readonly RedisClient[];
  close(): void;
}

/** WAIT blocks its connection; four that take turns cost hardly anything. */
const WAITING_CONNECTIONS = 4;

const confirmAll: Confirm = (_rainId, _shard, wins) => Promise.resolve(wins.map(() => true));

export function openGatewayDurability({ redisUrl, redis, durability, waitMs, now, log, onFault }: GatewayDurabilityOptions): GatewayDurability {
  const recentWins = new RecentWins();
  const restorer = startRestorer({ redis, recentWins, log });
  const isCluster = parseRedisUrl(redisUrl)?.kind === 'cluster';
  const engine = createGrabEngine(redis, (error) => {
    if (isCluster) restorer.doubt();
    onFault(error);
  });
  if (isCluster) for (const change of ['-node', '+node']) redis.on(change, () => restorer.doubt());
  const replicas = durability.mode === 'replicas' ? durability.replicas : 0;
  const connections = Array.from({ length: replicas > 0 ? WAITING_CONNECTIONS : 0 }, () => connectRedis(redisUrl, { purpose: 'once', onError: onFault }));
  const confirm = replicas > 0 ? createConfirm({ connections, replicas, waitMs, onFault }) : confirmAll;
  const deciding = replicas > 0 ? confirmedEngine(engine, confirm) : engine;
  return {
    engine: {
      // Until what was told is back in its place, nobody takes it away through this door.
      grab: (rainId, shard, userIds) => (restorer.looking ? Promise.resolve(userIds.map(() => BUSY)) : deciding.grab(rainId, shard, userIds)),
    },
    confirm,
    remember: (rainId, shard, userId, { redPacketId, amount }) => recentWins.add({ rainId, shard, userId, redPacketId, amount, at: now() }),
    connections,
    close: () => restorer.close(),
  };
}
