import { ROUNDS_MAX } from '../../rain/campaign.ts';
import { iso } from '../../rain/figures.ts';
import { stateAt, type RainState } from '../../rain/rain.ts';
import { QUANTITY_MAX, type Units } from '../../sale/units.ts';
import type { BookedSale } from '../../ledger/sales.ts';
import type { PlacedUnits } from '../../ledger/stock.ts';
import { redisNow } from '../../store/rains.ts';
import { readSale, type StoredSale } from '../../store/sales.ts';
import { countUndelivered } from '../../store/undelivered.ts';
import type { OperatorContext } from '../context.ts';
import { wasOpened } from './lost.ts';
import { damageReason, pauseReason } from './stopped.ts';
import type { TicketRules } from '../../rain/ticketRules.ts';

/**
 * One item: plan and orders from the ledger, `left` and `booked` from Redis, which knows first. Prices are decimal
 * strings.
 */
interface ItemView {
  sku: string;
  name?: string;
  description?: string;
  picture?: string;
  price: string;
  listPrice?: string;
  /** The limit in force, with the limits of the sale and of its campaign. */
  perOrderMax: Units;
  perUserMax: Units;
  units: Units;
  /** In paid orders, and in orders that wait for their payment. */
  sold: Units;
  reserved: Units;
  /** Redis: held by reservations, and what can be reserved now. Without Redis by the ledger. */
  booked: Units;
  left: Units;
  returned: Units;
}

export interface SaleView {
  saleId: string;
  title: string;
  rehearsal?: true;
  unlisted?: true;
  invitedOnly?: true;
  campaign?: { id: string; round: number };
  /** Units that a user may hold in all sales of the campaign together. */
  boughtMax?: Units;
  /** Also `draft` while the sale is not in Redis yet; `lost`: it was opened, and Redis does not have it. */
  state: RainState | 'lost';
  opensAt: string;
  closesAt: string;
  /** When somebody has ended it, before its time. */
  endedAt?: string;
  holdMs: number;
  perUserMax?: Units;
  orderService: BookedSale['orderService'];
  items: ItemView[];
  /** Reservations made, those that the queue has accepted, and orders written. */
  reservations: number;
  relayed: number;
  orders: number;
  /** Orders that have timed out before the shop has confirmed them; absent: none. */
  undelivered?: number;
  topUps: BookedSale['topUps'];
  /** Absent: no tickets are required by the sale itself. */
  ticketRules?: TicketRules;
  /** Why nothing is granted at present. */
  held?: string;
  /** Why the background audit has paused the sale; only while it is paused. */
  pausedBecause?: string;
  /** Which counts of Redis cannot be read; those of the ledger are shown instead. */
  damaged?: string;
}

export const SALES_MAX = 1_000;

/** The newest sales, at most `limit`. */
export async function listSales(context: OperatorContext, limit = 100): Promise<SaleView[]> {
  return viewSales(context, await context.ledger.sales(Math.min(limit, SALES_MAX)));
}

/** The sales of a campaign, in order of their rounds. */
export async function salesOfCampaign(context: OperatorContext, campaignId: string): Promise<SaleView[]> {
  const views = await viewSales(context, await context.ledger.sales(ROUNDS_MAX, { campaignId }));
  return views.toSorted((a, b) => a.campaign!.round - b.campaign!.round);
}

export async function showSale(context: OperatorContext, saleId: string): Promise<SaleView | undefined> {
  const sale = await context.ledger.sale(saleId);
  return sale && (await viewSales(context, [sale]))[0];
}

async function viewSales(context: OperatorContext, sales: readonly BookedSale[]): Promise<SaleView[]> {
  const ids = sales.map(({ id }) => id);
  // The ledger is read first: an order that is written meanwhile has its reservation in Redis already.
  const [placed, orders] = await Promise.all([context.ledger.places(ids), context.ledger.countOrders(ids)]);
  const views: SaleView[] = [];
  // One after the other: nobody waits for a list that hurries.
  for (const sale of sales) {
    const stock = placed.filter(({ saleId }) => saleId === sale.id);
    views.push(await view(context, sale, stock, orders.get(sale.id)!));
  }
  return views;
}

