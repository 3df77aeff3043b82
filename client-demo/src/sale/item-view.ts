import type { BuyOutcome, Order, SaleSnapshot } from '../../../src/client/client.ts';
import { QUANTITY_MAX } from '../../../src/sale/purchase.ts';
import { holdsUnits } from '../../../src/sale/order.ts';

type Item = SaleSnapshot['items'][number];
export type Miss = Exclude<BuyOutcome, { kind: 'reserved' | 'already_reserved' }>;

/** How far a purchase without an answer has come. */
export type Progress = 'sent' | 'preparing' | 'busy' | 'too_fast' | 'waiting';
/** The word below an item. `gone`: none is left, and nothing is known of why. `back`: units have come back. */
export type Answer = Miss['kind'] | 'gone' | 'back';

/**
 * `buy`: it can be bought · `asking`: a purchase has no answer yet · `gone`: none is left, some may come back ·
 * `sold_out`: told so by the server, for good · the others: it cannot be bought, and why.
 */
type ItemFace = 'soon' | 'buy' | 'asking' | 'gone' | 'sold_out' | 'limit' | 'paused' | 'over';

export interface ItemView {
  sku: string;
  name: string;
  description?: string;
  price: string;
  listPrice?: string;
  picture?: string;
  left: number;
  /** Fraction of the units that is left, 0 to 1. */
  share: number;
  /** The limit that leaves this buyer the fewest units: how many, and how many of them the buyer has. */
  limit?: number;
  held: number;
  /** The limit counts the units of all items of the sale together. */
  limitIsOfSale?: true;
  quantity: number;
  quantityMax: number;
  face: ItemFace;
  progress?: Progress;
  answer?: Answer;
  /** When the next unit may come back, epoch ms. */
  backAt?: number;
  /** Present while a bell can be set. */
  bell?: boolean;
}

/** This page's knowledge of an item besides the snapshot of its sale. */
export interface ItemNotes {
  progress?: Progress | undefined;
  /** The last answer without a reservation. */
  miss?: Miss | undefined;
  /** Units have come back since the last answer. */
  back?: boolean;
  bell?: boolean;
  /** The buyer's choice. */
  quantity?: number | undefined;
}

export function itemView(sale: SaleSnapshot, item: Item, orders: readonly Order[], notes: ItemNotes): ItemView {
  const { sku, name = sku, description, price, listPrice, picture, units } = item;
  // The answer is newer than the snapshot. When units come back, the miss is forgotten.
  const left = isGone(notes.miss) ? 0 : item.left;
  const allowed = allowance(sale, item, orders);
  const quantityMax = Math.max(1, Math.min(item.perOrderMax ?? QUANTITY_MAX, allowed, left || 1));
  const face = faceOf(sale, left, allowed, notes);
  const answer = answerOf(face, notes);
  const limit = tightestLimit(sale, item, orders);
  return {
    sku,
    name,
    ...(description !== undefined && { description }),
    price,
    ...(listPrice !== undefined && listPrice !== price && { listPrice }),
    ...(picture !== undefined && { picture }),
    left,
    share: units > 0 ? left / units : 0,
    held: limit?.held ?? heldOf(orders, sku),
    quantityMax,
    face,
    ...(limit && { limit: limit.max, ...(limit.isOfSale && { limitIsOfSale: true }) }),
    quantity: Math.min(notes.quantity ?? 1, quantityMax),
    ...(face === 'asking' && notes.progress && { progress: notes.progress }),
    ...(answer && { answer }),
    ...((answer === 'all_reserved' || answer === 'gone') && returnOf(item, notes)),
  };
}

/** When the next piece may come back, and whether a bell is set. */
function returnOf(item: Item, { miss, bell = false }: ItemNotes): Pick<ItemView, 'backAt' | 'bell'> {
  const backAt = item.backAt ?? (miss && 'backAt' in miss ? miss.backAt : undefined);
  return { ...(backAt !== undefined && { backAt }), bell };
}

function faceOf({ state }: SaleSnapshot, left: number, allowed: number, { progress, miss }: ItemNotes): ItemFace {
  if (progress) return 'asking';
  switch (state) {
    case 'draft':
    case 'loaded':
      return 'soon';
    case 'paused':
      return 'paused';
    case 'closed':
    case 'settled':
      return 'over';
    case 'open':
      break;
    default:
      return state satisfies never;
  }
  if (allowed <= 0) return 'limit';
  if (left > 0) return 'buy';
  // Only the server's answer says that nothing comes back: a snapshot may not know the next deadline yet.
  return miss?.kind === 'sold_out' ? 'sold_out' : 'gone';
}

function answerOf(face: ItemFace, { miss, back }: ItemNotes): Answer | undefined {
  if (face === 'gone') return miss?.kind ?? 'gone';
  if (face !== 'buy' && face !== 'sold_out') return undefined;
  return miss?.kind ?? (back ? 'back' : undefined);
}

/** None was left when it was asked for. */
export function isGone(miss: Miss | undefined): boolean {
  return miss?.kind === 'all_reserved' || miss?.kind === 'sold_out';
}

/** Units that the buyer may still have; Infinity: without limit. */
function allowance(sale: SaleSnapshot, item: Item, orders: readonly Order[]): number {
  const limit = tightestLimit(sale, item, orders);
  return limit ? limit.max - limit.held : Number.POSITIVE_INFINITY;
}

interface BuyerLimit {
  max: number;
  held: number;
  isOfSale: boolean;
}

/**
 * The one of the limits of the item and of the sale that leaves fewer units. In a sale of one item both count the same
 * units.
 */
function tightestLimit(
  { perUserMax, items }: SaleSnapshot,
  item: Item,
  orders: readonly Order[],
): BuyerLimit | undefined {
  const limits: BuyerLimit[] = [];
  if (item.perUserMax !== undefined)
    limits.push({ max: item.perUserMax, held: heldOf(orders, item.sku), isOfSale: false });
  if (perUserMax !== undefined) limits.push({ max: perUserMax, held: heldOf(orders), isOfSale: items.length > 1 });
  return limits.sort((a, b) => a.max - a.held - (b.max - b.held))[0];
}

/** @param sku absent: of all items */
function heldOf(orders: readonly Order[], sku?: string): number {
  return orders.reduce(
    (sum, order) => (holdsUnits(order.status) && (sku === undefined || order.sku === sku) ? sum + order.quantity : sum),
    0,
  );
}
