/** Winners in one `winners` message, at most: a sample for the ticker, not a list. */
export const TICKER_WINNERS_MAX = 5;
