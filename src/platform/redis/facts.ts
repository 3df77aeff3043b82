import { Cluster } from 'ioredis';
import type { RedisClient } from './connect.ts';

/** What one Redis server reports about itself. Absent fields are unknown: a user or a provider may forbid INFO and CONFIG. */
export interface RedisFacts {
  /** `host:port` of a Cluster's master; empty for a single server. */
  node: string;
  version?: string;
  /** Changes with each restart; every server has its own. */
  runId?: string;
  /** `master` or `slave`, as Redis has it. */
  role?: string;
  usedMemoryBytes?: number;
  /** 0: no limit. */
  maxMemoryBytes?: number;
  systemMemoryBytes?: number;
  evictionPolicy?: string;
  /** Keys evicted since the start of the server. */
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
  /** Seconds since its last sign of life. */
  silentSeconds: number;
  /** Bytes that it has not acknowledged yet. */
  behindBytes: number;
}

/**
 * One entry for a single server, one per master for a Cluster.
 * @throws when a server cannot be reached; a server that refuses INFO or CONFIG is no fault
 */
export async function readFacts(redis: RedisClient): Promise<RedisFacts[]> {
  if (!(redis instanceof Cluster)) return [await factsOf(redis, '')];
  return Promise.all(redis.nodes('master').map((node) => factsOf(node, `${node.options.host}:${node.options.port}`)));
}

/** The two commands that are sent to a node. */
interface Node {
  info(): Promise<string>;
  config(subcommand: 'GET', parameter: string): Promise<unknown>;
}

async function factsOf(redis: Node, node: string): Promise<RedisFacts> {
  const [info, fsync] = await Promise.all([unlessRefused(redis.info()), unlessRefused(redis.config('GET', 'appendfsync'))]);
  const appendfsync = Array.isArray(fsync) && typeof fsync[1] === 'string' ? fsync[1] : undefined;
  return { ...parseInfo(info ?? ''), ...(appendfsync !== undefined && { appendfsync }), node };
}

/** `undefined` if the server refuses the command; any other error is thrown. */
export async function unlessRefused<T>(reply: Promise<T>): Promise<T | undefined> {
  try {
    return await reply;
  } catch (error) {
    if (error instanceof Error && error.name === 'ReplyError') return undefined;
    throw error;
  }
}

/** Parses the text of INFO. Missing lines give absent fields. */
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
    const fields = new Map(text.split(',').map((part) => part.split('=') as [string, string]));
    return { online: fields.get('state') === 'online', silentSeconds: Number(fields.get('lag') ?? 0), behindBytes: Math.max(0, offset - Number(fields.get('offset') ?? 0)) };
  });
}
