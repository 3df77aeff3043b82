import type { Job } from 'bullmq';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDeadQueue } from '../../src/credit/queue.ts';
import type { DeadLetter } from '../../src/credit/deadLetter.ts';
import type { GatewayOptions } from '../../src/gateway/options.ts';
import type { Gateway } from '../../src/gateway/server.ts';
import { QUEUE_PREFIX, shardKeys } from '../../src/store/keys.ts';
import { redisNow } from '../../src/store/rains.ts';
import { openLedger } from '../../src/ledger/ledger.ts';
import type { Database } from '../../src/ledger/database.ts';
import { readCredits } from '../../src/operator/audit/booked.ts';
import { createRain } from '../../src/operator/create.ts';
import type { OperatorContext } from '../../src/operator/context.ts';
import { loadRain } from '../../src/operator/load.ts';
import { parseClaim, type Claim } from '../../src/rain/claim.ts';
import { formatMoney } from '../../src/rain/money.ts';
import type { Durability } from '../../src/platform/redis/durability.ts';
import { createLog, type Logger } from '../../src/platform/telemetry/log.ts';
import { connectRedis, untilReady, type RedisClient } from '../../src/platform/redis/connect.ts';
import { eventually } from '../support/eventually.ts';
import { openGateway } from '../support/servers/gateway.ts';
import { connect } from '../support/rain.ts';
import { startSentinel, type TestSentinel } from '../support/servers/sentinel.ts';
import { openWorker } from '../support/servers/worker.ts';
import { startUserGroup, type UserGroup } from './users/userGroup.ts';
import { signer } from '../support/signer.ts';

/**
 * The replication link drops everything for 300 ms during the rain. Then the master is killed, and Sentinel promotes
 * the replica: the wins of these 300 ms are lost in Redis. Everything here is real, only small.
 */
export const BLIND_MS = 300;
/** Minimum of users that must receive a win meanwhile. On a busy machine 300 ms may pass without one. */
const TOLD_BLIND_MIN = 3;
export const PACKETS = 150;

/** User and packet as one text. */
export const nameOf = ({ userId, redPacketId }: Pick<Claim, 'userId' | 'redPacketId'>): string =>
  `${userId} ${redPacketId}`;

/** All wins that users received: `nameOf` → amount. */
export function toldBy(users: UserGroup): Map<string, string> {
  return new Map(
    [...users.received.values()].flatMap(({ userId, wins }) =>
      wins.map(({ redPacketId, amount }) => [nameOf({ userId, redPacketId }), amount] as const),
    ),
  );
}

function claimsOf(entries: readonly string[]): Claim[] {
  return entries.map((entry) => {
    const parsed = parseClaim(entry);
    if (!parsed.ok) throw new Error(parsed.reason);
    return parsed.claim;
  });
}

/** A Sentinel group and everything that a test opens on it. */
export class FailoverStage {
  readonly group: TestSentinel;
  readonly context: OperatorContext & { redis: RedisClient };
  /** The gateways' log entries about restored wins. */
  readonly putBack: { putBack: number; contested: number }[] = [];
  readonly #databaseUrl: string;
  readonly #closers: (() => Promise<unknown>)[] = [];

  private constructor(group: TestSentinel, redis: RedisClient, database: Database, databaseUrl: string) {
    this.group = group;
    this.context = { redis, ledger: openLedger(database), signer, actor: 'test' };
    this.#databaseUrl = databaseUrl;
  }

  static async open(database: Database, databaseUrl: string): Promise<FailoverStage> {
    // The replica is in sync now, and stays so until the link is broken.
    const group = await startSentinel();
    return new FailoverStage(group, await connect(group.url), database, databaseUrl);
  }

  onClose(close: () => Promise<unknown>): void {
    this.#closers.push(close);
  }

