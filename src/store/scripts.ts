import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { ROOT } from '../platform/process/root.ts';
import type { RedisClient } from '../platform/redis/connect.ts';

const FOLDER = new URL('lua/', ROOT);

/**
 * A script may end with another one, which its header names after THEN: it goes on with the same keys and what is left
 * of ARGV.
 */
function sourceOf(file: string): string {
  const own = readFileSync(new URL(file, FOLDER), 'utf8');
  const next = /^-- THEN +(\w+\.lua)$/m.exec(own)?.[1];
  return next ? `${own}\n${readFileSync(new URL(next, FOLDER), 'utf8').replaceAll(/^--.*\n/gm, '')}` : own;
}

function read(file: string) {
  const source = sourceOf(file);
  const keyCount = source.split('\n').filter((line) => /^-- KEYS\[\d+\]/.test(line)).length;
  return { source, sha: createHash('sha1').update(source).digest('hex'), keyCount };
}

/** All files of lua/ by name without ending, read once. */
export const SCRIPTS = new Map(
  readdirSync(FOLDER)
    .filter((file) => file.endsWith('.lua'))
    .map((file) => [file.slice(0, -4), read(file)]),
);

/**
 * Compiles every script on the server, so that a broken script stops the process at its start.
 * @throws Error that names file and line
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
 * Runs lua/<name>.lua by its SHA. A server that does not have the script (after a restart or failover, or another
 * Cluster node) answers NOSCRIPT and runs nothing. Only then the source is sent.
 * @returns the script's reply; the caller parses it
 * @throws any error of Redis or of the connection; the outcome is then unknown
 */
export async function run(
  redis: RedisClient,
  name: string,
  keys: readonly string[],
  args: readonly (string | number)[],
): Promise<unknown> {
  const script = SCRIPTS.get(name);
  if (!script) throw new TypeError(`no script lua/${name}.lua`);
  if (keys.length !== script.keyCount)
    throw new TypeError(`lua/${name}.lua takes ${script.keyCount} keys, got ${keys.length}`);
  try {
    return await redis.evalsha(script.sha, keys.length, ...keys, ...args);
  } catch (error) {
    if (error instanceof Error && error.message.startsWith('NOSCRIPT'))
      return redis.eval(script.source, keys.length, ...keys, ...args);
    throw error;
  }
}
