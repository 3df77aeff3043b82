import type { OperatorContext } from '../operator/context.ts';
import { lastLine } from '../platform/redis/unavailable.ts';
import type { Durability } from '../platform/redis/durability.ts';
import type { Logger } from '../platform/telemetry/log.ts';
import { checkRedis } from '../platform/redis/requirements.ts';
import { readFacts, type RedisFacts } from '../platform/redis/facts.ts';
import { startLoop } from '../platform/concurrency/loop.ts';
import { findLostRains } from '../operator/lostRains.ts';
import { findLostSales, lostSaleNotice } from '../operator/sale/lost.ts';
import { createLostAlarm } from './lostAlarm.ts';

/** Problems with Redis while rains are live, besides those that `checkRedis` finds at any time. */
const REDIS_PROBLEMS = [
  'replica',
  'evicts',
  'no_aof',
  'aof_write',
  'fsync',
  'few_replicas',
  'evicted',
  'restarted',
  'lost',
  'unseen',
] as const;
type RedisProblem = (typeof REDIS_PROBLEMS)[number];

/**
 * Problems that a successful check does not find: they are remembered for a while, or are the failure of the check
 * itself.
 */
const MOMENTARY: ReadonlySet<RedisProblem> = new Set(['evicted', 'restarted', 'unseen']);

interface RedisMonitorOptions {
  context: OperatorContext;
  durability: Durability;
  log: Logger;
  everyMs?: number;
  /** How long a momentary event (keys evicted, a restart) is reported. */
  momentMs?: number;
}

export type RedisMonitor = ReturnType<typeof startRedisMonitor>;

interface MonitorProblem {
  problem: RedisProblem;
  /** The server, the rain or the sale. */
  subject: string;
  sentence: string;
}

/**
 * Monitors Redis while it is in use: whether it accepts writes, keeps them, is still the same server, and still has
 * every rain and sale. Each problem is logged when it begins and when it ends.
 */
export function startRedisMonitor({
  context,
  durability,
  log,
  everyMs = 4_000,
  momentMs = 60_000,
}: RedisMonitorOptions) {
  const current = new Map<string, MonitorProblem>();
  /** Each server's state at the last check. */
  const servers = new Map<string, Pick<RedisFacts, 'runId'> & { evictedKeys: number }>();
  const moments = new Map<string, { problemNow: MonitorProblem; until: number }>();
  const lostRains = createLostAlarm(() => findLostRains(context));
  const lostSales = createLostAlarm(() => findLostSales(context));
  let compared = false;

  const nameOf = ({ problem, subject }: MonitorProblem) => `${problem} ${subject}`;

  function addMoment(problem: 'restarted' | 'evicted', subject: string, sentence: string): void {
    const problemNow = { problem, subject, sentence };
    moments.set(nameOf(problemNow), { problemNow, until: performance.now() + momentMs });
  }

  /** Compares a server with its state at the last check. */
  function compare({ node, runId, evictedKeys = 0 }: RedisFacts): void {
    const before = servers.get(node);
    servers.set(node, { runId, evictedKeys });
    // A cluster master that was not there at the first check was promoted or has joined.
    // A user whose INFO was taken away, or given, sees no restart.
    if (before ? before.runId !== runId && before.runId !== undefined && runId !== undefined : compared) {
      addMoment(
        'restarted',
        node,
        'Redis was restarted or has failed over; data that was not on its disk or replica is lost',
      );
    } else if (before && evictedKeys > before.evictedKeys) {
      const evicted = evictedKeys - before.evictedKeys;
      addMoment(
        'evicted',
        node,
        `Redis has evicted ${evicted} keys for lack of memory; set maxmemory-policy noeviction, and audit the live rains`,
      );
    }
  }

  async function checkServers(): Promise<MonitorProblem[]> {
    const read = await readFacts(context.redis);
    for (const facts of read) compare(facts);
    compared = true;
    return read.flatMap((facts) =>
      checkRedis(facts, durability).map(({ problem, found, advice }) => ({
        problem,
        subject: facts.node,
        sentence: `Redis: ${found}; ${advice}`,
      })),
    );
  }

  async function checkRains(): Promise<MonitorProblem[]> {
    const [rains, sales] = [await lostRains(), await lostSales()];
    return [
      ...rains.map((rainId): MonitorProblem => ({
        problem: 'lost',
        subject: rainId,
        sentence: `Redis has lost the rain ${rainId}, which is loaded and not settled; bring it back with: rain restore apply ${rainId}`,
      })),
      ...(await Promise.all(
        sales.map(async (saleId): Promise<MonitorProblem> => ({
          problem: 'lost',
          subject: saleId,
          sentence: await lostSaleNotice(context, saleId),
        })),
      )),
    ];
  }

  /** When a check fails, earlier problems remain: nothing is known to be over. */
  async function check(
    subject: 'servers' | 'rains',
    action: () => Promise<MonitorProblem[]>,
  ): Promise<MonitorProblem[]> {
    try {
      return await action();
    } catch (error) {
      const unresolved = [...current.values()].filter(
        ({ problem }) => !MOMENTARY.has(problem) && (problem === 'lost') === (subject === 'rains'),
      );
      return [
        ...unresolved,
        { problem: 'unseen', subject, sentence: `the monitor cannot check the ${subject}: ${lastLine(error)}` },
      ];
    }
  }

  function report(found: readonly MonitorProblem[]): void {
    const now = new Map(found.map((problemNow) => [nameOf(problemNow), problemNow]));
    for (const [name, { problem, subject, sentence }] of now) {
      if (current.has(name)) continue;
      const isSevere =
        problem !== 'fsync' && problem !== 'few_replicas' && problem !== 'restarted' && problem !== 'unseen';
      log[isSevere ? 'error' : 'warn']({ problem, ...(subject && { subject }) }, sentence);
    }
    for (const [name, { problem, subject }] of current)
      if (!now.has(name)) log.info({ problem, ...(subject && { subject }) }, 'this problem is over');
    current.clear();
    for (const [name, problemNow] of now) current.set(name, problemNow);
  }

  const rounds = startLoop(async () => {
    const found = [...(await check('servers', checkServers)), ...(await check('rains', checkRains))];
    for (const [name, { until }] of moments) if (performance.now() >= until) moments.delete(name);
    report([...found, ...[...moments.values()].map(({ problemNow }) => problemNow)]);
    return everyMs;
  });

  return {
    close: () => rounds.close(),
    /** Current problems by kind: one per server, one per lost rain or sale. */
    currentProblems() {
      const counts = Object.fromEntries(REDIS_PROBLEMS.map((problem) => [problem, 0])) as Record<RedisProblem, number>;
      for (const { problem } of current.values()) counts[problem]++;
      return counts;
    },
  };
}
