import { confirmedEngine, confirmWins, createConfirmHeld, type ConfirmHeld } from '../../grab/confirm.ts';
import { BUSY, type ToldPacket } from '../../grab/engine.ts';
import type { Durability } from '../../platform/redis/durability.ts';
import type { Logger } from '../../platform/telemetry/log.ts';
import { connectRedis, parseRedisUrl, type RedisClient } from '../../platform/redis/connect.ts';
import type { Signer } from '../../store/signer.ts';
import type { Layer } from '../pipeline.ts';
import { WAITING_CONNECTIONS } from './limits.ts';
import { endMoves } from '../../store/endMoves.ts';
import { shardKeys } from '../../store/keys.ts';
import { saleKeys } from '../../store/saleKeys.ts';
import type { StoredRain } from '../../store/rains.ts';
import { startRestorer } from './restorer.ts';
import type { SentWin } from '../../grab/restore.ts';
import type { SentReservation } from '../../grab/restoreReservations.ts';
import { createReservationRestorer } from './reservations.ts';
import { RecentlyTold, RecentWins } from './recentWins.ts';
import { startSecondLook } from './secondLook.ts';

interface GatewayDurabilityOptions {
  redisUrl: string;
  /** The connection grabs go through. */
  redis: RedisClient;
  signer: Signer;
  durability: Durability;
  waitMs: number;
  /** See `SECOND_LOOK_MS`. */
  secondLookMs?: number | undefined;
  /** Redis's clock as estimated here, epoch ms. */
  now: () => number;
  /** The rains that are known here. */
  rains: () => Iterable<Pick<StoredRain, 'rainId' | 'shards' | 'state'>>;
  log: Logger;
  onFault: (error: unknown) => void;
}

const confirmAll: ConfirmHeld = (_key, userIds) => Promise.resolve(userIds.map(() => true));

export type GatewayDurability = ReturnType<typeof openGatewayDurability>;

