import type { Durability } from './durability.ts';
import type { Logger } from '../telemetry/log.ts';
import type { RedisClient } from './connect.ts';
import { readFacts, type RedisFacts } from './facts.ts';

/** What can be wrong with a Redis that keeps money, the worst first. */
export type RequirementCode = 'replica' | 'evicts' | 'no_aof' | 'aof_write' | 'fsync' | 'few_replicas';

export interface RequirementProblem {
  problem: RequirementCode;
  /** `wrong`: wins would be refused or forgotten; `warning`: they may be, in a power cut. */
  severity: 'wrong' | 'warning';
  found: string;
  /** What to set. */
  advice: string;
}

/** What speaks against this server. Facts that it would not tell speak neither for nor against it. */
export function checkRedis(facts: RedisFacts, durability: Durability): RequirementProblem[] {
  const complaints: RequirementProblem[] = [];
  const wants = durability.mode !== 'relaxed';
  if (facts.role !== undefined && facts.role !== 'master') {
    complaints.push({ problem: 'replica', severity: 'wrong', found: 'it is a replica and cannot be written to', advice: 'set REDIS_URL to its master, or to redis+sentinel://…' });
  }
  if ((facts.maxMemoryBytes ?? 0) > 0 && facts.evictionPolicy !== undefined && facts.evictionPolicy !== 'noeviction') {
    complaints.push({ problem: 'evicts', severity: 'wrong', found: `it forgets keys when it is full (maxmemory-policy ${facts.evictionPolicy})`, advice: 'set maxmemory-policy noeviction in Redis' });
  }
  if (wants && facts.aofEnabled === false) {
    complaints.push({ problem: 'no_aof', severity: 'wrong', found: 'it keeps no append-only file, so that a restart forgets what was won', advice: 'set appendonly yes in Redis, or DURABILITY=relaxed to take that risk' });
  }
  if (wants && facts.aofEnabled && facts.aofWriteOk === false) {
    complaints.push({ problem: 'aof_write', severity: 'wrong', found: 'its last write to the append-only file failed', advice: "look for space and rights on Redis's disk" });
  }
  if (wants && facts.aofEnabled !== false && facts.appendfsync !== undefined && facts.appendfsync !== 'always') {
    complaints.push({ problem: 'fsync', severity: 'warning', found: `appendfsync is ${facts.appendfsync}, so that a power cut forgets the last wins`, advice: 'set appendfsync always in Redis, or DURABILITY=relaxed to take that risk' });
  }
  const online = facts.replicas?.filter((replica) => replica.online).length;
  if (durability.mode === 'replicas' && online !== undefined && online < durability.replicas) {
    complaints.push({ problem: 'few_replicas', severity: 'warning', found: `${durability.replicas} replicas are to have every win before it is told, and ${online} are connected: winners are told "busy"`, advice: 'connect more replicas, or ask for fewer by DURABILITY' });
  }
  return complaints;
}

/**
 * For whoever is about to serve: better no answer than a win that is forgotten. Warnings are logged, and so is a Redis that
 * would not say how it is set up.
 * @throws Error with one sentence when wins would be refused or forgotten; or when Redis cannot be reached
 */
export async function requireFit(redis: RedisClient, durability: Durability, log: Logger): Promise<void> {
  for (const facts of await readFacts(redis)) {
    const complaints = checkRedis(facts, durability);
    const wrong = complaints.filter(({ severity }) => severity === 'wrong');
    if (wrong.length > 0) throw new Error(`this Redis${at(facts)} is not fit to keep what is won: ${wrong.map(({ found, advice }) => `${found}; ${advice}`).join('; ')}`);
    for (const { problem, found, advice } of complaints) log.warn({ problem, ...named(facts) }, `this Redis is a risk: ${found}; ${advice}`);
    if (facts.role === undefined) log.warn(named(facts), 'this Redis does not tell by INFO how it is set up, so nothing could be checked');
    else if (facts.appendfsync === undefined && durability.mode !== 'relaxed') log.info(named(facts), 'this Redis does not tell its appendfsync by CONFIG GET; it should be always');
  }
}

function named({ node }: RedisFacts): { node?: string } {
  return node === '' ? {} : { node };
}

function at({ node }: RedisFacts): string {
  return node === '' ? '' : ` (${node})`;
}
