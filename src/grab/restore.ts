import { z } from 'zod';
import { isEntryOf, type Claim } from '../rain/claim.ts';
import { createSemaphore } from '../platform/concurrency/semaphore.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import { SHARDS_MAX, shardKeys } from '../store/keys.ts';
import { RESTORE_MAX, restoreClaims } from '../store/restoreClaims.ts';
import type { Signer } from '../store/signer.ts';

/**
 * A win as it was sent to its user; `at`: when, epoch ms by Redis's clock. `decided`: the script has just granted it; else
 * it was read in Redis, where somebody may have written it, and nothing but a lost line makes us write it again.
 */
export interface SentWin extends Omit<Claim, 'at' | 'mac'> {
  shard: number;
  at: number;
  decided?: boolean;
}

/** The outcome for the sent wins of one rain that Redis had lost. */
export interface Restored {
  rainId: string;
  /** Stored again as before. */
  putBack: number;
  /** Their packet or their user has another claim by now. They are in the log, and the ledger decides. */
  contested: number;
  /** Could not be put back: the rain was settled without them, or Redis has no such rain any more. */
  lost: { why: 'settled' | 'gone'; claims: SentWin[] } | undefined;
}

/** Some shards could not be checked. `restored` holds the results of the others. */
export class RestoreFault extends AggregateError {
  override name = 'RestoreFault';
  readonly restored: readonly Restored[];
  constructor(faults: readonly unknown[], shards: number, restored: readonly Restored[]) {
    super(faults, `sent wins cannot be checked in ${faults.length} of ${shards} shards: ${String(faults[0])}`);
    this.restored = restored;
  }
}

const shardCount = z.coerce.number().int().min(1).max(SHARDS_MAX).catch(SHARDS_MAX);

/** Wins per HMGET. */
const READ_MAX = 512;
/** Shards that are checked at the same time: users may wait for each of them. */
const SHARDS_AT_ONCE = 64;

/**
 * Checks whether Redis still holds these wins, and puts back those it has lost; see lua/restore.lua. Several gateways
 * may do this at once and repeatedly: a win that is stored is not changed.
 * @param redis the connection that was lost and is ready again: another one may still lead to the old server
 * @returns only rains in which a win was missing
 * @throws RestoreFault when Redis cannot be reached; then repeat it
 */
export async function restoreSentWins(
  redis: RedisClient,
  signer: Signer,
  wins: Iterable<SentWin>,
): Promise<Restored[]> {
  const shards = new Map<string, SentWin[]>();
  for (const claim of wins) {
    const name = `${claim.rainId}/${claim.shard}`;
    const known = shards.get(name);
    if (known) known.push(claim);
    else shards.set(name, [claim]);
  }
  const rains = new Map<string, Restored>();
  const faults: unknown[] = [];
  const together = createSemaphore(SHARDS_AT_ONCE);
  await Promise.all(
    [...shards.values()].map((claims) =>
      together(async () => {
        try {
          // In the order in which they were sent: then each packet is found right at the tail of the list.
          for (const chunk of chunks(await findMissing(redis, claims), RESTORE_MAX))
            await putBack(redis, signer, chunk, rains);
        } catch (error) {
          // A shard that cannot be checked does not delay the wins of the others.
          faults.push(error);
        }
      }),
    ),
  );
  if (faults.length > 0) throw new RestoreFault(faults, shards.size, [...rains.values()]);
  return [...rains.values()];
}

async function findMissing(redis: RedisClient, claims: readonly SentWin[]): Promise<SentWin[]> {
  const reads = chunks(claims, READ_MAX).map(async (chunk) => {
    const held = await redis.hmget(
      shardKeys(chunk[0]!.rainId, chunk[0]!.shard).claimed,
      ...chunk.map(({ userId }) => userId),
    );
    return chunk.filter((claim, i) => !isEntryOf(held[i], claim));
  });
  return (await Promise.all(reads)).flat();
}

async function putBack(
  redis: RedisClient,
  signer: Signer,
  claims: readonly SentWin[],
  rains: Map<string, Restored>,
): Promise<void> {
  const { rainId, shard } = claims[0]!;
  // Somebody may have written another number, for which we would look in a billion shards.
  const shards = shardCount.parse((await redis.hget(shardKeys(rainId, shard).state, 'shards')) ?? '1');
  const done = await restoreClaims(
    redis,
    signer,
    { rainId, shard, shards },
    claims.map(({ userId, redPacketId, amount, at }) => ({ rainId, redPacketId, amount, userId, at: String(at) })),
  );
  if (done === 'frozen') throw new Error(`the rain ${rainId} is being settled`);
  const rain = rains.get(rainId) ?? { rainId, putBack: 0, contested: 0, lost: undefined };
  if (Array.isArray(done)) {
    rain.putBack += done[0];
    rain.contested += done[1];
  } else {
    rain.lost = { why: done ?? 'gone', claims: [...(rain.lost?.claims ?? []), ...claims] };
  }
  if (rain.putBack > 0 || rain.contested > 0 || rain.lost) rains.set(rainId, rain);
}

function chunks<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size));
}
