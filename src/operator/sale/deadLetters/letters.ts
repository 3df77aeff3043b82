import { FINAL_REASONS, ORDER_DEAD_REASONS, type OrderLetter } from '../../../orders/deadLetter.ts';
import {
  findOrderLetter,
  isSignedOrderLetter,
  readOrderLetters,
  type OrderLetterSearch,
} from '../../../orders/deadLetters.ts';
import { UNSIGNED_ADVICE } from '../../../credit/letterBox.ts';
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
    Pick<DeadLetterView, 'letter' | 'deadLetteredAt' | 'discarded' | 'unsigned'>,
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
  { ledger, signer }: Pick<OperatorContext, 'ledger' | 'signer'>,
  letters: readonly Row[],
): Promise<OrderLetterView[]> {
  const parsed = letters.map(({ entry }) => parseReservation(entry));
  const ids = parsed.flatMap((one) => (one.ok ? [one.reservation.reservationId] : []));
  const [discards, orders] = [
    await ledger.discardedClaims(letters.map(({ id }) => id)),
    ids.length === 0 ? [] : await ledger.orders({ ids }, ids.length),
  ];
  const statuses = new Map(orders.map(({ id, status }) => [id, status]));
  return letters.map((row, i) => {
    const { id, deadLetteredAt, mac: _, ...letter } = row;
    const one = parsed[i]!;
    const signed = isSignedOrderLetter(row, signer);
    return {
      letter: id,
      ...letter,
      text: signed ? ORDER_DEAD_REASONS[letter.reason] : UNSIGNED_ADVICE,
      ...(!signed && { unsigned: true as const }),
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
