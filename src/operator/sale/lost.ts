import type { BookedSale } from '../../ledger/sales.ts';
import { redisNow } from '../../store/rains.ts';
import { forgetSale } from '../../store/saleEnd.ts';
import { saleKeys } from '../../store/saleKeys.ts';
import { hasTraces, keepSale, listSale, liveSales, settledSales } from '../../store/sales.ts';
import type { OperatorContext } from '../context.ts';

/**
 * Whether Redis lost a sale in which somebody may have reserved. Written there again, it would sell the same units
 * twice.
 */
export async function hasLostSale(
  context: OperatorContext,
  { id, opensAt }: Pick<BookedSale, 'id' | 'opensAt'>,
): Promise<boolean> {
  if ((await context.redis.exists(saleKeys(id).state)) === 1) return false;
  return (await wasOpened(context, id)) && (await redisNow(context.redis)) >= opensAt;
}

/**
 * `load` is recorded before the sale is opened in Redis; a ledger from an older backup may lack the record, and have
 * orders.
 */
export async function wasOpened({ ledger }: Pick<OperatorContext, 'ledger'>, saleId: string): Promise<boolean> {
  return (
    (await ledger.actions(saleId)).some(({ verb }) => verb === 'load') ||
    (await ledger.orders({ saleId }, 1)).length > 0
  );
}

/**
 * Whether an operator has given this sale up: it is settled without an audit, when no order of it waits for its
 * payment.
 */
export async function isWrittenOff({ ledger }: Pick<OperatorContext, 'ledger'>, saleId: string): Promise<boolean> {
  return (await ledger.actions(saleId)).some(({ verb }) => verb === 'write-off');
}

/** Sales per look at most [R10]. */
const SALES_MAX = 1_000;

/** Sales that were opened, are neither settled nor given up, and are not in Redis or not in its index. */
export async function findLostSales(context: OperatorContext): Promise<string[]> {
  // The ledger first: a sale that is settled in between is rightly gone from the index.
  const sales = await context.ledger.sales(SALES_MAX, 'unsettled');
  if (sales.length === 0) return [];
  const [live, settled] = await Promise.all([liveSales(context.redis), settledSales(context.redis)]);
  const lost: string[] = [];
  for (const { id } of sales) {
    if ((live.has(id) || settled.has(id)) && (await context.redis.exists(saleKeys(id).state)) === 1) continue;
    if (
      (await wasOpened(context, id)) &&
      !(await isWrittenOff(context, id)) &&
      (await context.ledger.sale(id))?.settledAt === undefined
    )
      lost.push(id);
  }
  return lost;
}

/**
 * Sales that Redis has, and that the index of live ones lacks or has as something else, get their entry again: without
 * it nothing of them is carried, followed by the audit or settled, and its title is what buyers read. @returns their
 * ids
 */
export async function relistSales({ redis, ledger }: Pick<OperatorContext, 'redis' | 'ledger'>): Promise<string[]> {
  // The ledger first, as above.
  const sales = await ledger.sales(SALES_MAX, 'unsettled');
  if (sales.length === 0) return [];
  const [live, settled] = await Promise.all([liveSales(redis), settledSales(redis)]);
  const relisted: string[] = [];
  for (const { id, title, rehearsal } of sales) {
    const listed = live.get(id);
    if (
      (listed?.title === title && listed.rehearsal === (rehearsal || undefined)) ||
      (await redis.exists(saleKeys(id).state)) === 0
    )
      continue;
    // A ledger that was restored to before the settlement needs what Redis still has of the sale.
    if (settled.has(id) && (await ledger.sale(id))?.settledAt !== undefined) continue;
    await keepSale(redis, id);
    await listSale(redis, id, { title, ...(rehearsal && { rehearsal: true }) });
    if (settled.has(id)) await forgetSale(redis, id);
    relisted.push(id);
  }
  return relisted;
}

/** The notice for a sale that `findLostSales` names. */
export async function lostSaleNotice({ redis }: Pick<OperatorContext, 'redis'>, saleId: string): Promise<string> {
  if ((await redis.exists(saleKeys(saleId).state)) === 0) return lostSaleReason(saleId);
  return `the sale ${saleId} is not in the index of Redis, so no order follows from its reservations; put it back with: rain sale load ${saleId}`;
}

export function lostSaleReason(saleId: string): string {
  return `Redis has lost the sale ${saleId}; reservations that had no order yet are unknown; while it is not over, it is brought back from the ledger with: rain restore apply ${saleId} --reason "…"; give it up with: rain sale write-off ${saleId} --reason "…"`;
}

/** Why the ledger has no such sale: it exists nowhere, or in Redis only, or is a rain. */
export async function noSaleReason(
  { redis, ledger }: Pick<OperatorContext, 'redis' | 'ledger'>,
  saleId: string,
): Promise<string> {
  if (await ledger.rain(saleId))
    return `there is no sale ${saleId}; it is a rain, see rain show ${saleId} or rain audit ${saleId}`;
  return (await hasTraces(redis, saleId))
    ? `Redis has the sale ${saleId}, and the ledger does not know it: PostgreSQL came back from an older backup, or is another one; nothing is sold in it meanwhile; its buyers are listed by rain restore check ${saleId}`
    : `there is no sale ${saleId}`;
}
