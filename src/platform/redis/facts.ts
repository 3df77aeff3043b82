import type { Redis } from 'ioredis';
import type { RedisClient } from './connect.ts';
import { mastersOf } from './owner.ts';

/**
 * One Redis server's facts about itself. Absent facts are unknown: a user or a provider may forbid INFO and
 * CONFIG.
 */
export interface RedisFacts extends Partial<ReturnType<typeof parseInfo>> {
  /** `host:port` of a Cluster's master; empty for a single server. */
  node: string;
  /** `always`, `everysec` or `no`; known only by CONFIG GET. */
  appendfsync?: string | undefined;
}

/**
 * One entry for a single server, one per master for a Cluster.
 * @throws when a server cannot be reached; a server that refuses INFO or CONFIG is no fault
 */
export async function readFacts(redis: RedisClient): Promise<RedisFacts[]> {
  return Promise.all(mastersOf(redis).map(({ connection, name }) => factsOf(connection, name)));
}

async function factsOf(redis: Pick<Redis, 'info' | 'config'>, node: string): Promise<RedisFacts> {
  const [info, fsync] = await Promise.all([
    unlessRefused(redis.info()),
    unlessRefused(redis.config('GET', 'appendfsync')),
  ]);
  const appendfsync = Array.isArray(fsync) && typeof fsync[1] === 'string' ? fsync[1] : undefined;
  return { ...parseInfo(info ?? ''), appendfsync, node };
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

/** Parses the text of INFO. A fact whose line is missing is `undefined`. */
export function parseInfo(text: string) {
  const lines = new Map([...text.matchAll(/^(\w+):(.*)$/gm)].map(([, name, value]) => [name!, value!]));
  const number = (name: string) => (lines.has(name) ? Number(lines.get(name)) : undefined);
  const isText = (name: string, expected: string) => (lines.has(name) ? lines.get(name) === expected : undefined);
  return {
    version: lines.get('redis_version'),
    /** Changes with each restart; every server has its own. */
    runId: lines.get('run_id'),
    /** `master` or `slave`, as Redis has it. */
    role: lines.get('role'),
    usedMemoryBytes: number('used_memory'),
    /** 0: no limit. */
    maxMemoryBytes: number('maxmemory'),
    systemMemoryBytes: number('total_system_memory'),
    evictionPolicy: lines.get('maxmemory_policy'),
    /** Since the start of the server. */
    evictedKeys: number('evicted_keys'),
    aofEnabled: isText('aof_enabled', '1'),
    aofWriteOk: isText('aof_last_write_status', 'ok'),
    /** The connected replicas. */
    replicas: lines.has('connected_slaves') ? replicasOf(lines) : undefined,
  };
}

/**
 * From `slave0:ip=127.0.0.1,port=6380,state=online,offset=42,lag=0`: seconds since its last sign of life, bytes not
 * acknowledged yet.
 */
function replicasOf(lines: ReadonlyMap<string, string>) {
  const offset = Number(lines.get('master_repl_offset') ?? 0);
  return [...lines]
    .filter(([name]) => /^slave\d+$/.test(name))
    .map(([, text]) => {
      const fields = new Map(text.split(',').map((part) => part.split('=') as [string, string]));
      const behindBytes = Math.max(0, offset - Number(fields.get('offset') ?? 0));
      return { online: fields.get('state') === 'online', silentSeconds: Number(fields.get('lag') ?? 0), behindBytes };
    });
}
