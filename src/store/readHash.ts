import { z } from 'zod';
import type { RedisClient } from '../platform/redis/connect.ts';
import { run } from './scripts.ts';

/** The largest hash that the product itself writes to a key. */
export interface HashLimits {
  fieldsMax: number;
  /** The limit of all values together. */
  bytesMax: number;
}

const reply = z.union([z.array(z.string()), z.int()]);

/**
 * Reads a whole hash [R10].
 * @returns undefined when somebody else has made it larger than ours can be, or something else of it
 */
export async function readHash(
  redis: RedisClient,
  key: string,
  { fieldsMax, bytesMax }: HashLimits,
): Promise<Record<string, string> | undefined> {
  const found = reply.parse(await run(redis, 'fields', [key], [fieldsMax, bytesMax]));
  if (typeof found === 'number') return undefined;
  return Object.fromEntries(Array.from({ length: found.length / 2 }, (_, i) => [found[2 * i]!, found[2 * i + 1]!]));
}

/** The same for a key that nothing goes without. @throws when it is not one of ours */
export async function requireHash(
  redis: RedisClient,
  key: string,
  limits: HashLimits,
): Promise<Record<string, string>> {
  const found = await readHash(redis, key, limits);
  if (!found)
    throw new Error(
      `the key ${key} in Redis is larger than this product makes it, or no hash: somebody else writes to this Redis`,
    );
  return found;
}
