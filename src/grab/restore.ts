import { z } from 'zod';
import { parseClaim, type Claim } from '../rain/claim.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import { campaignKeys, shardKeys } from '../store/keys.ts';
import { run } from '../store/scripts.ts';
import { packetElement } from '../store/loadPackets.ts';

/** A win as its user was told. */
export interface ToldClaim {
  rainId: string;
  shard: number;
  userId: string;
  redPacketId: string;
  amount: string;
  /** When it was told, by Redis's clock, epoch ms. */
  at: number;
}

/** What became of the told wins of one rain that Redis did not hold any more. */
export interface Restored {
  rainId: string;
  /** They are there again as if nothing had happened. */
  putBack: number;
  /** Their packet, or their user, had another claim by then: they are in the log, and the book decides. */
  contested: number;
  /** Nothing could be put back: the rain was settled without them, or Redis knows nothing of it any more. */
  lost: { why: 'settled' | 'gone'; claims: ToldClaim[] } | undefined;
}

/** Some shards could not be looked at; what became of the others is known. */
export class RestoreFault extends AggregateError {
  override name = 'RestoreFault';
  readonly restored: readonly Restored[];
  constructor(faults: readonly unknown[], shards: number, restored: readonly Restored[]) {
    super(faults, `what was told cannot be looked for in ${faults.length} of ${shards} shards: ${String(faults[0])}`);
    this.restored = restored;
  }
}

/** Claims per HMGET, and per script call, whose worst case is a search of the list for each. */
const LOOK_MAX = 512;
const RESTORE_MAX = 32;

const reply = z.union([z.tuple([z.int(), z.int(), z.int()]), z.enum(['settled', 'frozen']), z.null()]);

/**
 * Looks whether Redis still holds these wins, and puts back what it has lost; see lua/restore.lua. Several gateways may do
 * it at once, and again: what is there is left alone.
 *
 * @param redis the connection that was lost and is ready again: another one may still lead to the old server
 * @returns only rains of which something was missing
 * @throws RestoreFault when Redis cannot be reached; to be done again then
 */
export async function restoreTold(redis: RedisClient, told: Iterable<ToldClaim>): Promise<Restored[]> {
  const shards = new Map<string, ToldClaim[]>();
  for (const claim of told) {
    const name = `${claim.rainId}/${claim.shard}`;
    const known = shards.get(name);
    if (known) known.push(claim);
    else shards.set(name, [claim]);
  }
  const rains = new Map<string, Restored>();
  const faults: unknown[] = [];
  for (const claims of shards.values()) {
    try {
      // In the order in which they were told: then each is found right at the tail of the list.
      for (const part of parts(await missingOf(redis, claims), RESTORE_MAX)) await putBack(redis, part, rains);
    } catch (error) {
      // One shard that cannot be looked at keeps nobody else waiting for his.
      faults.push(error);
    }
  }
  if (faults.length > 0) throw new RestoreFault(faults, shards.size, [...rains.values()]);
  return [...rains.values()];
}

async function missingOf(redis: RedisClient, claims: readonly ToldClaim[]): Promise<ToldClaim[]> {
  const looks = parts(claims, LOOK_MAX).map(async (part) => {
    const held = await redis.hmget(shardKeys(part[0]!.rainId, part[0]!.shard).claimed, ...part.map(({ userId }) => userId));
    return part.filter((claim, i) => !isSame(held[i], claim));
  });
  return (await Promise.all(looks)).flat();
}

function isSame(entry: string | null | undefined, { redPacketId, amount }: ToldClaim): boolean {
  const parsed = typeof entry === 'string' ? parseClaim(entry) : undefined;
  return parsed?.ok === true && parsed.claim.redPacketId === redPacketId && parsed.claim.amount === amount;
}

async function putBack(redis: RedisClient, claims: readonly ToldClaim[], rains: Map<string, Restored>): Promise<void> {
  const { rainId, shard } = claims[0]!;
  const { state, packets, claimed, claims: log, restored } = shardKeys(rainId, shard);
  const done = reply.parse(await run(redis, 'restore', [state, packets, claimed, log, restored, campaignKeys(rainId, shard).wins], claims.flatMap(toArguments)));
  if (done === 'frozen') throw new Error(`the rain ${rainId} is being settled`);
  const rain = rains.get(rainId) ?? { rainId, putBack: 0, contested: 0, lost: undefined };
  if (Array.isArray(done)) {
    rain.putBack += done[0];
    rain.contested += done[1];
  } else {
    rain.lost = { why: done ?? 'gone', claims: [...rain.lost?.claims ?? [], ...claims] };
  }
  if (rain.putBack > 0 || rain.contested > 0 || rain.lost) rains.set(rainId, rain);
}

function toArguments({ rainId, userId, redPacketId, amount, at }: ToldClaim): string[] {
  const claim: Claim = { rainId, redPacketId, amount, userId, at: String(at) };
  return [userId, JSON.stringify(claim), packetElement(redPacketId, amount)];
}

function parts<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size));
}
