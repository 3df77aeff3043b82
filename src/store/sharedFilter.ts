import { createHash, randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import { readJson } from '../rain/json.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import { SHARDS_MAX, shardKeys, winnersDraftKey } from './keys.ts';
import type { Signer } from './signer.ts';
import { UserFilter } from './userFilter.ts';

/** The value begins with so many bytes of text: the signature, a space, what is signed, spaces. The filter follows. */
const HEADER_BYTES = 4_096;
/** Bytes per command: each takes Redis a fraction of a millisecond. */
const CHUNK_BYTES = 262_144;
/** A filter that nobody replaces goes after so long, ms. Then the next gateway that needs it builds it again. */
const FILTER_TTL_MS = 3_600_000;
const FILTER_BYTES = { min: 128, max: 67_108_864 };

/**
 * The end of the log and the hashes of one shard when the filter was built. `newest`: the SHA-256 of the newest
 * entry.
 */
const filterEnd = z.object({ claims: z.int().min(0), newest: z.string(), held: z.int().min(0), wins: z.int().min(0) });
export type FilterEnd = z.infer<typeof filterEnd>;

const header = z.object({
  bytes: z
    .int()
    .min(FILTER_BYTES.min)
    .max(FILTER_BYTES.max)
    .refine((bytes) => Number.isInteger(Math.log2(bytes))),
  sha256: z.string(),
  ends: z.array(filterEnd).max(SHARDS_MAX),
});

export interface SharedFilter {
  filter: UserFilter;
  /** By shard. */
  ends: FilterEnd[];
}

/**
 * Puts the filter where all gateways find it. An unfinished filter has another key, so that nobody sees a half, and
 * expires.
 * @throws when Redis cannot take it; then there is none, or the one before
 */
export async function publishFilter(
  redis: RedisClient,
  signer: Pick<Signer, 'filterMac'>,
  rainId: string,
  { filter, ends }: SharedFilter,
): Promise<void> {
  const { bytes } = filter;
  const signed = JSON.stringify({ bytes: bytes.length, sha256: await digestOf(bytes), ends } satisfies z.infer<
    typeof header
  >);
  const draft = winnersDraftKey(rainId, randomUUID());
  await redis.set(draft, `${signer.filterMac(rainId, signed)} ${signed}`.padEnd(HEADER_BYTES), 'PX', FILTER_TTL_MS);
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES)
    await redis.setrange(draft, HEADER_BYTES + at, bytes.subarray(at, at + CHUNK_BYTES));
  await redis.rename(draft, shardKeys(rainId, 0).winners);
}

/**
 * The filter that a gateway has left there; `undefined`: there is none, or none that one of us has signed. Nothing
 * larger than ours is read [R10].
 */
export async function fetchFilter(
  redis: RedisClient,
  signer: Pick<Signer, 'isFilter'>,
  rainId: string,
): Promise<SharedFilter | undefined> {
  const { winners } = shardKeys(rainId, 0);
  // Somebody else may have put a value of another type there.
  const [mac = '', ...rest] = (await redis.getrange(winners, 0, HEADER_BYTES - 1).catch(() => '')).trimEnd().split(' ');
  const signed = rest.join(' ');
  if (!signer.isFilter(mac, rainId, signed)) return undefined;
  const { bytes, sha256, ends } = header.parse(readJson(signed));
  const found = Buffer.from(new ArrayBuffer(bytes));
  for (let at = 0; at < bytes; at += CHUNK_BYTES) {
    const chunk = await redis.getrangeBuffer(
      winners,
      HEADER_BYTES + at,
      HEADER_BYTES + Math.min(at + CHUNK_BYTES, bytes) - 1,
    );
    chunk.copy(found, at);
  }
  return (await digestOf(found)) === sha256 ? { filter: new UserFilter(found.buffer as ArrayBuffer), ends } : undefined;
}

/** SHA-256, a chunk per turn of the event loop: a large filter would keep grabs waiting. */
async function digestOf(bytes: Buffer): Promise<string> {
  const hash = createHash('sha256');
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    hash.update(bytes.subarray(at, at + CHUNK_BYTES));
    await nextTurn();
  }
  return hash.digest('base64url');
}
