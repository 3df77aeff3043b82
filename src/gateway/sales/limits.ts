/** Limits of sales [R10]. */
export const SALE_LIMITS = {
  /**
   * Undecided purchases of one item at Redis, as a multiple of what is left of it, and how many there may always be.
   * Protects the other items and rains from a crowd that is far larger than the stock.
   */
  purchasesPerUnitMax: 4,
  purchasesPerItemMin: 64,
  /** Cancellations of all sockets that wait for Redis. Protects purchases. */
  cancelsPendingMax: 256,
} as const;

/** Users who are told when units of an item come back, over all items. Further users see it in the next snapshot. */
export const RESTOCK_USERS_MAX = 100_000;
