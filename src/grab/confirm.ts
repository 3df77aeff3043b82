import { parseClaim } from '../rain/claim.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import { BUSY, type GrabEngine } from './engine.ts';
import { shardKeys } from '../store/keys.ts';

/** A win that is about to be told. */
interface Win {
  userId: string;
  redPacketId: string;
}

/**
 * Which of these wins are as durable as asked for, in order [R4]. Never rejects: what cannot be confirmed is not, and its
 * user is told "busy"; asking again is safe and tells the truth as soon as it can be told.
 */
export type Confirm = (rainId: string, shard: number, wins: readonly Win[]) => Promise<boolean[]>;

interface ConfirmRules {
  /** WAIT blocks its connection, so each round of questions takes one of these; four in turn keep up with any load. */
  connections: readonly RedisClient[];
  replicas: number;
  /** How long one round may take, ms. Who comes while all connections are waiting waits for a round before his own. */
  waitMs: number;
  onFault: (error: unknown) => void;
}

interface GrabRequest {
  key: string;
  wins: readonly Win[];
  answer: (confirmed: boolean[]) => void;
}

/** Wins one round asks about, and one batch more at most [R10]: four rounds take all that a gateway lets wait. */
const WINS_MAX = 20_000;

/** Confirms wins by replicas. What is asked while every connection waits is gathered and asked in one round. */
export function createConfirm({ connections, replicas, waitMs, onFault }: ConfirmRules): Confirm {
  const idle = [...connections];
  const waiting: GrabRequest[] = [];

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
    for (let wins = 0; size < waiting.length && wins < WINS_MAX; size++) wins += waiting[size]!.wins.length;
    return size;
  }

  /**
   * WAIT waits until the replicas have all that its server had written when the same connection's last command was
   * answered, whoever wrote it. So the wins are read on that connection first: then they are among what was waited for,
   * also when another gateway granted them, and a server that has never heard of them confirms nothing.
   */
  async function round(redis: RedisClient, requests: readonly GrabRequest[]): Promise<void> {
    try {
      // All in one turn of the event loop: were the connection lost in between, none of them would be answered.
      const reading = requests.map(({ key, wins }) => redis.hmget(key, ...wins.map(({ userId }) => userId)));
      const [acknowledged, ...held] = await Promise.all([redis.wait(replicas, waitMs), ...reading]);
      requests.forEach(({ wins, answer }, i) => answer(wins.map((win, j) => acknowledged >= replicas && isHeld(held[i]![j], win))));
    } catch (error) {
      onFault(error);
      for (const { wins, answer } of requests) answer(wins.map(() => false));
    }
  }

  return (rainId, shard, wins) => new Promise((answer) => {
    waiting.push({ key: shardKeys(rainId, shard).claimed, wins, answer });
    begin();
  });
}

function isHeld(entry: string | null | undefined, { redPacketId }: Win): boolean {
  const parsed = typeof entry === 'string' ? parseClaim(entry) : undefined;
  return parsed?.ok === true && parsed.claim.redPacketId === redPacketId;
}

/** An engine whose wins, fresh or repeated, are told only when they are confirmed. Batches without any are not held up. */
export function confirmedEngine(engine: GrabEngine, confirm: Confirm): GrabEngine {
  return {
    async grab(rainId, shard, userIds) {
      const answers = await engine.grab(rainId, shard, userIds);
      const wins = answers.flatMap((answer, i) => ('redPacketId' in answer ? [{ userId: userIds[i]!, redPacketId: answer.redPacketId }] : []));
      if (wins.length === 0) return answers;
      const confirmed = await confirm(rainId, shard, wins);
      let at = 0;
      return answers.map((answer) => ('redPacketId' in answer && !confirmed[at++] ? BUSY : answer));
    },
  };
}
