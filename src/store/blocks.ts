import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { readJson } from '../rain/json.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import { publish } from './events.ts';
import { BLOCKS_KEY } from './keys.ts';
import { requireHash, type HashLimits } from './readHash.ts';
import { run } from './scripts.ts';

/** Every gateway keeps all blocks in memory [R10]. */
export const BLOCKS_MAX = 10_000;
/** The blocks and their version; a reason has at most a few hundred characters [R10]. */
const LIMITS: HashLimits = { fieldsMax: BLOCKS_MAX + 1, bytesMax: 2_048 * BLOCKS_MAX };
/** A field whose text changes with every change of the list. A block that merely expires does not change it. */
const VERSION = 'version';

const block = z.object({
  kind: z.enum(['user', 'address']),
  /** A userId, or a network as `networkOf` names it. */
  who: z.string(),
  reason: z.string(),
  actor: z.string(),
  /** Epoch ms by Redis's clock. Without `until` the block lasts until an operator lifts it. */
  since: z.number(),
  until: z.number().optional(),
});
export type Block = z.infer<typeof block>;
export type BlockKind = Block['kind'];
type Blocked = Pick<Block, 'kind' | 'who'>;

const nameOf = ({ kind, who }: Blocked): string => `${kind}:${who}`;

/** The current version text. Far cheaper to read than the list. */
export async function blocksVersion(redis: RedisClient): Promise<string | undefined> {
  return (await redis.hget(BLOCKS_KEY, VERSION)) ?? undefined;
}

/** May include expired blocks. Entries that do not parse are left out: they name no user or address to block. */
export async function readBlocks(redis: RedisClient): Promise<{ version: string | undefined; blocks: Block[] }> {
  const { [VERSION]: version, ...entries } = await requireHash(redis, BLOCKS_KEY, LIMITS);
  return { version, blocks: Object.values(entries).flatMap((entry) => block.safeParse(readJson(entry)).data ?? []) };
}

/** A block of the same user or address is replaced, so there is always room for it. */
export async function hasRoomFor(redis: RedisClient, who: Blocked): Promise<boolean> {
  // The hash has one field more than there are blocks: the version.
  return (await redis.hlen(BLOCKS_KEY)) <= BLOCKS_MAX || (await redis.hexists(BLOCKS_KEY, nameOf(who))) === 1;
}

export async function putBlock(redis: RedisClient, added: Block): Promise<void> {
  await redis.hset(BLOCKS_KEY, { [nameOf(added)]: JSON.stringify(added), [VERSION]: randomUUID() });
  await publish(redis, { type: 'blocks' });
}

/** @returns the lifted block; `undefined`: there was none */
export async function liftBlock(redis: RedisClient, who: Blocked): Promise<Block | undefined> {
  const lifted = await run(redis, 'unblock', [BLOCKS_KEY], [nameOf(who), randomUUID(), '']);
  if (lifted === null) return undefined;
  await publish(redis, { type: 'blocks' });
  return block.safeParse(readJson(String(lifted))).data;
}

/** Removes an expired block, unless it has been replaced meanwhile. */
export async function clearBlock(redis: RedisClient, over: Block): Promise<void> {
  await run(redis, 'unblock', [BLOCKS_KEY], [nameOf(over), randomUUID(), JSON.stringify(over)]);
}
