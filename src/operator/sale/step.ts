import { reservationIdText } from '../../sale/ids.ts';
import { firstRefusal } from '../../rain/refusal.ts';
import { refuse, type OperatorContext, type Refused } from '../context.ts';
import { readReason } from '../wording.ts';
import { viewOrder } from './orders.ts';

/** `changed`: false when the order had this status before. */
type SteppedByHand = { ok: true; changed: boolean; order: ReturnType<typeof viewOrder> } | Refused;

const WHAT = {
  paid: 'only an order that waits for its payment can be marked as paid',
  cancelled: 'only an order that waits for its payment can be cancelled',
  refunded: 'only a paid order can be refunded',
} as const;

/**
 * Takes one step of an order by hand. The ledger decides and writes the record with it; the workers bring it to Redis
 * and tell the buyer. No money moves here: that of a sale is the shop's.
 */
async function step(
  context: OperatorContext,
  orderId: string,
  to: keyof typeof WHAT,
  why: string,
  dryRun = false,
): Promise<SteppedByHand> {
  const id = reservationIdText.safeParse(orderId);
  if (!id.success) return { ok: false, refusals: [firstRefusal(id.error, 'order')] };
  const given = readReason(why);
  if (!given.ok) return given;
  const stepped = await context.ledger.stepOrderByHand(
    id.data,
    to,
    { actor: context.actor, reason: given.reason },
    dryRun,
  );
  switch (stepped.outcome) {
    case 'done':
      return { ok: true, changed: true, order: viewOrder(stepped.order) };
    case 'was':
      return { ok: true, changed: false, order: viewOrder(stepped.order) };
    case 'refused':
      return refuse('order', `${WHAT[to]}, ${id.data} is ${stepped.order.status}`);
    case 'no_order':
      return refuse(
        'order',
        `there is no order ${id.data}; a reservation that is not written as an order yet cannot be changed`,
      );
    default:
      return stepped satisfies never;
  }
}

/** The shop has got its money in another way, such as in cash. */
export const payOrder = (context: OperatorContext, orderId: string, why: string, dryRun?: boolean) =>
  step(context, orderId, 'paid', why, dryRun);
export const cancelOrder = (context: OperatorContext, orderId: string, why: string, dryRun?: boolean) =>
  step(context, orderId, 'cancelled', why, dryRun);
export const refundOrder = (context: OperatorContext, orderId: string, why: string, dryRun?: boolean) =>
  step(context, orderId, 'refunded', why, dryRun);
