/** Limits of what a message may ask for [R10]. */
export const HANDLER_LIMITS = {
  /** Rains that one socket may watch. Protects the lists of viewers. */
  joinsPerSocketMax: 32,
  /** Receipts that one socket may show. Each may search the packet list of a rain. */
  receiptsPerSocketMax: 32,
  /**
   * Receipts of all sockets that wait for Redis. Protects everybody's answers when a crowd shows receipts after a loss.
   */
  receiptsPendingMax: 256,
} as const;

/**
 * Until this long before the opening, ms, joins skip the winner lookup: with a fresh snapshot without claims nobody can
 * have won.
 */
export const NO_WINNERS_BEFORE_MS = 1_000;
