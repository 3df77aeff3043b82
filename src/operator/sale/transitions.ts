import type { BookedSale } from '../../ledger/sales.ts';
import { stateAt, type RainState, type StoredState } from '../../rain/rain.ts';
import type { Units } from '../../sale/units.ts';
import { redisNow } from '../../store/rains.ts';
import { readSale, type StoredItem } from '../../store/sales.ts';
import { saleKeys } from '../../store/saleKeys.ts';
import { announceSale, close, reschedule } from '../../store/saleTransitions.ts';
import { refuse, type OperatorContext, type Refused } from '../context.ts';
import { progressOf, type Progress } from './expectedState.ts';
import { hasLostSale, lostSaleReason, noSaleReason } from './lost.ts';
import { restoreState } from './restoreFields.ts';
import { damageReason } from './stopped.ts';

type Transitioned = { ok: true; state: RainState; opensAt: number; closesAt: number } | Refused;

/**
 * Recorded first: the record decides what state the sale should have, so whatever is cut after it, the background audit
 * finishes, and a state that somebody has made by hand stands in nobody's way.
 * @param before how far the sale must be by the record @param right the state that it gets in Redis
 */
function transition(
  verb: 'pause' | 'resume',
  { before, right, refusal }: { before: readonly Progress[]; right: StoredState; refusal: string },
) {
  return async (context: OperatorContext, saleId: string): Promise<Transitioned> => {
    const found = await findSale(context, saleId);
    if (!found.ok) return found;
    const progress = progressOf(found.sale, await context.ledger.actions(saleId), await redisNow(context.redis));
    if (!before.includes(progress))
      return refuse('state', `${refusal}, ${saleId} is ${progress === 'over' ? 'closed' : progress}`);
    await context.ledger.record({ actor: context.actor, verb, rainId: saleId, details: {} });
    if (!(await restoreState(context, saleId, right)))
      return refuse('state', `the state of the sale ${saleId} is just changing; check it and try again`);
    await announceSale(context.redis, saleId);
    return present(context, saleId);
  };
}

/** A sale that is not settled, and that Redis has. */
async function findSale(context: OperatorContext, saleId: string): Promise<{ ok: true; sale: BookedSale } | Refused> {
  const sale = await context.ledger.sale(saleId);
  if (!sale) return refuse('id', await noSaleReason(context, saleId));
  if (sale.settledAt !== undefined) return refuse('id', `the sale ${saleId} is settled`);
  if (await hasLostSale(context, sale)) return refuse('id', lostSaleReason(saleId));
  return (await context.redis.exists(saleKeys(saleId).state)) === 1
    ? { ok: true, sale }
    : refuse('id', `Redis does not have the sale ${saleId}; write it there with load`);
}

async function present(context: OperatorContext, saleId: string): Promise<Transitioned> {
  const stored = await readSale(context.redis, saleId);
  if (!stored) return refuse('id', `Redis does not have the sale ${saleId}; write it there with load`);
  return {
    ok: true,
    state: stateAt(stored, await redisNow(context.redis)),
    opensAt: stored.opensAt,
    closesAt: stored.closesAt,
  };
}

/** Nothing is sold for a while; the end does not move, and reservations are paid as before. */
export const pauseSale = transition('pause', {
  before: ['loaded', 'paused'],
  right: 'paused',
  refusal: 'only a loaded sale can be paused',
});

export const resumeSale = transition('resume', {
  before: ['loaded', 'paused'],
  right: 'loaded',
  refusal: 'only a paused sale can be resumed',
});

/**
 * Ends a sale now, for good: nothing is sold that the ledger does not expect, so Redis comes before the seal. Units
 * that come back go to the shop.
 */
