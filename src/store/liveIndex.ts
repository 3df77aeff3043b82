import type { z } from 'zod';
import { readJson } from '../rain/json.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import { requireHash, type HashLimits } from './readHash.ts';

/** Rains or sales in one index: more than any deployment has in a day [R10]. */
const INDEX_LIMITS: HashLimits = { fieldsMax: 20_000, bytesMax: 16_777_216 };

/** All of an index of rains or sales, by id. Entries that do not parse are left out. */
export async function readIndex<Entry>(
  redis: RedisClient,
  key: string,
  schema: z.ZodType<Entry>,
): Promise<Map<string, Entry>> {
  return new Map(
    Object.entries(await requireHash(redis, key, INDEX_LIMITS)).flatMap(([id, text]) => {
      const { success, data } = schema.safeParse(readJson(text));
      return success ? [[id, data]] : [];
    }),
  );
}

/** The entry of this id in the first of these indexes that has it. */
export async function findInIndex<Entry>(
  redis: RedisClient,
  keys: readonly string[],
  id: string,
  schema: z.ZodType<Entry>,
): Promise<Entry | undefined> {
  for (const key of keys) {
    const text = await redis.hget(key, id);
    if (text !== null) return schema.safeParse(readJson(text)).data;
  }
  return undefined;
}
