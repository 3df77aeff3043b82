import { createLetterBox, type LetterPage } from '../credit/letterBox.ts';
import { parseReservation } from '../sale/reservation.ts';
import {
  idOfOrderLetter,
  orderLetter,
  orderLetterId,
  type OrderDeadReason,
  type OrderLetter,
  type ReservationEntry,
} from './deadLetter.ts';
import type { OrderDeadQueue } from './queue.ts';

const box = createLetterBox<OrderLetter, ReservationEntry>({
  kind: 'reservation',
  schema: orderLetter,
  idOf: idOfOrderLetter,
  idOfEntry: orderLetterId,
  isOf: (letter, { saleId, index, entry }) =>
    letter.saleId === saleId && letter.index === index && letter.entry === entry,
});

export const {
  find: findOrderLetter,
  areListed: areOrderLetters,
  add: addOrderLetters,
  replace: replaceOrderLetter,
  isSigned: isSignedOrderLetter,
} = box;

/** Complete ids, each optional; `order`: its id is that of the reservation. */
export interface OrderLetterSearch {
  saleId?: string | undefined;
  user?: string | undefined;
  order?: string | undefined;
  /** Why it was given up. */
  deadReason?: OrderDeadReason | undefined;
}

/** The dead letters that a search finds; without one those of all sales. */
export function readOrderLetters(
  dead: OrderDeadQueue,
  { saleId, user, order, deadReason, ...page }: OrderLetterSearch & { skip?: number; limit: number },
): Promise<LetterPage<OrderLetter>> {
  const isAbout = ({ entry }: OrderLetter) => {
    if (user === undefined && order === undefined) return true;
    const parsed = parseReservation(entry);
    return (
      parsed.ok &&
      (user === undefined || parsed.reservation.userId === user) &&
      (order === undefined || parsed.reservation.reservationId === order)
    );
  };
  return box.read(
    dead,
    (letter) =>
      (saleId === undefined || letter.saleId === saleId) &&
      (deadReason === undefined || letter.reason === deadReason) &&
      isAbout(letter),
    page,
  );
}
