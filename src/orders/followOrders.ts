import type { RedisClient } from '../platform/redis/connect.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { UnfollowedOrder } from '../ledger/unfollowed.ts';
import { reservationOrdinal } from '../sale/ids.ts';
import { holdsUnits } from '../sale/order.ts';
import { CLAIMS_MAX, publish } from '../store/events.ts';
import { follow } from '../store/sales.ts';
import type { Signer } from '../store/signer.ts';

export interface FollowParts {
  redis: RedisClient;
  ledger: Pick<Ledger, 'markFollowed' | 'sale'>;
  signer: Pick<Signer, 'orderMark'>;
  /** Called with orders before they are marked, perhaps again. */
  onFollowed?: ((saleId: string, orders: readonly UnfollowedOrder[]) => Promise<void>) | undefined;
}

/**
 * Brings the statuses of these orders to Redis, and tells the gateways, also of orders that Redis does not have: the
 * ledger decides. They are marked last, so that whatever is cut is done again, which is harmless; so are several
 * callers at once.
 * @param wasTold which of those that Redis does not have need not be told again
 * @returns the orders that are marked now. Redis does not have the others
 */
export async function followOrders(
  { redis, ledger, signer, onFollowed }: FollowParts,
  saleId: string,
  orders: readonly UnfollowedOrder[],
  wasTold: (order: UnfollowedOrder) => boolean = () => false,
): Promise<readonly UnfollowedOrder[]> {
  const answers = await follow(
    redis,
    saleId,
    orders.map(({ id, userId, status, toStock }) => ({
      userId,
      ordinal: reservationOrdinal(saleId, id)!,
      status,
      toStock,
    })),
  );
  const isAbsent = (i: number) => answers === undefined || answers[i] === 'unknown';
  const known = orders.filter((_, i) => !isAbsent(i));
  const current = orders.filter((order, i) => (isAbsent(i) ? !wasTold(order) : answers![i] !== 'later'));
  const told = current.map(({ id, userId, status }) => ({
    userId,
    reservationId: id,
    status,
    mark: signer.orderMark({ reservationId: id, userId, status }),
  }));
  for (let at = 0; at < told.length; at += CLAIMS_MAX)
    await publish(redis, { type: 'orders', saleId, orders: told.slice(at, at + CLAIMS_MAX) });
  if (known.some(({ status, toStock }) => toStock && !holdsUnits(status)))
    await publish(redis, { type: 'sale_changed', saleId });
  // A sealed sale sells nothing any more. Its settlement waits for the marks, and the audit before it names what
  // Redis has forgotten.
  const sale = known.length < orders.length ? await ledger.sale(saleId) : undefined;
  const isOver = sale?.sealedAt !== undefined || sale?.settledAt !== undefined;
  const done = isOver ? orders : known;
  await onFollowed?.(saleId, done);
  await ledger.markFollowed(done);
  return done;
}
