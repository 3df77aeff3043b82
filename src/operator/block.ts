import {
  BLOCKS_MAX,
  hasRoomFor,
  liftBlock,
  putBlock,
  readBlocks,
  type Block,
  type BlockKind,
} from '../store/blocks.ts';
import { redisNow } from '../store/rains.ts';
import { userId } from '../rain/ids.ts';
import { networkOf } from '../platform/network/address.ts';
import { refuse, type OperatorContext, type Refused } from './context.ts';
import { readReason } from './wording.ts';

const YEAR_MS = 366 * 24 * 3_600_000;

type Blocked = { ok: true; block: Block } | Refused;

/** Blocks at every gateway within a second, until lifted if `forMs` is absent. The user's wins are credited. */
export async function blockCaller(
  context: OperatorContext,
  kind: BlockKind,
  target: string,
  { reason: why, forMs }: { reason: string; forMs?: number },
): Promise<Blocked> {
  const name = nameOf(kind, target);
  if (name === undefined) return refuseName(kind, target);
  const given = readReason(why);
  if (!given.ok) return given;
  if (forMs !== undefined && !(Number.isInteger(forMs) && forMs >= 1_000 && forMs <= YEAR_MS))
    return refuse('for', 'expected 1s to 366d');
  const since = await redisNow(context.redis);
  const block: Block = {
    kind,
    who: name,
    reason: given.reason,
    actor: context.actor,
    since,
    ...(forMs !== undefined && { until: since + forMs }),
  };
  if (!(await hasRoomFor(context.redis, block)))
    return refuse('who', `${BLOCKS_MAX} blocks are in force; lift some, or block a network`);
  // Record first: there must be no block without a record of who set it.
  await context.ledger.record({
    actor: context.actor,
    verb: 'block',
    details: { kind, who: name, reason: block.reason, ...(block.until !== undefined && { until: block.until }) },
  });
  await putBlock(context.redis, block);
  return { ok: true, block };
}

/** Lifts a block at once. */
export async function liftCallerBlock(context: OperatorContext, kind: BlockKind, target: string): Promise<Blocked> {
  const name = nameOf(kind, target);
  if (name === undefined) return refuseName(kind, target);
  const { blocks } = await readBlocks(context.redis);
  if (!blocks.some((block) => block.kind === kind && block.who === name))
    return refuse('who', `the ${kind} ${name} is not blocked`);
  await context.ledger.record({ actor: context.actor, verb: 'unblock', details: { kind, who: name } });
  const block = await liftBlock(context.redis, { kind, who: name });
  return block ? { ok: true, block } : refuse('who', `the ${kind} ${name} is not blocked any more`);
}

/** The blocks in force, the latest first. */
export async function listBlocks({ redis }: Pick<OperatorContext, 'redis'>): Promise<Block[]> {
  const now = await redisNow(redis);
  const { blocks } = await readBlocks(redis);
  return blocks.filter(({ until = Infinity }) => until > now).sort((a, b) => b.since - a.since);
}

function nameOf(kind: BlockKind, target: string): string | undefined {
  return kind === 'user' ? userId.safeParse(target).data : networkOf(target)?.name;
}

function refuseName(kind: BlockKind, target: string): Refused {
  return kind === 'user'
    ? refuse('who', 'expected 1 to 128 printable characters, the sub of a token')
    : refuse(
        'who',
        `${target} is not an address; expected one such as 203.0.113.7, 203.0.113.0/24 (at least /8) or 2001:db8::/48 (/16 to /64)`,
      );
}
