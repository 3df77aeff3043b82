import { z } from 'zod';
import { plannedItems, type BookedSale } from '../../ledger/sales.ts';
import { saleId } from '../../sale/ids.ts';
import { newItems } from '../../sale/item.ts';
import { quantity } from '../../sale/units.ts';
import { refusalsOf } from '../../rain/refusal.ts';
import { ticketRules } from '../../rain/ticket-rules-check.ts';
import { redisNow } from '../../store/rains.ts';
import { saleKeys } from '../../store/saleKeys.ts';
import { draftSale } from '../../store/sales.ts';
import { announceSale } from '../../store/saleTransitions.ts';
import { nameRain, roundRequest } from '../campaign/create.ts';
import { existsAlready, refuse, type OperatorContext, type Refused } from '../context.ts';
import { newRainId } from '../create.ts';
import { followTickets } from '../tickets.ts';
import { checkWindow, moment } from '../window.ts';
import { rainTitle } from '../wording.ts';
import { hasLostSale, lostSaleReason } from './lost.ts';

/**
 * How long a reservation may wait for its payment, ms: at least as long as a page needs, and no longer than a buyer
 * thinks of it.
 */
const HOLD_MS_MIN = 1_000;
const HOLD_MS_MAX = 7 * 86_400_000;
const HOLD = `expected 1s to 7d, in whole milliseconds`;

const createRequest = z.strictObject({
  id: saleId.optional(),
  title: rainTitle.optional(),
  items: newItems,
  /** Units that a user may hold in the whole sale. */
  perUserMax: quantity.default(1),
  holdMs: z.int(HOLD).min(HOLD_MS_MIN, HOLD).max(HOLD_MS_MAX, HOLD),
  opensAt: moment,
  closesAt: moment,
  /** The round of a campaign that this sale is. Its id is then `<campaign>.<round>`. */
  campaign: roundRequest.optional(),
  /** A sale to practise: nothing is shipped, and no shop is called. */
  rehearsal: z.boolean('expected true or false').default(false),
  /** Its visibility, as in a rain. */
  unlisted: z.boolean('expected true or false').default(false),
  invitedOnly: z.boolean('expected true or false').default(false),
  /** Whether a purchase needs a ticket, and a ticket a proof of work; can be changed later, see operator/tickets.ts. */
  ticketRules: ticketRules.optional(),
  /**
   * The service that keeps the orders: this product, or the shop's own service, which is called by webhook. Default: what
   * ORDER_SERVICE says.
   */
  orderService: z.enum(['builtin', 'webhook'], 'expected builtin or webhook').optional(),
});
export type CreateSaleRequest = z.input<typeof createRequest>;

/** `stocked`: only in a dry run, whether units would be put into the stock. */
type SaleCreated = { ok: true; saleId: string; opensAt: number; closesAt: number; stocked?: boolean } | Refused;

/**
 * Books the sale and its stock in the ledger, then writes it to Redis, closed. If cut in between, `openSale` or a
 * second call finishes it.
 */
export async function createSale(
  context: OperatorContext,
  request: CreateSaleRequest,
  { dryRun = false }: { dryRun?: boolean } = {},
): Promise<SaleCreated> {
  const parsed = createRequest.safeParse(request);
  if (!parsed.success) return { ok: false, refusals: refusalsOf(parsed.error, 'sale') };
  const {
    title,
    campaign: _,
    id: __,
    rehearsal,
    unlisted,
    invitedOnly,
    ticketRules: rules,
    orderService = context.orderService ?? 'builtin',
    ...plain
  } = parsed.data;
  if (rehearsal && parsed.data.campaign)
    return refuse('rehearsal', 'units of a rehearsal would count in the campaign; rehearse with a sale outside of it');
  const { opensAt, closesAt } = plain;
  const now = await redisNow(context.redis);
  const named = await nameRain(context, parsed.data, 'sale', () => newRainId(now));
  if (!named.ok) return named;
  const { id, campaign } = named;
  const existing = await context.ledger.sale(id);
  const refusal = existing
    ? await refuseAgain(context, existing, { opensAt, closesAt }, now)
    : await refuseNew(context, id, { opensAt, closesAt }, now);
  if (refusal) return refusal;
  const booked = await context.ledger.createSale(
    {
      id,
      title: title ?? `Sale ${id}`,
      ...plain,
      orderService,
      ...(rehearsal && { rehearsal }),
      ...(unlisted && { unlisted }),
      ...(invitedOnly && { invitedOnly }),
      ...(campaign && { campaign }),
    },
    context.actor,
    dryRun,
    rules,
  );
  if (booked.outcome === 'differs') return existsAlready('sale', id, booked.fields);
  if (dryRun) return { ok: true, saleId: id, opensAt, closesAt, stocked: booked.outcome === 'created' };
  if ((await writeDraft(context, (await context.ledger.sale(id))!)) === 'taken') {
    // Somebody was faster since we looked. Nothing was sold of what was booked just now: it goes back to the shop.
    if (booked.outcome === 'created') await context.ledger.settleSale(id);
    return takenBy(id);
  }
  await followTickets(context, 'sale', id, 1);
  await announceSale(context.redis, id);
  return { ok: true, saleId: id, opensAt, closesAt };
}

/** Why a sale that is booked cannot be finished. */
async function refuseAgain(
  context: OperatorContext,
  existing: BookedSale,
  window: Pick<BookedSale, 'opensAt' | 'closesAt'>,
  now: number,
): Promise<Refused | undefined> {
  if (existing.settledAt !== undefined) return refuse('id', `the sale ${existing.id} is settled`);
  if (await hasLostSale(context, existing)) return refuse('id', lostSaleReason(existing.id));
  return checkWindow(window, now, true, 'sale');
}

async function refuseNew(
  context: OperatorContext,
  id: string,
  window: Pick<BookedSale, 'opensAt' | 'closesAt'>,
  now: number,
): Promise<Refused | undefined> {
  const refusal = checkWindow(window, now, false, 'sale');
  if (refusal) return refusal;
  // Read the ledger again: the same request may have been booked and written meanwhile.
  return (await isTaken(context, id)) && !(await context.ledger.sale(id)) ? takenBy(id) : undefined;
}

const takenBy = (id: string): Refused => refuse('id', `Redis still holds another sale ${id}`);

async function isTaken({ redis }: OperatorContext, id: string): Promise<boolean> {
  const { state, stock, buyers, reservations, relayed } = saleKeys(id);
  return (await redis.exists(state, stock, buyers, reservations, relayed)) > 0;
}

/** Writes the sale to Redis as the ledger has it, without its top-ups. Safe to repeat. */
export function writeDraft({ redis }: OperatorContext, sale: BookedSale): ReturnType<typeof draftSale> {
  const { id, title, rehearsal, unlisted, invitedOnly, opensAt, closesAt, holdMs, perUserMax, boughtMax } = sale;
  return draftSale(redis, {
    saleId: id,
    title,
    ...(rehearsal && { rehearsal: true as const }),
    ...(unlisted && { unlisted }),
    ...(invitedOnly && { invitedOnly }),
    opensAt,
    closesAt,
    holdMs,
    perUserMax,
    boughtMax,
    items: plannedItems(sale),
  });
}