async function view(
  context: OperatorContext,
  sale: BookedSale,
  stock: readonly PlacedUnits[],
  orders: number,
): Promise<SaleView> {
  const {
    id,
    title,
    rehearsal,
    unlisted,
    invitedOnly,
    campaign,
    boughtMax,
    holdMs,
    perUserMax,
    orderService,
    topUps,
    sealedAt,
  } = sale;
  const [stored, now, undelivered] = await Promise.all([
    readSale(context.redis, id),
    redisNow(context.redis),
    countUndelivered(context.redis, id),
  ]);
  const stops = stored ? await stopsOf(context, id, stored) : {};
  return {
    saleId: id,
    title,
    ...(rehearsal && { rehearsal: true }),
    ...(unlisted && { unlisted }),
    ...(invitedOnly && { invitedOnly }),
    ...(campaign && { campaign }),
    ...(boughtMax !== undefined && { boughtMax }),
    state: await stateOf(context, sale, stored, now),
    opensAt: iso(sale.opensAt),
    closesAt: iso(sale.closesAt),
    ...(sealedAt !== undefined && sealedAt < sale.closesAt && { endedAt: iso(sealedAt) }),
    holdMs,
    ...(perUserMax !== undefined && { perUserMax }),
    orderService,
    items: sale.items.map((item) => viewItem(sale, item, stock.find(({ sku }) => sku === item.sku)?.places, stored)),
    reservations: stored?.made ?? orders,
    relayed: stored?.relayed ?? orders,
    orders,
    ...(undelivered > 0 && { undelivered }),
    topUps,
    ...(stored?.ticketRules && stored.ticketRules.tickets !== 'off' && { ticketRules: stored.ticketRules }),
    ...stops,
  };
}

async function stateOf(
  context: OperatorContext,
  { id, settledAt }: BookedSale,
  stored: StoredSale | undefined,
  now: number,
): Promise<SaleView['state']> {
  if (settledAt !== undefined) return 'settled';
  if (stored) return stateAt(stored, now);
  return (await wasOpened(context, id)) ? 'lost' : 'draft';
}

/** Why it does not go on as planned. */
async function stopsOf(
  context: OperatorContext,
  saleId: string,
  stored: StoredSale,
): Promise<Pick<SaleView, 'held' | 'pausedBecause' | 'damaged'>> {
  const pausedBecause = stored.state === 'paused' ? await pauseReason(context, saleId) : undefined;
  const damaged = damageReason(stored);
  return {
    ...(stored.held !== undefined && { held: stored.held }),
    ...(pausedBecause !== undefined && { pausedBecause }),
    ...(damaged !== undefined && { damaged }),
  };
}

function viewItem(
  { settledAt, perUserMax: ofSale = QUANTITY_MAX, boughtMax = QUANTITY_MAX }: BookedSale,
  { sku, name, description, picture, price, listPrice, units, ...item }: BookedSale['items'][number],
  { available, reserved, sold, shop }: PlacedUnits['places'] = { available: 0, reserved: 0, sold: 0, shop: -units },
  stored: StoredSale | undefined,
): ItemView {
  const perUserMax = Math.min(item.perUserMax, ofSale, boughtMax);
  const live =
    settledAt !== undefined
      ? undefined
      : stored?.items.find((one) => one.sku === sku && !Number.isNaN(one.units + one.booked + one.sold + one.returned));
  return {
    sku,
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(picture !== undefined && { picture }),
    price,
    ...(listPrice !== undefined && { listPrice }),
    perOrderMax: Math.min(item.perOrderMax, perUserMax),
    perUserMax,
    units,
    sold,
    reserved,
    booked: live?.booked ?? reserved + sold,
    left: live ? live.units - live.booked - live.returned : available,
    returned: units + shop,
  };
}