export async function endSale(context: OperatorContext, saleId: string): Promise<Transitioned> {
  const found = await findSale(context, saleId);
  if (!found.ok) return found;
  // Before anything else, so that a sale which is closed in Redis is closed by somebody.
  await context.ledger.record({ actor: context.actor, verb: 'end-sale', rainId: saleId, details: {} });
  if ((await close(context.redis, saleId, 'early')) === 'settled') await restoreState(context, saleId, 'closed');
  await context.ledger.sealSale(saleId);
  const [moved, sale] = [await present(context, saleId), await context.ledger.sale(saleId)];
  // The planned end stays in Redis: what is told is when it has really ended.
  return moved.ok && sale?.sealedAt !== undefined
    ? { ...moved, closesAt: Math.min(moved.closesAt, sale.sealedAt) }
    : moved;
}

/** `left`: units that nobody could buy any more; `waiting`: units of reservations, which may still be paid. */
type EndDryRun = { ok: true; left: Units; waiting: Units } | Refused;

export async function endDryRun(context: OperatorContext, saleId: string): Promise<EndDryRun> {
  const sale = await context.ledger.sale(saleId);
  if (!sale) return refuse('id', await noSaleReason(context, saleId));
  if (sale.settledAt !== undefined) return refuse('id', `the sale ${saleId} is settled`);
  const stored = await readSale(context.redis, saleId);
  if (!stored)
    return refuse(
      'id',
      (await hasLostSale(context, sale))
        ? lostSaleReason(saleId)
        : `Redis does not have the sale ${saleId}; write it there with load`,
    );
  const damaged = damageReason(stored);
  if (damaged !== undefined) return refuse('id', damaged);
  const sum = (of: (item: StoredItem) => Units) => stored.items.reduce((total, item) => total + of(item), 0);
  return {
    ok: true,
    left: sum(({ units, booked, returned }) => units - booked - returned),
    waiting: sum(({ booked, sold }) => booked - sold),
  };
}

/**
 * Starts a loaded sale now and keeps its duration; a paused one stays paused. Safe to repeat: it keeps the first start.
 */
export async function startSale(context: OperatorContext, saleId: string): Promise<Transitioned> {
  const sale = await context.ledger.sale(saleId);
  if (!sale) return refuse('id', await noSaleReason(context, saleId));
  const now = await redisNow(context.redis);
  const progress = progressOf(sale, await context.ledger.actions(saleId), now);
  if (progress === 'loaded' || progress === 'paused') await restoreState(context, saleId, progress);
  const stored = await readSale(context.redis, saleId);
  const state = stored && (progress === 'draft' ? progress : stateAt(stored, now));
  if (state !== 'loaded' && state !== 'paused' && state !== 'open')
    return refuse(
      'state',
      `only a loaded sale can be started, ${saleId} is ${state ?? 'gone'}${state === 'draft' ? '; load it first' : ''}`,
    );
  if (now >= sale.opensAt)
    return (await wasStarted(context, saleId))
      ? move(context, sale)
      : refuse('state', `the sale ${saleId} has opened at ${new Date(sale.opensAt).toISOString()}`);
  const window = { opensAt: now, closesAt: sale.closesAt - (sale.opensAt - now) };
  // Only if the window is unchanged since it was read: another operator may have started it meanwhile.
  if (await context.ledger.rescheduleSale(saleId, window, { actor: context.actor, verb: 'start' }, sale))
    return move(context, { id: saleId, ...window });
  const current = await context.ledger.sale(saleId);
  return current && (await wasStarted(context, saleId))
    ? move(context, current)
    : refuse(
        'state',
        `the sale ${saleId} was changed by another operator just now, or is over; check it and try again`,
      );
}

/** Writes the ledger's window to Redis. */
async function move(
  context: OperatorContext,
  { id, opensAt, closesAt }: Pick<BookedSale, 'id' | 'opensAt' | 'closesAt'>,
): Promise<Transitioned> {
  const moved = await reschedule(context.redis, id, { opensAt, closesAt });
  if (moved === 'gone') return refuse('id', lostSaleReason(id));
  if (moved === 'opened') return refuse('state', `the sale ${id} has opened, or is over`);
  return present(context, id);
}

async function wasStarted({ ledger }: OperatorContext, saleId: string): Promise<boolean> {
  return (await ledger.actions(saleId)).some(({ verb }) => verb === 'start');
}
