import type { BookedOrder } from '../../../ledger/orders.ts';
import type { Refusal } from '../../../ledger/refusals.ts';
import type { BookedSale } from '../../../ledger/sales.ts';
import { iso } from '../../../rain/figures.ts';
import type { Reservation } from '../../../sale/reservation.ts';
import { saleKeys } from '../../../store/saleKeys.ts';
import { reservationPages } from '../../../store/reservationLog.ts';
import { parseHeld, type HeldReservation } from '../../../store/sales.ts';
import { CLOCK_TOLERANCE_MS, isWithin, type Opening } from '../../audit/windows.ts';
import type { OperatorContext } from '../../context.ts';
import type { IsDiscarded } from './explained.ts';
import { quoted, type SaleFindings } from './findings.ts';
import { emptyLog, type Logged, type SaleLog } from './saleLog.ts';
import { followReservation } from './statuses.ts';

/**
 * When the sale was open, as far as the ledger knows, and what time it is by the clock of Redis, which reservations
 * bear.
 */
interface Opened {
  windows: readonly Opening[];
  /** Epoch ms. */
  now: number;
}

/** `unsigned`: of which kind a reservation is that nobody has signed; absent: this process cannot tell. */
type AuditedSale = BookedSale & { unsigned: 'not_signed' | undefined };

/** Entries of the log per read: few enough not to delay purchases. */
const PAGE = 2_000;
/** Entries of one audit at most, far more than a sale has buyers; a longer log was written by somebody else [R10]. */
const ENTRIES_MAX = 5_000_000;

/** A finding about an entry whose letter was discarded is no finding any more. */
const EXPLAINED: Pick<SaleFindings, 'note'> = { note: () => 'explained' };

/**
 * Compares the reservation log with what Redis has of its buyers, and then, in the direction in which a reservation
 * moves, with the orders.
 * @param made how many reservations there were when the length was read
 */
export async function readSaleLog(
  context: OperatorContext,
  sale: AuditedSale,
  { logged: length, made }: { logged: number; made: number },
  opened: Opened,
  isDiscarded: IsDiscarded,
  findings: SaleFindings,
): Promise<SaleLog> {
  const log = emptyLog();
  if (length > ENTRIES_MAX)
    findings.note(
      'log length',
      `the reservation log has ${length} entries; only the first ${ENTRIES_MAX} were read`,
      'log',
    );
  for await (const page of reservationPages(context.redis, sale.id, Math.min(length, ENTRIES_MAX), PAGE)) {
    const read = page.filter((one): one is Logged => one.ok);
    for (const one of page) {
      if (one.ok) continue;
      const { note } = isDiscarded(one) ? EXPLAINED : findings;
      if (
        note(
          `log ${one.index}`,
          `entry ${one.index} of the reservation log is not a reservation of this sale: ${one.reason}`,
          'log',
        ) === 'explained'
      )
        log.explained++;
    }
    const held = await heldBy(context, sale.id, read, findings);
    const [orders, refusals] = [await ordersOf(context, read), await refusalsOf(context, read)];
    log.ordered += orders.size;
    for (const one of read) {
      const { reservation, ordinal } = one;
      const accused = isDiscarded(one) ? EXPLAINED : findings;
      const order = orders.get(reservation.reservationId);
      const isTwice = log.userOf.has(ordinal);
      const known = held.get(reservation.userId)?.find((its) => its.ordinal === ordinal);
      const standing = isTwice
        ? accused.note(
            `twice ${one.index}`,
            `${reservation.reservationId} is in the reservation log twice, now for ${reservation.userId}`,
            'log',
          )
        : standingOf(context, one, sale, opened, known, accused);
      if (standing === 'genuine')
        followReservation(one, known!, { order, refusal: refusals.get(nameOf(reservation)) }, sale, log, findings);
      else if (standing === 'explained') {
        if (isTwice || order?.userId !== reservation.userId) log.explained++;
        // It says nothing about a number that was never drawn, or that another buyer has.
        if (ordinal <= made) log.newest = Math.max(log.newest, ordinal);
        if (!known) continue;
        log.excused.add(`${ordinal} ${reservation.userId}`);
      }
      if (ordinal < log.newest) log.putBack.add(reservation.userId);
      log.newest = Math.max(log.newest, ordinal);
      if (!log.userOf.has(ordinal)) log.userOf.set(ordinal, reservation.userId);
    }
  }
  return log;
}

