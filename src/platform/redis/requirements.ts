import type { Durability } from './durability.ts';
import type { Logger } from '../telemetry/log.ts';
import type { RedisClient } from './connect.ts';
import { readFacts, type RedisFacts } from './facts.ts';

/** What can be wrong with a Redis that holds money, worst first. */
export type RequirementCode = 'replica' | 'evicts' | 'no_aof' | 'aof_write' | 'fsync' | 'few_replicas';

export interface RequirementProblem {
  problem: RequirementCode;
  /** `wrong`: wins would be refused or lost; `warning`: wins may be lost in a power cut. */
  severity: 'wrong' | 'warning';
  found: string;
  /** What to change. */
  advice: string;
}

/** The problems of this server. Unknown facts count as no problem. */
export function checkRedis(facts: RedisFacts, durability: Durability): RequirementProblem[] {
  const problems: RequirementProblem[] = [];
  const needsDisk = durability.mode !== 'relaxed';
  if (facts.role !== undefined && facts.role !== 'master') {
    problems.push({ problem: 'replica', severity: 'wrong', found: 'it is a replica and cannot be written to', advice: 'set REDIS_URL to its master, or to redis+sentinel://…' });
  }
  if ((facts.maxMemoryBytes ?? 0) > 0 && facts.evictionPolicy !== undefined && facts.evictionPolicy !== 'noeviction') {
    problems.push({ problem: 'evicts', severity: 'wrong', found: `it evicts keys when it is full (maxmemory-policy ${facts.evictionPolicy})`, advice: 'set maxmemory-policy noeviction in Redis' });
  }
  if (needsDisk && facts.aofEnabled === false) {
    problems.push({ problem: 'no_aof', severity: 'wrong', found: 'it keeps no append-only file, so that a restart loses wins', advice: 'set appendonly yes in Redis, or DURABILITY=relaxed to take that risk' });
  }
  if (needsDisk && facts.aofEnabled && facts.aofWriteOk === false) {
    problems.push({ problem: 'aof_write', severity: 'wrong', found: 'its last write to the append-only file failed', advice: "check the free space and the permissions of Redis's disk" });
  }
  if (needsDisk && facts.aofEnabled !== false && facts.appendfsync !== undefined && facts.appendfsync !== 'always') {
    problems.push({ problem: 'fsync', severity: 'warning', found: `appendfsync is ${facts.appendfsync}, so that a power cut loses the last wins`, advice: 'set appendfsync always in Redis, or DURABILITY=relaxed to take that risk' });
  }
  const online = facts.replicas?.filter((replica) => replica.online).length;
  if (durability.mode === 'replicas' && online !== undefined && online < durability.replicas) {
    problems.push({ problem: 'few_replicas', severity: 'warning', found: `${durability.replicas} replicas must have every win before it is confirmed, but only ${online} are connected: winners receive "busy"`, advice: 'connect more replicas, or require fewer in DURABILITY' });
  }
  return problems;
}

/**
 * Checked before a server opens: a refused start is better than a lost win. Warnings are logged, and so is a Redis that does not
 * report its settings.
 * @throws Error with one sentence when wins would be refused or lost, or when Redis cannot be reached
 */
export async function requireFit(redis: RedisClient, durability: Durability, log: Logger): Promise<void> {
  for (const facts of await readFacts(redis)) {
    const problems = checkRedis(facts, durability);
    const wrong = problems.filter(({ severity }) => severity === 'wrong');
    if (wrong.length > 0) throw new Error(`this Redis${at(facts)} cannot store wins safely: ${wrong.map(({ found, advice }) => `${found}; ${advice}`).join('; ')}`);
    for (const { problem, found, advice } of problems) log.warn({ problem, ...named(facts) }, `this Redis is a risk: ${found}; ${advice}`);
    if (facts.role === undefined) log.warn(named(facts), 'this Redis refuses INFO, so its settings could not be checked');
    else if (facts.appendfsync === undefined && durability.mode !== 'relaxed') log.info(named(facts), 'this Redis refuses CONFIG GET, so its appendfsync is unknown; it should be always');
  }
}

function named({ node }: RedisFacts): { node?: string } {
  return node === '' ? {} : { node };
}

function at({ node }: RedisFacts): string {
  return node === '' ? '' : ` (${node})`;
}
