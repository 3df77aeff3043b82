import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { RedisClient } from '../platform/redis/connect.ts';

/** lua/ lies beside src/ and beside dist/, at the same depth. */
const FOLDER = new URL('../../lua/', import.meta.url);

interface Script {
  source: string;
  sha: string;
  keyCount: number;
}

function read(file: string): Script {
  const source = readFileSync(new URL(file, FOLDER), 'utf8');
  const keyCount = source.split('\n').filter((line) => /^-- KEYS\[\d+\]/.test(line)).length;
  return { source, sha: createHash('sha1').update(source).digest('hex'), keyCount };
}

/** Every file of lua/, by its name without the ending, read once. */
export const SCRIPTS: ReadonlyMap<string, Script> = new Map(
  readdirSync(FOLDER).filter((file) => file.endsWith('.lua')).map((file) => [file.slice(0, -4), read(file)]),
);

/**
 * Compiles every script on the server, so that a broken one stops the process at its start.
 * @throws Error naming file and line
 */
export async function loadScripts(redis: RedisClient): Promise<void> {
  for (const [name, { source }] of SCRIPTS) {
    try {
      await redis.script('LOAD', source);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const line = /user_script:(\d+):/.exec(message)?.[1];
      throw new Error(`lua/${name}.lua${line ? `:${line}` : ''}: ${message}`, { cause: error });
    }
  }
}

/**
 * Runs lua/<name>.lua by its SHA. A server that does not know it (restarted, failed over, another Cluster node) answers
 * NOSCRIPT, which says that nothing ran: only then it is sent again, in full.
 * @returns the script's reply, to be parsed by the caller
 * @throws whatever Redis answers, or the connection: then the outcome is unknown
 */
export async function run(redis: RedisClient, name: string, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown> {
  const script = SCRIPTS.get(name);
  if (!script) throw new TypeError(`no script lua/${name}.lua`);
  if (keys.length !== script.keyCount) throw new TypeError(`lua/${name}.lua takes ${script.keyCount} keys, got ${keys.length}`);
  try {
    return await redis.evalsha(script.sha, keys.length, ...keys, ...args);
  } catch (error) {
    if (error instanceof Error && error.message.startsWith('NOSCRIPT')) return redis.eval(script.source, keys.length, ...keys, ...args);
    throw error;
  }
}