/** The holdings in Redis of the buyers of these entries, which are older. */
async function heldBy(
  { redis }: OperatorContext,
  saleId: string,
  read: readonly Logged[],
  findings: SaleFindings,
): Promise<Map<string, HeldReservation[]>> {
  const users = [...new Set(read.map(({ reservation }) => reservation.userId))];
  if (users.length === 0) return new Map();
  const texts = await redis.hmget(saleKeys(saleId).buyers, ...users);
  return new Map(users.map((user, i) => [user, readHeld(user, texts[i] ?? '', findings)]));
}

export function readHeld(user: string, text: string, findings: SaleFindings): HeldReservation[] {
  const held = parseHeld(text);
  if (!held)
    findings.note(`held ${user}`, `the reservations of ${user} in Redis cannot be read: ${quoted(text)}`, 'held');
  return held ?? [];
}

export async function ordersOf(
  { ledger }: OperatorContext,
  read: readonly Logged[],
): Promise<Map<string, BookedOrder>> {
  const orders = new Map<string, BookedOrder>();
  for (let at = 0; at < read.length; at += PAGE) {
    const ids = read.slice(at, at + PAGE).map(({ reservation }) => reservation.reservationId);
    for (const order of await ledger.orders({ ids }, ids.length)) orders.set(order.id, order);
  }
  return orders;
}

const nameOf = ({ reservationId, userId }: Pick<Reservation, 'reservationId' | 'userId'>) =>
  `${reservationId} ${userId}`;

async function refusalsOf({ ledger }: OperatorContext, read: readonly Logged[]): Promise<Map<string, Refusal>> {
  return new Map(
    (await ledger.refusalsAmong(read.map(({ reservation }) => reservation))).map((refusal) => [
      nameOf(refusal),
      refusal,
    ]),
  );
}

/**
 * `genuine`: the sale has what the entry says, at the time that it says, and Redis has it with its buyer. `explained`:
 * it is not, and that is known.
 */
function standingOf(
  { signer }: Pick<OperatorContext, 'signer'>,
  { reservation, index }: Logged,
  sale: AuditedSale,
  { windows, now }: Opened,
  held: HeldReservation | undefined,
  { note }: Pick<SaleFindings, 'note'>,
): 'genuine' | ReturnType<SaleFindings['note']> {
  const { reservationId: id, userId, sku, quantity, price, ref, at, payBy, mac } = reservation;
  const said = `${id}, ${quantity} ${sku} at ${price} for ${userId}, is in the reservation log`;
  const item = sale.items.find((one) => one.sku === sku);
  if (!item || item.price !== price || quantity > item.perOrderMax) {
    return note(
      `false ${index}`,
      `${said}, and the sale has ${item ? `${sku} at ${item.price}, at most ${item.perOrderMax} in an order` : 'no such item'}`,
      'false_reservation',
    );
  }
  if (!held || held.sku !== sku || held.quantity !== quantity || (held.ref ?? '') !== (ref ?? '')) {
    return note(
      `false ${index}`,
      `${said}, and Redis has ${held ? `${held.quantity} ${held.sku} under this number` : 'no such reservation'} with this buyer`,
      'false_reservation',
    );
  }
  if (sale.unsigned && !signer.isReservation(mac, reservation))
    return note(
      `unsigned ${index}`,
      `${said}, and is not signed with SIGNING_SECRET: no gateway has made it`,
      sale.unsigned,
    );
  if (
    !isWithin(Number(at), windows) ||
    Number(at) > now + CLOCK_TOLERANCE_MS ||
    Number(payBy) !== Number(at) + sale.holdMs
  )
    note(
      `time ${index}`,
      `${said} at ${iso(Number(at))}, to be paid by ${iso(Number(payBy))}: the sale was not open then, or gives another time`,
      'reservation_time',
    );
  return 'genuine';
}
