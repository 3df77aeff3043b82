import type { OperatorContext } from '../operator/context.ts';
import { vanishedRains } from '../operator/lostRains.ts';
import { lastLine } from '../platform/redis/unavailable.ts';
import type { Durability } from '../platform/redis/durability.ts';
import type { Logger } from '../platform/telemetry/log.ts';
import { checkRedis } from '../platform/redis/requirements.ts';
import { readFacts, type RedisFacts } from '../platform/redis/facts.ts';
import { startLoop, type Loop } from '../platform/concurrency/loop.ts';

/** What can go wrong with Redis while rains live, beside what `judgeRedis` finds at any time. */
export const REDIS_PROBLEMS = ['replica', 'evicts', 'no_aof', 'aof_write', 'fsync', 'few_replicas', 'evicted', 'restarted', 'lost', 'unseen'] as const;
type RedisProblem = (typeof REDIS_PROBLEMS)[number];

/** Not found by a look that succeeds, but remembered, or the look's own failure. */
const MOMENTARY: ReadonlySet<RedisProblem> = new Set(['evicted', 'restarted', 'unseen']);

interface RedisMonitorOptions {
  context: OperatorContext;
  durability: Durability;
  log: Logger;
  everyMs?: number;
  /** How long something that happened in a moment (keys evicted, a restart) stands. */
  momentMs?: number;
}

export interface RedisMonitor extends Loop {
  /** How many troubles of each kind stand now: one per server, one per lost rain. */
  standing(): Record<RedisProblem, number>;
}

/** One thing that is wrong now. */
interface Trouble {
  problem: RedisProblem;
  /** The server or the rain. */
  subject: string;
  sentence: string;
}

/** What was known of a server at the last look. */
interface Known {
  runId: string | undefined;
  evictedKeys: number;
}

/**
 * Looks after the Redis that everything stands on, in flight: whether it still may be written to, still keeps what it is
 * told, is still the same, and still knows every rain. Each trouble is told when it begins and when it ends.
 */
export function startRedisMonitor({ context, durability, log, everyMs = 4_000, momentMs = 60_000 }: RedisMonitorOptions): RedisMonitor {
  const standing = new Map<string, Trouble>();
  const known = new Map<string, Known>();
  const moments = new Map<string, { trouble: Trouble; until: number }>();
  let missing = new Set<string>();
  let compared = false;

  const nameOf = ({ problem, subject }: Trouble) => `${problem} ${subject}`;

  function befall(trouble: Trouble): void {
    moments.set(nameOf(trouble), { trouble, until: performance.now() + momentMs });
  }

  /** What changed since the last look. */
  function compare({ node, runId, evictedKeys = 0 }: RedisFacts): void {
    const before = known.get(node);
    known.set(node, { runId, evictedKeys });
    // A Cluster's master that was not there at the first look has been promoted, or has joined.
    if (before ? before.runId !== runId : compared) {
      befall({ problem: 'restarted', subject: node, sentence: 'Redis was restarted or has failed over; what its disk or its replica did not have is gone' });
    } else if (before && evictedKeys > before.evictedKeys) {
      befall({ problem: 'evicted', subject: node, sentence: `Redis has forgotten ${evictedKeys - before.evictedKeys} keys for want of memory; set maxmemory-policy noeviction, and audit the live rains` });
    }
  }

  async function lookAtServers(): Promise<Trouble[]> {
    const servers = await readFacts(context.redis);
    for (const facts of servers) compare(facts);
    compared = true;
    return servers.flatMap((facts) => checkRedis(facts, durability).map(({ problem, found, advice }): Trouble => ({ problem, subject: facts.node, sentence: `Redis: ${found}; ${advice}` })));
  }

  /** Twice in a row, since a rain that is just being loaded is on record in the book before Redis knows it. */
  async function lookAtRains(): Promise<Trouble[]> {
    const vanished = await vanishedRains(context);
    const twice = vanished.filter((rainId) => missing.has(rainId));
    missing = new Set(vanished);
    return twice.map((rainId) => ({ problem: 'lost', subject: rainId, sentence: `Redis has lost the rain ${rainId}, which is loaded and not settled; look with: rain show ${rainId}` }));
  }

  /** A look that fails leaves standing what stood: nothing is known to be over. */
  async function look(subject: 'servers' | 'rains', action: () => Promise<Trouble[]>): Promise<Trouble[]> {
    try {
      return await action();
    } catch (error) {
      const stood = [...standing.values()].filter(({ problem }) => !MOMENTARY.has(problem) && (problem === 'lost') === (subject === 'rains'));
      const reason = lastLine(error);
      return [...stood, { problem: 'unseen', subject, sentence: `the guard cannot see whether all is well with the ${subject}: ${reason}` }];
    }
  }

  function tell(troubles: readonly Trouble[]): void {
    const now = new Map(troubles.map((trouble) => [nameOf(trouble), trouble]));
    for (const [name, { problem, subject, sentence }] of now) {
      if (standing.has(name)) continue;
      const grave = problem !== 'fsync' && problem !== 'few_replicas' && problem !== 'restarted' && problem !== 'unseen';
      log[grave ? 'error' : 'warn']({ problem, ...(subject && { subject }) }, sentence);
    }
    for (const [name, { problem, subject }] of standing) if (!now.has(name)) log.info({ problem, ...(subject && { subject }) }, 'this trouble is over');
    standing.clear();
    for (const [name, trouble] of now) standing.set(name, trouble);
  }

  const rounds = startLoop(async () => {
    const found = [...await look('servers', lookAtServers), ...await look('rains', lookAtRains)];
    for (const [name, { until }] of moments) if (performance.now() >= until) moments.delete(name);
    tell([...found, ...[...moments.values()].map(({ trouble }) => trouble)]);
    return everyMs;
  });

  return {
    close: () => rounds.close(),
    standing() {
      const counts = Object.fromEntries(REDIS_PROBLEMS.map((problem) => [problem, 0])) as Record<RedisProblem, number>;
      for (const { problem } of standing.values()) counts[problem]++;
      return counts;
    },
  };
}
