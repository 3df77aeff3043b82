import { z } from 'zod';
import { SEARCHED_STATUSES } from '../../operator/sale/orders.ts';
import { ORDER_DEAD_REASONS, type OrderDeadReason } from '../../orders/deadLetter.ts';
import { reservationIdText, saleId } from '../../sale/ids.ts';
import { count, limit, money, numericCursor, reason, time, type Endpoint } from './endpoint.ts';
import { deadLetterParams, deadTag as tag, DEAD_PATH, SKIP_MAX } from './dead.ts';
import { SALES_PATH, saleParams } from './sales.ts';

const deadReason = z.enum(Object.keys(ORDER_DEAD_REASONS) as [OrderDeadReason, ...OrderDeadReason[]]);

/** The same fields as in `rain sale dead list --json`. */
const letter = z.object({
  letterId: z.string(),
  saleId: z.string(),
  index: count.describe('Position in the reservation log.'),
  entry: z.string(),
  reason: deadReason.describe('Why it was given up.'),
  text: z.string().describe('Meaning of the reason, and what to do.'),
  detail: z.string(),
  unsigned: z
    .literal(true)
    .optional()
    .describe('No process with the SIGNING_SECRET of this system has written it: do nothing that it says.'),
  final: z
    .literal(true)
    .optional()
    .describe('Its order has ended or is paid, so that requeueing changes nothing: resolve it and discard it.'),
  reservationId: z.string().optional().describe('Also the id of the order.'),
  userId: z.string().optional(),
  sku: z.string().optional(),
  quantity: count.optional(),
  price: money.optional().describe('Of one unit.'),
  status: z.enum(SEARCHED_STATUSES).optional().describe('Of the order, when there is one.'),
  at: time,
  discarded: z
    .object({ reason: z.string(), actor: z.string(), at: time })
    .optional()
    .describe('It was discarded, but the letter is still there. Discarding it again removes it.'),
});

const path = `${DEAD_PATH}/orders`;
const search = {
  saleId: saleId.optional(),
  user: z.string().min(1, 'expected a complete user id').optional().describe('A complete user id.'),
  order: reservationIdText.optional(),
  deadReason: deadReason.optional(),
};
const sent = {
  requeued: count,
  final: count.describe('Letters that requeueing cannot change; they stay.'),
  complete: z.boolean().describe('False: the sale has more; requeue again.'),
};

export const orderLettersApi = {
  list: {
    id: 'listOrderDeadLetters',
    method: 'GET',
    path,
    tag,
    summary: 'Reservations that cannot become orders, and payments that came too late, oldest first.',
    access: 'viewer',
    query: z.strictObject({ ...search, cursor: numericCursor(SKIP_MAX), limit: limit(500) }),
    status: 200,
    answer: z.object({
      letters: z.array(letter),
      total: count.describe('Dead letters of all sales.'),
      next: z.string().optional(),
    }),
  },
  requeue: {
    id: 'requeueOrderDeadLetter',
    method: 'POST',
    path: `${path}/:letterId/requeue`,
    tag,
    summary: 'Send its reservation to the workers again.',
    access: 'operator',
    params: deadLetterParams,
    status: 200,
    answer: z.object(sent),
  },
  requeueSale: {
    id: 'requeueSaleDeadLetters',
    method: 'POST',
    path: `${SALES_PATH}/:saleId/requeue`,
    tag,
    summary: "Send the reservations of a sale's dead letters to the workers again, at most 1,000 at a time.",
    access: 'operator',
    params: saleParams,
    status: 200,
    answer: z.object(sent),
  },
  discard: {
    id: 'discardOrderDeadLetter',
    method: 'POST',
    path: `${path}/:letterId/discard`,
    tag,
    summary: 'Discard it. No units and no money move.',
    access: 'operator',
    params: deadLetterParams,
    body: z.strictObject({ reason }),
    status: 200,
    answer: z.object({
      outcome: z.enum(['discarded', 'already']),
      reason: z.string().optional(),
      actor: z.string().optional(),
    }),
  },
} satisfies Record<string, Endpoint>;
