import type { Refusal } from '../../../ledger/refusals.ts';
import type { Units } from '../../../sale/units.ts';
import type { Correction } from '../../../store/correct.ts';
import type { LoggedReservation } from '../../../store/reservationLog.ts';

/** A reservation of the log, as its entry is. */
export type Logged = Extract<LoggedReservation, { ok: true }>;

/** A wrong status that Redis tells a buyer, and the finding that says it. */
export interface Untrue extends Correction {
  key: string;
}

/** The entries of a sale's reservation log, with the outcome of each. */
export interface SaleLog {
  /** Units of all genuine reservations that the ledger has not refused, by SKU. */
  units: Map<string, Units>;
  /** Units of refused reservations that may still be booked: another order has them, or Redis does not know yet. */
  kept: Map<string, Units>;
  /** Number of the reservation → its user. */
  userOf: Map<number, string>;
  /** Genuine reservations that had no order when they were read. */
  waiting: Logged[];
  /**
   * Numbers that Redis has lost and drawn again: the ledger has the order of another buyer under each, and has refused
   * the entry.
   */
  redrawn: number;
  /** Reservations that the ledger has refused, and among them those beyond a limit. */
  refused: number;
  beyond: { one: Logged; refusal: Refusal }[];
  /** Refusals that Redis does not know, by reservation and user. */
  untold: Map<string, Refusal>;
  untrue: Untrue[];
  /**
   * Entries that are no reservation and have no order, and are explained: the letter was discarded, or the finding
   * acknowledged.
   */
  explained: number;
  /** Number and user of those that Redis has with their buyers, too. */
  excused: Set<string>;
  /**
   * Users with a reservation that was put back behind a newer one: Redis had lost it, and allowed more meanwhile than
   * the limits.
   */
  putBack: Set<string>;
  /** Reservations that had an order. */
  ordered: number;
  /** The highest number of a reservation in the log; 0: it is empty. */
  newest: number;
  /** Orders whose status Redis did not have when it was read, which was before. */
  behind: Set<string>;
}

export function emptyLog(): SaleLog {
  return {
    units: new Map(),
    kept: new Map(),
    userOf: new Map(),
    waiting: [],
    redrawn: 0,
    refused: 0,
    beyond: [],
    untold: new Map(),
    untrue: [],
    explained: 0,
    excused: new Set(),
    putBack: new Set(),
    ordered: 0,
    newest: 0,
    behind: new Set(),
  };
}
