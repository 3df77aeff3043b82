import { reservationOf, type BookedOrder } from '../../ledger/orders.ts';
import { reservationOrdinal } from '../../sale/ids.ts';
import { REBOOK_MAX, rebook } from '../../store/rebook.ts';
import { heldByAll, type HeldReservation } from '../../store/sales.ts';
import type { OperatorContext } from '../context.ts';
import { isBehind } from './audit/statuses.ts';

/**
 * `putBack`: reservations that Redis has again; `behind`: orders whose status it gets again; `taken`: others have their
 * numbers or units by now.
 */
interface RestoredOrders {
  putBack: number;
  behind: number;
  taken: string[];
}

/** Orders per read. */
const PAGE = 1_000;
/** Orders named of those that cannot be put back [R10]. */
const TAKEN_NAMED_MAX = 50;

/**
 * Brings back what Redis has lost of a sale, and the ledger has: reservations with an order, and the last changes of
 * orders. A failover to a replica that was behind leaves such gaps; units in them would be sold twice, or never again.
 * Safe to repeat, and while people buy.
 * @returns undefined: Redis has no such sale
 */
export async function restoreOrders(
  { redis, ledger, signer }: Pick<OperatorContext, 'redis' | 'ledger' | 'signer'>,
  saleId: string,
): Promise<RestoredOrders | undefined> {
  const restored: RestoredOrders = { putBack: 0, behind: 0, taken: [] };
  for (let after: string | undefined; ;) {
    const orders = await ledger.orders({ saleId, ...(after !== undefined && { after }) }, PAGE);
    // The ledger first: what Redis has by now is newer, and never behind it for long.
    const held = await heldByAll(
      redis,
      saleId,
      orders.map(({ userId }) => userId),
    );
    if (!held) return undefined;
    const missing = orders.filter((order) => !find(order, held));
    const { putBack, taken } = await putBackAll({ redis, signer }, saleId, missing);
    const behind = orders.filter((order) => isBehind(find(order, held)?.status ?? order.status, order.status));
    await ledger.unfollow([...putBack, ...behind].map(({ id }) => id));
    restored.putBack += putBack.length;
    restored.behind += behind.length;
    restored.taken.push(...taken.slice(0, TAKEN_NAMED_MAX - restored.taken.length));
    if (orders.length < PAGE) return restored;
    after = orders.at(-1)!.id;
  }
}

function find(
  { id, saleId, userId }: BookedOrder,
  held: ReadonlyMap<string, readonly HeldReservation[] | undefined>,
): HeldReservation | undefined {
  return held.get(userId)?.find(({ ordinal }) => ordinal === reservationOrdinal(saleId, id));
}

async function putBackAll(
  { redis, signer }: Pick<OperatorContext, 'redis' | 'signer'>,
  saleId: string,
  missing: readonly BookedOrder[],
): Promise<{ putBack: BookedOrder[]; taken: string[] }> {
  const done: Awaited<ReturnType<typeof putBackAll>> = { putBack: [], taken: [] };
  const inOrder = missing.toSorted((a, b) => reservationOrdinal(saleId, a.id)! - reservationOrdinal(saleId, b.id)!);
  for (let at = 0; at < inOrder.length; at += REBOOK_MAX) {
    const part = inOrder.slice(at, at + REBOOK_MAX);
    const answers = await rebook(redis, signer, saleId, part.map(reservationOf));
    part.forEach((order, i) => {
      if (answers?.[i] === 'put_back') done.putBack.push(order);
      else if (answers?.[i] !== 'there') done.taken.push(order.id);
    });
  }
  return done;
}
