import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { figure } from '../../rain/figures.ts';
import { plainId } from '../../rain/ids.ts';
import { stateAt } from '../../rain/rain.ts';
import { refusalsOf } from '../../rain/refusal.ts';
import { sku } from '../../sale/ids.ts';
import { units, UNITS_MAX, type Units } from '../../sale/units.ts';
import { SALE_TOP_UPS_MAX, type BookedSale } from '../../ledger/sales.ts';
import { redisNow } from '../../store/rains.ts';
import { addUnits, readSale } from '../../store/sales.ts';
import { announceSale } from '../../store/saleTransitions.ts';
import { existsAlready, refuse, type OperatorContext, type Refused } from '../context.ts';
import { hasLostSale, lostSaleReason, noSaleReason } from './lost.ts';

const topUpRequest = z.strictObject({ id: plainId.optional(), sku, units, dryRun: z.boolean().default(false) });

/** The same id adds the same units only once; absent: a new id is made, and a repetition adds units again. */
type SaleTopUpRequest = z.input<typeof topUpRequest>;

type SaleToppedUp =
  | {
      ok: true;
      saleId: string;
      id: string;
      sku: string;
      units: Units;
      /** Units of this item, top-ups included. */
      total: Units;
      /** False: the sale is not in Redis yet; `openSale` will bring these units, too. */
      loaded: boolean;
    }
  | Refused;

/**
 * Adds units to an item: first in the ledger, then in Redis. If it is cut, repeat it with the same id, or open the sale
 * again.
 */
export async function topUpSale(
  context: OperatorContext,
  saleId: string,
  request: SaleTopUpRequest,
): Promise<SaleToppedUp> {
  const parsed = topUpRequest.safeParse(request);
  if (!parsed.success) return { ok: false, refusals: refusalsOf(parsed.error, 'top-up') };
  const { dryRun, id = randomUUID(), ...added } = parsed.data;
  const sale = await context.ledger.sale(saleId);
  if (!sale) return refuse('sale', await noSaleReason(context, saleId));
  const existing = sale.topUps.find((topUp) => topUp.id === id);
  const over = await overReasonOf(context, sale);
  if (over !== undefined) return refuse('sale', existing ? lateReason(over, existing) : over);
  const done = await context.ledger.addStock({ id, saleId, ...added }, context.actor, UNITS_MAX, dryRun);
  switch (done.outcome) {
    case 'no_sale':
      return refuse('sale', await noSaleReason(context, saleId));
    case 'no_item':
      return refuse(
        'sku',
        `the sale ${saleId} has no item ${added.sku}; expected ${sale.items.map((item) => item.sku).join(' or ')}`,
      );
    case 'sealed':
      return refuse('sale', `the sale ${saleId} is over; nothing was added`);
    case 'too_much':
      return refuse(
        'units',
        `an item has at most ${figure(UNITS_MAX)} units, and a sale ${SALE_TOP_UPS_MAX} top-ups; this one has ${sale.topUps.length}`,
      );
    case 'differs':
      return existsAlready('top-up', id, done.fields);
    case 'added':
    case 'exists':
      break;
    default:
      return done satisfies never;
  }
  const before = sale.items.find((item) => item.sku === added.sku)!.units;
  if (dryRun)
    return {
      ok: true,
      saleId,
      id,
      ...added,
      total: before + (done.outcome === 'added' ? added.units : 0),
      loaded: false,
    };
  return bring(context, saleId, done.topUp);
}

async function bring(
  context: OperatorContext,
  saleId: string,
  topUp: BookedSale['topUps'][number],
): Promise<SaleToppedUp> {
  const { id, sku: item, units: count } = topUp;
  const added = await addUnits(context.redis, saleId, topUp);
  await announceSale(context.redis, saleId);
  if (added === 'over') return refuse('sale', lateReason(`the sale ${saleId} is over`, topUp));
  if (added === 'no_item')
    return refuse(
      'sale',
      `Redis does not have the item ${item} of the sale ${saleId}: somebody has changed it; see rain sale audit ${saleId}`,
    );
  const total = (await context.ledger.sale(saleId))!.items.find(({ sku: other }) => other === item)!.units;
  return { ok: true, saleId, id, sku: item, units: count, total, loaded: added !== 'no_sale' };
}

/** Why nothing can be added any more; `undefined`: top-ups are accepted. */
async function overReasonOf(context: OperatorContext, sale: BookedSale): Promise<string | undefined> {
  if (sale.settledAt !== undefined) return `the sale ${sale.id} is settled`;
  if (sale.sealedAt !== undefined) return `the sale ${sale.id} was ended`;
  if (await hasLostSale(context, sale)) return lostSaleReason(sale.id);
  const stored = await readSale(context.redis, sale.id);
  const now = await redisNow(context.redis);
  const isOver = stored ? ['closed', 'settled'].includes(stateAt(stored, now)) : now >= sale.closesAt;
  return isOver ? `the sale ${sale.id} is over` : undefined;
}

function lateReason(why: string, { sku: item, units: count }: { sku: string; units: Units }): string {
  return `${why}; the ${count} ${item} of this top-up are in the ledger, and go back to the shop when the sale is settled`;
}
