import { Cluster } from 'ioredis';
import { missingCommands, REDIS_ROLES } from '../../store/permissions.ts';
import { loadScripts } from '../../store/scripts.ts';
import { redisNow } from '../../store/rains.ts';
import type { RedisClient } from '../../platform/redis/connect.ts';
import type { Durability } from '../../platform/redis/durability.ts';
import { checkRedis, type RequirementProblem, type RequirementCode } from '../../platform/redis/requirements.ts';
import { readFacts, unlessRefused, type RedisFacts } from '../../platform/redis/facts.ts';
import { examineCluster } from './cluster.ts';
import { checkClock, CLOCK, findOnRedis, unknownSetting, type Finding } from './finding.ts';
import { checkMemory, type Planned } from './memory.ts';

const PINGS = 100;
/** Limits of the round trip, ms: a grab waits for one round trip and one script. */
const LATENCY_MS = { warning: 5, wrong: 100 } as const;
const ROUND_TRIP = `p50 within ${LATENCY_MS.warning} ms`;
const REPLICA_SILENT_SECONDS_MAX = 10;

/** @throws when Redis cannot be reached */
export async function examineRedis(redis: RedisClient, durability: Durability, planned: Planned): Promise<Finding[]> {
  const servers = await readFacts(redis);
  const before = Date.now();
  const now = await unlessRefused(redisNow(redis));
  const askedAt = (before + Date.now()) / 2;
  const took = await unlessRefused(pings(redis));
  return [
    ...servers.flatMap((facts) => checkServer(facts, durability, servers.length, planned)),
    ...(redis instanceof Cluster ? await examineCluster(redis, durability) : []),
    took ? checkLatency(took) : unknownSetting('round trip', ROUND_TRIP),
    now === undefined ? unknownSetting('clock', CLOCK) : checkClock('redis', Math.round(now - askedAt)),
    await checkCommands(redis),
    await checkScripts(redis),
  ];
}

/** @param servers number of servers that share the packets */
export function checkServer(facts: RedisFacts, durability: Durability, servers: number, planned: Planned): Finding[] {
  const problems = checkRedis(facts, durability);
  const found = (...codes: RequirementCode[]) => problems.find(({ problem }) => codes.includes(problem));
  const needsAof = durability.mode !== 'relaxed';
  const findings = [
    checkVersion(facts.version),
    setting('role', facts.role, 'master', found('replica')),
    setting(
      'append-only file',
      facts.aofEnabled === undefined ? undefined : facts.aofEnabled ? 'on' : 'off',
      needsAof ? 'on, and its last write succeeded' : 'any (durability is relaxed)',
      found('no_aof', 'aof_write'),
    ),
    setting('appendfsync', facts.appendfsync, needsAof ? 'always' : 'any (durability is relaxed)', found('fsync')),
    setting(
      'eviction',
      facts.evictionPolicy && `${facts.evictionPolicy}, maxmemory ${facts.maxMemoryBytes ?? 'unknown'}`,
      'noeviction',
      found('evicts') ?? evictionWithoutLimit(facts),
    ),
    checkMemory(facts, servers, planned),
    checkReplicas(facts, durability),
  ];
  return facts.node === ''
    ? findings
    : findings.map((finding) => ({ ...finding, name: `${finding.name} (${facts.node})` }));
}

function setting(
  name: string,
  found: string | undefined,
  expected: string,
  problem: Pick<RequirementProblem, 'severity' | 'found' | 'advice'> | undefined,
): Finding {
  if (problem) return findOnRedis(name, problem.severity, problem.found, expected, problem.advice);
  return found === undefined
    ? unknownSetting(name, expected)
    : { subject: 'redis', name, verdict: 'ok', found, expected };
}

/** Without a memory limit nothing is evicted yet, but a limit set later would cause evictions. */
function evictionWithoutLimit({
  evictionPolicy,
}: RedisFacts): Pick<RequirementProblem, 'severity' | 'found' | 'advice'> | undefined {
  if (evictionPolicy === undefined || evictionPolicy === 'noeviction') return undefined;
  return {
    severity: 'warning',
    found: `${evictionPolicy}, and no maxmemory yet`,
    advice: 'set maxmemory-policy noeviction in Redis',
  };
}

