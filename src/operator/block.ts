import { BLOCKS_MAX, hasRoomFor, liftBlock, putBlock, readBlocks, type Block, type BlockKind } from '../store/blocks.ts';
import { redisNow } from '../store/rains.ts';
import { userId } from '../rain/claim.ts';
import { networkOf } from '../platform/network/address.ts';
import { refuse, type OperatorContext, type Refused } from './context.ts';
import { readReason } from './wording.ts';

const YEAR_MS = 366 * 24 * 3_600_000;

interface BlockOptions {
  reason: string;
  /** How long, ms; absent: until it is lifted. */
  forMs?: number;
}

type Blocked = { ok: true; block: Block } | Refused;

/**
 * Keeps a user, or all users of an address or network, away from every gateway within a second. It touches no money: what
 * he has won is credited. A block of the same one is replaced.
 */
export async function blockCaller(context: OperatorContext, kind: BlockKind, who: string, { reason: why, forMs }: BlockOptions): Promise<Blocked> {
  const named = nameOf(kind, who);
  if (named === undefined) return refuseName(kind, who);
  const given = readReason(why);
  if (!given.ok) return given;
  if (forMs !== undefined && !(Number.isInteger(forMs) && forMs >= 1_000 && forMs <= YEAR_MS)) return refuse('for', 'expected 1s to 366d');
  const since = await redisNow(context.redis);
  const block: Block = { kind, who: named, reason: given.reason, actor: context.actor, since, ...(forMs !== undefined && { until: since + forMs }) };
  if (!await hasRoomFor(context.redis, block)) return refuse('who', `${BLOCKS_MAX} blocks are in force; lift some, or block a network`);
  // First the record: who is kept out without one could not be told by whom.
  await context.ledger.record({ actor: context.actor, verb: 'block', details: { kind, who: named, reason: block.reason, ...(block.until !== undefined && { until: block.until }) } });
  await putBlock(context.redis, block);
  return { ok: true, block };
}

/** Lets him in again, at once. */
export async function liftCallerBlock(context: OperatorContext, kind: BlockKind, who: string): Promise<Blocked> {
  const named = nameOf(kind, who);
  if (named === undefined) return refuseName(kind, who);
  const { blocks } = await readBlocks(context.redis);
  if (!blocks.some((block) => block.kind === kind && block.who === named)) return refuse('who', `the ${kind} ${named} is not blocked`);
  await context.ledger.record({ actor: context.actor, verb: 'unblock', details: { kind, who: named } });
  const block = await liftBlock(context.redis, { kind, who: named });
  return block ? { ok: true, block } : refuse('who', `the ${kind} ${named} is not blocked any more`);
}

/** The blocks in force, the latest first. */
export async function listBlocks({ redis }: Pick<OperatorContext, 'redis'>): Promise<Block[]> {
  const now = await redisNow(redis);
  const { blocks } = await readBlocks(redis);
  return blocks.filter(({ until = Infinity }) => until > now).sort((a, b) => b.since - a.since);
}

function nameOf(kind: BlockKind, who: string): string | undefined {
  return kind === 'user' ? userId.safeParse(who).data : networkOf(who)?.name;
}

function refuseName(kind: BlockKind, who: string): Refused {
  return kind === 'user' ? refuse('who', 'expected 1 to 128 printable characters, the sub of a token')
    : refuse('who', `${who} is no address; expected one such as 203.0.113.7, 203.0.113.0/24 (at least /8) or 2001:db8::/48 (/16 to /64)`);
}
