import type { PostOutcome } from '../credit/payoutProvider.ts';
import type { EndedOrder } from './endedOrders.ts';
import type { BookedOrder } from '../ledger/orders.ts';

/**
 * The outcome of one order at the order service. `commit`: the service has it, by this call or an earlier one; only
 * then is its buyer told. `giveUp`: it will never take it, and the order fails.
 */
export type ServiceOutcome = PostOutcome<'failed'>;

/** THE PORT to the system that keeps a shop's orders. The ledger has them already. */
export interface OrderService {
  /**
   * Takes each order exactly once, however often it is posted: its id is the idempotency key [R5].
   * @param orders all of this one sale, at least one, all of them waiting for their payment
   * @returns one outcome per order, in order
   * @throws BatchRefused to have the batch bisected; any other error means unknown or not now: post the whole batch
   *   again
   */
  post(saleId: string, orders: readonly BookedOrder[]): Promise<ServiceOutcome[]>;
  /**
   * Tells the service of orders that have ended, each perhaps several times. Absent: it is not told, or not by this
   * process.
   * @param ended all of this one sale, at least one
   * @returns one outcome per order, in order; `commit` and `giveUp`: it knows
   */
  tell?(saleId: string, ended: readonly EndedOrder[]): Promise<ServiceOutcome[]>;
}

/** Orders are kept in the ledger and nowhere else. */
export const builtinOrders: OrderService = {
  post: async (_saleId, orders) => orders.map(() => ({ outcome: 'commit' })),
};