function checkVersion(version: string | undefined): Finding {
  const expected = '6.2 or newer, better 7';
  if (version === undefined) return unknownSetting('version', expected);
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const verdict = major < 6 || (major === 6 && minor < 2) ? 'wrong' : major < 7 ? 'warning' : 'ok';
  return findOnRedis('version', verdict, version, expected, 'install a newer Redis');
}

function checkReplicas({ replicas }: RedisFacts, durability: Durability): Finding {
  const needed = durability.mode === 'replicas' ? durability.replicas : 0;
  const expected =
    needed > 0
      ? `at least ${needed}, each last seen within ${REPLICA_SILENT_SECONDS_MAX} s`
      : 'any; each seen recently';
  if (!replicas) return unknownSetting('replicas', expected);
  const well = replicas.filter(({ online, silentSeconds }) => online && silentSeconds <= REPLICA_SILENT_SECONDS_MAX);
  const states = replicas.map(({ silentSeconds, behindBytes, online }) =>
    online ? `${behindBytes} bytes behind, last seen ${silentSeconds} s ago` : 'not online',
  );
  const verdict = well.length < needed ? 'wrong' : well.length < replicas.length ? 'warning' : 'ok';
  return findOnRedis(
    'replicas',
    verdict,
    `${replicas.length}${states.length > 0 ? ` (${states.join('; ')})` : ''}`,
    expected,
    verdict === 'wrong'
      ? `connect more replicas, or set DURABILITY to what ${well.length} of them can keep`
      : "check the replica's connection, disk and log",
  );
}

async function pings(redis: RedisClient): Promise<number[]> {
  const took: number[] = [];
  for (let i = 0; i < PINGS; i++) {
    const start = performance.now();
    await redis.ping();
    took.push(performance.now() - start);
  }
  return took;
}

/** @param tookMs round trips */
export function checkLatency(tookMs: readonly number[]): Finding {
  const sorted = tookMs.toSorted((a, b) => a - b);
  const [p50, max] = [sorted[Math.floor(sorted.length / 2)] ?? 0, sorted.at(-1) ?? 0];
  const verdict = p50 > LATENCY_MS.wrong ? 'wrong' : p50 > LATENCY_MS.warning ? 'warning' : 'ok';
  return findOnRedis(
    'round trip',
    verdict,
    `p50 ${p50.toFixed(2)} ms, max ${max.toFixed(2)} ms of ${sorted.length}`,
    ROUND_TRIP,
    'move Redis closer to the gateways, or find what keeps it busy (SLOWLOG GET)',
  );
}

async function checkCommands(redis: RedisClient): Promise<Finding> {
  const lacks = await Promise.all(
    REDIS_ROLES.map(async (role) => ({ role, missing: await missingCommands(redis, role) })),
  );
  const unfit = lacks.filter(({ missing }) => missing.length > 0);
  const found = unfit
    .map(
      ({ role, missing }) =>
        `this user cannot be ${role === 'operator' ? 'an operator' : `a ${role}`}: no ${missing.join(', ')}`,
    )
    .join('; ');
  const isOperator = unfit.every(({ role }) => role !== 'operator');
  return findOnRedis(
    'commands',
    unfit.length === 0 ? 'ok' : isOperator ? 'warning' : 'wrong',
    found || 'all permitted',
    'what gateways, workers and operators call',
    `${isOperator ? 'well if gateways and workers have users of their own; else give' : 'give'} this user the rules that rain doctor --acl prints`,
  );
}

async function checkScripts(redis: RedisClient): Promise<Finding> {
  const fault = await loadScripts(redis).then(
    () => undefined,
    (error: unknown) => (error as Error).message,
  );
  return findOnRedis(
    'scripts',
    fault === undefined ? 'ok' : 'wrong',
    fault ?? 'all load',
    'every file of lua/ loads',
    'allow this user to run SCRIPT LOAD, EVALSHA and EVAL (ACL)',
  );
}
