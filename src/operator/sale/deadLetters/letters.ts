import { FINAL_REASONS, ORDER_DEAD_REASONS, type OrderLetter } from '../../../orders/deadLetter.ts';
import { findOrderLetter, readOrderLetters, type OrderLetterSearch } from '../../../orders/deadLetters.ts';
import type { BookedOrder } from '../../../ledger/orders.ts';
import { iso } from '../../../rain/figures.ts';
import { parseReservation, type Reservation } from '../../../sale/reservation.ts';
import type { OperatorContext, Refused, SaleQueues } from '../../context.ts';
import { DEAD_LETTERS_MAX, discardedBy, noSuchDeadLetter, type DeadLetterView } from '../../deadLetters/letters.ts';

/** An operator context from which the queues of orders can be reached. */
export type OrderLetterContext = Omit<OperatorContext, 'queues'> & { queues: SaleQueues };

type Row = Awaited<ReturnType<typeof readOrderLetters>>['letters'][number];

/** A dead letter of an order as shown to the operator. */
export interface OrderLetterView
  extends
    OrderLetter,
    Pick<DeadLetterView, 'letter' | 'deadLetteredAt' | 'discarded'>,
    Partial<Pick<Reservation, 'reservationId' | 'userId' | 'sku' | 'quantity' | 'price'>> {
  /** The meaning of the reason, and the way out. */
  text: string;
  /** The order has ended or is paid, so that requeueing changes nothing: resolve it and discard it. */
  final?: true;
  /** The status of the order, when there is one. */
  status?: BookedOrder['status'];
}

/** `total`: dead letters of all sales; `complete` false: there are more, read them with `skip`. */
type OrderLetterList = { letters: OrderLetterView[]; total: number; complete: boolean };

/** Oldest first. */
export async function listOrderLetters(
  context: OrderLetterContext,
  { limit, ...search }: OrderLetterSearch & { skip: number; limit: number },
): Promise<OrderLetterList> {
  const { ordersDead } = context.queues;
  const { letters, complete } = await readOrderLetters(ordersDead, {
    ...search,
    limit: Math.min(limit, DEAD_LETTERS_MAX),
  });
  return { letters: await viewAll(context, letters), total: await ordersDead.getJobCountByTypes('waiting'), complete };
}

type ShownOrderLetter = { ok: true; letter: OrderLetterView } | Refused;

export async function showOrderLetter(context: OrderLetterContext, id: string): Promise<ShownOrderLetter> {
  const letter = await findOrderLetter(context.queues.ordersDead, id);
  if (!letter) return noSuchDeadLetter(id, (await context.ledger.discardedClaims([id])).get(id));
  const [view] = await viewAll(context, [letter]);
  return { ok: true, letter: view! };
}

/** With what the ledger has of each. */
async function viewAll(
  { ledger }: Pick<OperatorContext, 'ledger'>,
  letters: readonly Row[],
): Promise<OrderLetterView[]> {
  const parsed = letters.map(({ entry }) => parseReservation(entry));
  const ids = parsed.flatMap((one) => (one.ok ? [one.reservation.reservationId] : []));
  const [discards, orders] = [
    await ledger.discardedClaims(letters.map(({ id }) => id)),
    ids.length === 0 ? [] : await ledger.orders({ ids }, ids.length),
  ];
  const statuses = new Map(orders.map(({ id, status }) => [id, status]));
  return letters.map(({ id, deadLetteredAt, ...letter }, i) => {
    const one = parsed[i]!;
    return {
      letter: id,
      ...letter,
      text: ORDER_DEAD_REASONS[letter.reason],
      ...(FINAL_REASONS.has(letter.reason) && { final: true as const }),
      ...(one.ok && about(one.reservation, statuses)),
      deadLetteredAt: iso(deadLetteredAt),
      ...discardedBy(discards.get(id)),
    };
  });
}

function about(
  { reservationId, userId, sku, quantity, price }: Reservation,
  statuses: ReadonlyMap<string, BookedOrder['status']>,
) {
  const status = statuses.get(reservationId);
  return { reservationId, userId, sku, quantity, price, ...(status && { status }) };
}