  async close(): Promise<void> {
    for (const close of this.#closers.splice(0).reverse()) await close();
    this.context.redis.disconnect();
    await this.group.stop();
  }

  async openRain(rainId: string): Promise<void> {
    const now = await redisNow(this.context.redis);
    const created = await createRain(this.context, {
      id: rainId,
      plan: { budget: '300.00', packets: PACKETS },
      opensAt: now,
      closesAt: now + 600_000,
    });
    if (!created.ok) throw new Error(JSON.stringify(created.refusals));
    await loadRain(this.context, rainId);
  }

  async openGateway(durability: Durability, options: Pick<Partial<GatewayOptions>, 'redisUrl'> = {}): Promise<Gateway> {
    const log = createLog('gateway', 'silent');
    log.warn = ((facts: { putBack?: number; contested?: number }) => {
      if (facts.putBack !== undefined) this.putBack.push({ putBack: facts.putBack, contested: facts.contested! });
    }) as Logger['warn'];
    const { redisUrl = this.group.url } = options;
    const gateway = await openGateway(redisUrl, { durability, durabilityWaitMs: 200, log });
    this.onClose(() => gateway.close());
    return gateway;
  }

  async startWorker(durability: Durability): Promise<void> {
    const worker = await openWorker(
      { redisUrl: this.group.url, databaseUrl: this.#databaseUrl },
      { durability, durabilityWaitMs: 200, settling: { settleAfterReconnectMs: 3_000 } },
    );
    this.onClose(() => worker.close());
  }

  startUsers(rainId: string, doors: readonly Gateway[], users = 200): UserGroup {
    const started = startUserGroup({
      rainId,
      users,
      everyMs: 2_400 / users,
      gatewayUrl: (user) => doors[user % doors.length]!.url,
    });
    this.onClose(() => started.stop());
    return started;
  }

  /**
   * Waits for some wins, breaks the link, then kills the master. The users come in three groups: before, while the link
   * is broken, and after. So however slow the machine is, packets are left for each group. @returns the old master's
   * claim log at its death
   */
  async lose(
    rainId: string,
    users: UserGroup,
    { whileBlind = () => sleep(BLIND_MS), wins = 30 }: { whileBlind?: () => Promise<unknown>; wins?: number } = {},
  ): Promise<Claim[]> {
    users.admit(wins + 20);
    await eventually(() => users.wins() > wins, { timeoutMs: 20_000 });
    const witness = connectRedis(this.group.master.url, { purpose: 'once', onError: () => {} });
    await untilReady(witness);
    this.group.link.blackhole();
    users.admit(wins + 45);
    await whileBlind();
    const claims = claimsOf(await witness.lrange(shardKeys(rainId, 0).claims, 0, -1));
    witness.disconnect();
    await this.group.failOver();
    await eventually(() => this.context.redis.ping(), { timeoutMs: 20_000 });
    users.admit(users.size);
    return claims;
  }

  async logNow(rainId: string): Promise<Claim[]> {
    return claimsOf(await this.context.redis.lrange(shardKeys(rainId, 0).claims, 0, -1));
  }

  /** The credits of the ledger: `nameOf` → amount. */
  async credited(rainId: string): Promise<Map<string, string>> {
    return new Map(
      [...(await readCredits(this.context, rainId))].map(([redPacketId, { userId, cents }]) => [
        nameOf({ userId, redPacketId }),
        formatMoney(cents),
      ]),
    );
  }

  async letters(rainId: string): Promise<DeadLetter[]> {
    const connection = connectRedis(this.group.url, { purpose: 'queue', onError: () => {} });
    const queue = createDeadQueue({ connection, prefix: QUEUE_PREFIX, onError: () => {} });
    try {
      return ((await queue.getJobs(['waiting'])) as Job<DeadLetter>[])
        .map(({ data }) => data)
        .filter((letter) => letter.rainId === rainId);
    } finally {
      await queue.close();
      connection.disconnect();
    }
  }

  /**
   * Waits 300 ms, or longer until some users have received wins that the replica does not have.
   * Not for `replicas`, where no such win is reported.
   */
  async whileBlind(rainId: string, users: UserGroup, whom: (userId: string) => boolean = () => true): Promise<void> {
    await sleep(BLIND_MS);
    await eventually(
      async () => {
        const log = new Set((await this.replicaLog(rainId)).map(nameOf));
        const lost = [...users.received.values()].filter(
          ({ userId, wins }) =>
            whom(userId) && wins.some(({ redPacketId }) => !log.has(nameOf({ userId, redPacketId }))),
        );
        return lost.length >= TOLD_BLIND_MIN;
      },
      { timeoutMs: 20_000 },
    );
  }

  /** The claim log as the replica has it. */
  async replicaLog(rainId: string): Promise<Claim[]> {
    const replica = await connect(this.group.replica.url);
    try {
      return claimsOf(await replica.lrange(shardKeys(rainId, 0).claims, 0, -1));
    } finally {
      replica.disconnect();
    }
  }

  /** Waits until every claim of the log is in the ledger or a dead letter. */
  async finalState(rainId: string): Promise<{ book: Map<string, string>; listed: Set<string> }> {
    return eventually(
      async () => {
        const [log, book, dead] = [await this.logNow(rainId), await this.credited(rainId), await this.letters(rainId)];
        const deadLettered = dead.map(({ entry, reason }) => ({ reason, name: nameOf(JSON.parse(entry) as Claim) }));
        const open = log
          .map(nameOf)
          .filter((claim) => !book.has(claim) && !deadLettered.some(({ name }) => name === claim));
        if (open.length > 0) throw new Error(`not credited yet: ${open.join(', ')}`);
        return {
          book,
          listed: new Set(deadLettered.filter(({ reason }) => reason === 'told_twice').map(({ name }) => name)),
        };
      },
      { timeoutMs: 60_000, everyMs: 250 },
    );
  }
}
