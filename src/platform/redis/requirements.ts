import type { Durability } from './durability.ts';
import type { Logger } from '../telemetry/log.ts';
import type { RedisClient } from './connect.ts';
import { readFacts, type RedisFacts } from './facts.ts';

/**
 * Faults that a Redis with money can have, worst first, and the change to make. `wrong`: wins would be refused or
 * lost; `warning`: wins may be lost in a power cut.
 */
const RULES = {
  replica: { severity: 'wrong', advice: 'set REDIS_URL to its master, or to redis+sentinel://…' },
  evicts: { severity: 'wrong', advice: 'set maxmemory-policy noeviction in Redis' },
  no_aof: { severity: 'wrong', advice: 'set appendonly yes in Redis, or DURABILITY=relaxed to take that risk' },
  aof_write: { severity: 'wrong', advice: "check the free space and the permissions of Redis's disk" },
  fsync: { severity: 'warning', advice: 'set appendfsync always in Redis, or DURABILITY=relaxed to take that risk' },
  few_replicas: { severity: 'warning', advice: 'connect more replicas, or require fewer in DURABILITY' },
} as const;
export type RequirementCode = keyof typeof RULES;

export interface RequirementProblem {
  problem: RequirementCode;
  severity: 'wrong' | 'warning';
  found: string;
  advice: string;
}

/** The problems of this server. Unknown facts count as no problem. */
export function checkRedis(facts: RedisFacts, durability: Durability): RequirementProblem[] {
  const {
    role = 'master',
    maxMemoryBytes = 0,
    evictionPolicy = 'noeviction',
    aofEnabled,
    aofWriteOk,
    appendfsync = 'always',
  } = facts;
  const problems: RequirementProblem[] = [];
  const add = (problem: RequirementCode, found: string) => {
    problems.push({ problem, found, ...RULES[problem] });
  };
  if (role !== 'master') add('replica', 'it is a replica and cannot be written to');
  const evicts = maxMemoryBytes > 0 && evictionPolicy !== 'noeviction';
  if (evicts) add('evicts', `it evicts keys when it is full (maxmemory-policy ${evictionPolicy})`);
  if (durability.mode !== 'relaxed') {
    if (aofEnabled === false) add('no_aof', 'it keeps no append-only file, so that a restart loses wins');
    if (aofEnabled && aofWriteOk === false) add('aof_write', 'its last write to the append-only file failed');
    const syncs = aofEnabled === false || appendfsync === 'always';
    if (!syncs) add('fsync', `appendfsync is ${appendfsync}, so that a power cut loses the last wins`);
  }
  const online = facts.replicas?.filter((replica) => replica.online).length;
  if (durability.mode === 'replicas' && online !== undefined && online < durability.replicas) {
    add(
      'few_replicas',
      `${durability.replicas} replicas must have every win before it is confirmed, ` +
        `but only ${online} are connected: winners receive "busy"`,
    );
  }
  return problems;
}

/**
 * Checked before a server opens: a refused start is better than a lost win. Warnings and unknown settings are logged.
 * @throws Error with one sentence when wins would be refused or lost, or when Redis cannot be reached
 */
export async function requireFit(redis: RedisClient, durability: Durability, log: Logger): Promise<void> {
  for (const facts of await readFacts(redis)) {
    const problems = checkRedis(facts, durability);
    const wrong = problems
      .filter(({ severity }) => severity === 'wrong')
      .map(({ found, advice }) => `${found}; ${advice}`);
    const node = facts.node === '' ? {} : { node: facts.node };
    if (wrong.length > 0)
      throw new Error(`this Redis${facts.node && ` (${facts.node})`} cannot store wins safely: ${wrong.join('; ')}`);
    for (const { problem, found, advice } of problems)
      log.warn({ problem, ...node }, `this Redis is a risk: ${found}; ${advice}`);
    if (facts.role === undefined) log.warn(node, 'this Redis refuses INFO, so its settings could not be checked');
    else if (facts.appendfsync === undefined && durability.mode !== 'relaxed') {
      log.info(node, 'this Redis refuses CONFIG GET, so its appendfsync is unknown; it should be always');
    }
  }
}
