import { Cluster } from 'ioredis';
import type { RedisClient } from './connect.ts';

/** What one Redis server says about itself. What is absent it would not tell: a user or a provider may forbid INFO and CONFIG. */
export interface RedisFacts {
  /** `host:port` of a Cluster's master; empty for a single server. */
  node: string;
  version?: string;
  /** Another one after each restart, and on each server. */
  runId?: string;
  /** `master` or `slave`, as Redis has it. */
  role?: string;
  usedMemoryBytes?: number;
  /** 0: no limit. */
  maxMemoryBytes?: number;
  systemMemoryBytes?: number;
  evictionPolicy?: string;
  /** Keys thrown out since the server started. */
  evictedKeys?: number;
  aofEnabled?: boolean;
  aofWriteOk?: boolean;
  /** `always`, `everysec` or `no`; known only by CONFIG GET. */
  appendfsync?: string;
  /** Replicas that are connected. */
  replicas?: ReplicaFacts[];
}

interface ReplicaFacts {
  online: boolean;
  /** Seconds since it was last heard of. */
  silentSeconds: number;
  /** What it has not acknowledged yet. */
  behindBytes: number;
}

/**
 * One entry for a single server, one per master for a Cluster.
 * @throws when a server cannot be reached; a server that answers but refuses to tell is no fault
 */
export async function readFacts(redis: RedisClient): Promise<RedisFacts[]> {
  if (!(redis instanceof Cluster)) return [await factsOf(redis, '')];
  return Promise.all(redis.nodes('master').map((node) => factsOf(node, `${node.options.host}:${node.options.port}`)));
}

/** The two questions that a node is asked. */
interface Node {
  info(): Promise<string>;
  config(subcommand: 'GET', parameter: string): Promise<unknown>;
}

async function factsOf(redis: Node, node: string): Promise<RedisFacts> {
  const [info, fsync] = await Promise.all([unlessRefused(redis.info()), unlessRefused(redis.config('GET', 'appendfsync'))]);
  const appendfsync = Array.isArray(fsync) && typeof fsync[1] === 'string' ? fsync[1] : undefined;
  return { ...parseInfo(info ?? ''), ...(appendfsync !== undefined && { appendfsync }), node };
}

/** A question that the server will not answer is `undefined`; anything else went wrong on the way. */
export async function unlessRefused<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof Error && error.name === 'ReplyError') return undefined;
    throw error;
  }
}

/** The text of INFO → what it says. Lines that are not there are absent. */
export function parseInfo(text: string): Omit<RedisFacts, 'node' | 'appendfsync'> {
  const lines = new Map(text.split('\r\n').filter((line) => /^\w+:/.test(line)).map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]));
  const number = (name: string) => (lines.has(name) ? Number(lines.get(name)) : undefined);
  const facts: { [K in keyof ReturnType<typeof parseInfo>]: RedisFacts[K] | undefined } = {
    version: lines.get('redis_version'),
    runId: lines.get('run_id'),
    role: lines.get('role'),
    usedMemoryBytes: number('used_memory'),
    maxMemoryBytes: number('maxmemory'),
    systemMemoryBytes: number('total_system_memory'),
    evictionPolicy: lines.get('maxmemory_policy'),
    evictedKeys: number('evicted_keys'),
    aofEnabled: lines.has('aof_enabled') ? lines.get('aof_enabled') === '1' : undefined,
    aofWriteOk: lines.has('aof_last_write_status') ? lines.get('aof_last_write_status') === 'ok' : undefined,
    replicas: lines.has('connected_slaves') ? replicasOf(lines) : undefined,
  };
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
}

/** `slave0:ip=127.0.0.1,port=6380,state=online,offset=42,lag=0` */
function replicasOf(lines: ReadonlyMap<string, string>): ReplicaFacts[] {
  const offset = Number(lines.get('master_repl_offset') ?? 0);
  return [...lines].filter(([name]) => /^slave\d+$/.test(name)).map(([, text]) => {
    const parts = new Map(text.split(',').map((part) => part.split('=') as [string, string]));
    return { online: parts.get('state') === 'online', silentSeconds: Number(parts.get('lag') ?? 0), behindBytes: Math.max(0, offset - Number(parts.get('offset') ?? 0)) };
  });
}
