import { parseClaim, type Claim } from '../rain/claim.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import { learnMasters, masterOf, mastersOf, slotOf } from '../platform/redis/owner.ts';
import { BUSY, type GrabEngine } from './engine.ts';
import { shardKeys } from '../store/keys.ts';
import { createReplicaWait } from '../store/replicaWait.ts';

/** A win that is about to be sent to its user. */
type Win = Pick<Claim, 'userId' | 'redPacketId'>;

/**
 * Which of these wins are as durable as configured, in order [R4]. Never rejects: unconfirmed wins are answered "busy".
 */
export type Confirm = (rainId: string, shard: number, wins: readonly Win[]) => Promise<boolean[]>;

interface ConfirmRules {
  /**
   * WAIT blocks its connection, so each round of confirmations uses one of these connections. Four in turn keep up with
   * any load. A client of a Cluster has a connection to each master.
   */
  connections: readonly RedisClient[];
  replicas: number;
  /**
   * How long one round may take, ms. Requests for a master that arrive while all connections to it wait are gathered
   * into the next round.
   */
  waitMs: number;
  onFault: (error: unknown) => void;
}

/**
 * Whether the entry of a user in a hash is what the user is about to be told. `at`: the place of the user in the
 * request.
 */
type IsHeld = (entry: string | null | undefined, at: number) => boolean;

/** Which of these users' entries in a hash are as durable as configured, in order. Never rejects, as above. */
export type ConfirmHeld = (key: string, userIds: readonly string[], isHeld: IsHeld) => Promise<boolean[]>;

interface ConfirmRequest {
  key: string;
  userIds: readonly string[];
  isHeld: IsHeld;
  answer: (confirmed: boolean[]) => void;
}

/**
 * Wins or reservations per round, plus at most one batch [R10]: four rounds hold all grabs that a gateway lets wait.
 */
const WINS_MAX = 20_000;

/** Confirms wins by replicas. */
export function createConfirm(rules: ConfirmRules): Confirm {
  return confirmWins(createConfirmHeld(rules));
}

export function confirmWins(confirmHeld: ConfirmHeld): Confirm {
  return (rainId, shard, wins) =>
    confirmHeld(
      shardKeys(rainId, shard).claimed,
      wins.map(({ userId }) => userId),
      (entry, at) => isWin(entry, wins[at]!),
    );
}

/**
 * The requests of one master. Each master has its own: one whose replicas stall must not hold back the wins of the
 * others.
 */
interface Lane {
  waiting: ConfirmRequest[];
  idle: RedisClient[];
}

/** Confirms entries of hashes by replicas. */
export function createConfirmHeld({ connections, replicas, waitMs, onFault }: ConfirmRules): ConfirmHeld {
  const lanes = new Map<string, Lane>();
  const acknowledgedBy = createReplicaWait(replicas, waitMs);

  function begin(master: string, lane: Lane): void {
    for (let redis = lane.idle[0]; redis && lane.waiting.length > 0; redis = lane.idle[0]) {
      lane.idle.shift();
      const used = redis;
      void round(used, master, takeRound(lane.waiting)).then(() => {
        lane.idle.push(used);
        if (lane.waiting.length > 0) begin(master, lane);
        else if (lane.idle.length === connections.length) lanes.delete(master);
      });
    }
  }

  /**
   * The wins are read on this connection first, even if another gateway granted them: a server without these wins
   * confirms nothing. Neither does one that is not the master of their slot any more: it refuses the read (MOVED), and
   * a replica refuses WAIT.
   */
  async function round(redis: RedisClient, master: string, requests: readonly ConfirmRequest[]): Promise<void> {
    const server = mastersOf(redis).find(({ name }) => name === master);
    // Send all commands in one turn of the event loop: if the connection broke in between, none of them would be
    // answered.
    const reading = requests.map(
      ({ key, userIds }) => server?.connection.hmget(key, ...userIds) ?? unreachable(master),
    );
    const [acknowledged, ...held] = await Promise.allSettled([
      server ? acknowledgedBy(redis, server) : unreachable(master),
      ...reading,
    ]);
    const isReplicated = acknowledged.status === 'fulfilled' && acknowledged.value >= replicas;
    requests.forEach(({ userIds, isHeld, answer }, i) => {
      const entries = held[i]!;
      answer(userIds.map((_, at) => isReplicated && entries.status === 'fulfilled' && isHeld(entries.value[at], at)));
    });
    const failed = [acknowledged, ...held].find(({ status }) => status === 'rejected');
    if (failed) report((failed as PromiseRejectedResult).reason);
  }

  function report(fault: unknown): void {
    onFault(fault);
    for (const connection of connections) learnMasters(connection);
  }

  return (key, userIds, isHeld) =>
    new Promise((answer) => {
      const master = firstKnown(connections, key);
      if (master === undefined) {
        report(new Error(`no master of the slot of ${key} can be reached`));
        return answer(userIds.map(() => false));
      }
      const lane = lanes.get(master) ?? { waiting: [], idle: [...connections] };
      lanes.set(master, lane);
      lane.waiting.push({ key, userIds, isHeld, answer });
      begin(master, lane);
    });
}

function firstKnown(connections: readonly RedisClient[], key: string): string | undefined {
  for (const redis of connections) {
    const master = masterOf(redis, slotOf(redis, key));
    if (master) return master.name;
  }
  return undefined;
}

function takeRound(waiting: ConfirmRequest[]): ConfirmRequest[] {
  let size = 0;
  for (let wins = 0; size < waiting.length && wins < WINS_MAX; size++) wins += waiting[size]!.userIds.length;
  return waiting.splice(0, size);
}

const unreachable = (master: string) =>
  Promise.reject<never>(new Error(`${master} is no master any more, or cannot be reached`));

function isWin(entry: string | null | undefined, { redPacketId }: Win): boolean {
  const parsed = typeof entry === 'string' ? parseClaim(entry) : undefined;
  return parsed?.ok === true && parsed.claim.redPacketId === redPacketId;
}

/** An engine that returns wins, new or repeated, only once they are confirmed. Batches without wins are not delayed. */
export function confirmedEngine(engine: GrabEngine, confirm: Confirm): GrabEngine {
  return {
    async grab(rainId, shard, userIds, move) {
      const answers = await engine.grab(rainId, shard, userIds, move);
      const wins = answers.flatMap((answer, i) =>
        'redPacketId' in answer ? [{ userId: userIds[i]!, redPacketId: answer.redPacketId }] : [],
      );
      if (wins.length === 0) return answers;
      const confirmed = await confirm(rainId, shard, wins);
      let at = 0;
      return answers.map((answer) => ('redPacketId' in answer && !confirmed[at++] ? BUSY : answer));
    },
  };
}
