import { parseClaim, type Claim } from '../rain/claim.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import { BUSY, type GrabEngine } from './engine.ts';
import { shardKeys } from '../store/keys.ts';

/** A win that is about to be sent to its user. */
type Win = Pick<Claim, 'userId' | 'redPacketId'>;

/** Which of these wins are as durable as configured, in order [R4]. Never rejects: unconfirmed wins are answered "busy". */
export type Confirm = (rainId: string, shard: number, wins: readonly Win[]) => Promise<boolean[]>;

interface ConfirmRules {
  /** WAIT blocks its connection, so each round of confirmations uses one of these connections. Four in turn keep up with any load. */
  connections: readonly RedisClient[];
  replicas: number;
  /** How long one round may take, ms. Requests that arrive while all connections wait are gathered into the next round. */
  waitMs: number;
  onFault: (error: unknown) => void;
}

/** Whether the entry of a user in a hash is what the user is about to be told. `at`: the place of the user in the request. */
type IsHeld = (entry: string | null | undefined, at: number) => boolean;

/** Which of these users' entries in a hash are as durable as configured, in order. Never rejects, as above. */
export type ConfirmHeld = (key: string, userIds: readonly string[], isHeld: IsHeld) => Promise<boolean[]>;

interface ConfirmRequest {
  key: string;
  userIds: readonly string[];
  isHeld: IsHeld;
  answer: (confirmed: boolean[]) => void;
}

/** Wins or reservations per round, plus at most one batch [R10]: four rounds hold all grabs that a gateway lets wait. */
const WINS_MAX = 20_000;

/** Confirms wins by replicas. */
export function createConfirm(rules: ConfirmRules): Confirm {
  return confirmWins(createConfirmHeld(rules));
}

export function confirmWins(confirmHeld: ConfirmHeld): Confirm {
  return (rainId, shard, wins) => confirmHeld(shardKeys(rainId, shard).claimed, wins.map(({ userId }) => userId), (entry, at) => isWin(entry, wins[at]!));
}

/** Confirms entries of hashes by replicas. */
export function createConfirmHeld({ connections, replicas, waitMs, onFault }: ConfirmRules): ConfirmHeld {
  const idle = [...connections];
  const waiting: ConfirmRequest[] = [];

  function begin(): void {
    for (let redis = idle[0]; redis && waiting.length > 0; redis = idle[0]) {
      idle.shift();
      const used = redis;
      void round(used, waiting.splice(0, sizeOfRound())).then(() => {
        idle.push(used);
        begin();
      });
    }
  }

  function sizeOfRound(): number {
    let size = 0;
    for (let wins = 0; size < waiting.length && wins < WINS_MAX; size++) wins += waiting[size]!.userIds.length;
    return size;
  }

  /**
   * WAIT covers everything that the server had written when this connection's last command was answered. So the wins are read on
   * this connection first, even if another gateway granted them, and a server without these wins confirms nothing.
   */
  async function round(redis: RedisClient, requests: readonly ConfirmRequest[]): Promise<void> {
    try {
      // Send all commands in one turn of the event loop: if the connection broke in between, none of them would be answered.
      const reading = requests.map(({ key, userIds }) => redis.hmget(key, ...userIds));
      const [acknowledged, ...held] = await Promise.all([redis.wait(replicas, waitMs), ...reading]);
      requests.forEach(({ userIds, isHeld, answer }, i) => answer(userIds.map((_, at) => acknowledged >= replicas && isHeld(held[i]![at], at))));
    } catch (error) {
      onFault(error);
      for (const { userIds, answer } of requests) answer(userIds.map(() => false));
    }
  }

  return (key, userIds, isHeld) => new Promise((answer) => {
    waiting.push({ key, userIds, isHeld, answer });
    begin();
  });
}

function isWin(entry: string | null | undefined, { redPacketId }: Win): boolean {
  const parsed = typeof entry === 'string' ? parseClaim(entry) : undefined;
  return parsed?.ok === true && parsed.claim.redPacketId === redPacketId;
}

/** An engine that returns wins, new or repeated, only once they are confirmed. Batches without wins are not delayed. */
export function confirmedEngine(engine: GrabEngine, confirm: Confirm): GrabEngine {
  return {
    async grab(rainId, shard, userIds, move) {
      const answers = await engine.grab(rainId, shard, userIds, move);
      const wins = answers.flatMap((answer, i) => ('redPacketId' in answer ? [{ userId: userIds[i]!, redPacketId: answer.redPacketId }] : []));
      if (wins.length === 0) return answers;
      const confirmed = await confirm(rainId, shard, wins);
      let at = 0;
      return answers.map((answer) => ('redPacketId' in answer && !confirmed[at++] ? BUSY : answer));
    },
  };
}