/** Keeps every reported win true: none is reported too early [R4], and each is written again when Redis has lost it. */
export function openGatewayDurability({
  redisUrl,
  redis,
  signer,
  durability,
  waitMs,
  secondLookMs,
  now,
  rains,
  log,
  onFault,
}: GatewayDurabilityOptions) {
  const recentWins = new RecentWins();
  // With the user: a number that Redis has lost may be drawn again, and both buyers were told of it.
  const recentReservations = new RecentlyTold<SentReservation>(
    ({ reservationId, userId }) => `${reservationId} ${userId}`,
  );
  const restoreReservations = createReservationRestorer(redis, signer, log);
  /** Before wins are put back: their packets must lie in the shard in which they were won. */
  const endConcernedMoves = async (concerns: (key: string) => boolean) => {
    const won = new Set([...recentWins].map(({ rainId }) => rainId));
    await Promise.all(
      [...rains()].map(async ({ rainId, shards, state }) => {
        if (
          state === 'settled' ||
          !won.has(rainId) ||
          !Array.from({ length: shards }, (_, shard) => shardKeys(rainId, shard).state).some(concerns)
        )
          return;
        await endMoves(redis, rainId, shards);
      }),
    );
  };
  const restorer = startRestorer({
    redis,
    signer,
    recentWins,
    log,
    first: endConcernedMoves,
    also: (concerns) => restoreReservations(recentReservations.where(({ saleId }) => concerns(saleKeys(saleId).state))),
  });
  const secondLooks = {
    wins: startSecondLook<SentWin>({ restore: restorer.restore, onFault, ms: secondLookMs }),
    reservations: startSecondLook<SentReservation>({ restore: restoreReservations, onFault, ms: secondLookMs }),
  };
  const isCluster = parseRedisUrl(redisUrl)?.kind === 'cluster';
  if (isCluster) for (const change of ['-node', '+node']) redis.on(change, () => restorer.recheck());
  const replicas = durability.mode === 'replicas' ? durability.replicas : 0;
  /** Its own connections; the owner awaits and ends them. */
  const connections = Array.from({ length: replicas > 0 ? WAITING_CONNECTIONS : 0 }, () =>
    connectRedis(redisUrl, { purpose: 'once', onError: onFault }),
  );
  const confirmHeld = replicas > 0 ? createConfirmHeld({ connections, replicas, waitMs, onFault }) : confirmAll;
  const confirm = confirmWins(confirmHeld);
  /** Answers "busy" while reported wins are written back, so that nobody else gets their packets. */
  const busyWhileRestoring: Layer = (inner) => ({
    grab: (rainId, shard, userIds, move) =>
      restorer.looking(shardKeys(rainId, shard).state)
        ? Promise.resolve(userIds.map(() => BUSY))
        : inner.grab(rainId, shard, userIds, move),
  });
  /** Holds a win back until the replicas have it; with DURABILITY=local it changes nothing. */
  const confirmedByReplicas: Layer = (inner) => (replicas > 0 ? confirmedEngine(inner, confirm) : inner);
  return {
    connections,
    /** For a win that was read elsewhere. */
    confirm,
    /** The same for whatever else users are told of, such as reservations. */
    confirmHeld,
    /** True while what was reported of the shard or sale with this key is written back. */
    restoring: (key: string) => restorer.looking(key),
    busyWhileRestoring,
    confirmedByReplicas,
    /** To be called when a script call has failed: in a Redis Cluster a failover may be the reason. */
    onEngineFault: () => {
      if (isCluster) restorer.recheck();
    },
    /** To be called when Redis may have lost wins although its connections were never lost. */
    doubt: () => restorer.doubt(),
    /**
     * To be called with every win before it is reported, and its shard: the rain cache may have dropped the rain
     * meanwhile.
     * @returns the win to report: the same, or the first one that this user was told of in this rain
     */
    remember(rainId: string, shard: number, userId: string, win: ToldPacket): ToldPacket {
      const { redPacketId, amount } = win;
      const sent: SentWin = { rainId, shard, userId, redPacketId, amount, at: now(), decided: win.code === '0' };
      const first = recentWins.add(sent);
      if (first === sent && sent.decided) secondLooks.wins.add(sent);
      return first.redPacketId === redPacketId
        ? win
        : { code: '1', redPacketId: first.redPacketId, amount: first.amount };
    },
    /** Whether this gateway has told the user of a win in this rain, as far as it remembers. */
    hasTold: (rainId: string, userId: string): boolean => recentWins.has(rainId, userId),
    /** To be called with every reservation whose order is not written yet, before it is reported. */
    rememberReservation(reservation: SentReservation): void {
      if (recentReservations.add(reservation) === reservation) secondLooks.reservations.add(reservation);
    },
    /**
     * To be called when a rain or sale has closed: a last look at all that its users were told, however late it was
     * taken out of Redis, while it can still be put back.
     */
    closed(id: { rainId: string } | { saleId: string }): void {
      const looking =
        'rainId' in id
          ? restorer.restore(recentWins.where(({ rainId, decided }) => rainId === id.rainId && decided === true))
          : restoreReservations(recentReservations.where(({ saleId }) => saleId === id.saleId));
      looking.catch(onFault);
    },
    /** To be called when a settled rain is seen. */
    settled: (rainId: string) => restorer.settled(rainId),
    /** To be called when Redis has lost a rain, or shards of it, perhaps while nobody's line was cut. */
    lost({
      rainId,
      state,
      opensAt,
      closesAt,
      lostShards,
    }: Pick<StoredRain, 'rainId' | 'state' | 'opensAt' | 'closesAt' | 'lostShards'>): void {
      const isOpen = now() >= opensAt && now() < closesAt;
      log[isOpen ? 'error' : 'warn'](
        { rainId, state, ...(lostShards && { lostShards }) },
        'Redis has lost a rain that is not settled, or shards of it; its users hear "busy" until it is restored, and wins of it that this gateway has told in the last minutes are written down',
      );
      restorer.doubt();
    },
    close() {
      secondLooks.wins.close();
      secondLooks.reservations.close();
      restorer.close();
    },
  };
}
