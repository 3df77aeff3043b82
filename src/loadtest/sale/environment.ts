import type { Now } from '../bots/clock.ts';
import type { Throttle } from '../bots/throttle.ts';
import type { BuyerCounters } from './counters.ts';
import type { Payments } from './payments.ts';

/** The objects that all buyers of a swarm share. */
export interface BuyerEnvironment {
  address: URL;
  saleId: string;
  seed: string;
  tokenFor: (userId: string) => Promise<string>;
  throttle: Throttle;
  now: Now;
  counters: BuyerCounters;
  /** Absent: nobody pays. */
  payments: Payments | undefined;
  /** How long a buyer waits for the order of a reservation, and for the message about its payment, ms. */
  settleMs: number;
  /** Longest wait for a change of the sale before a buyer looks at its clock again, ms. */
  maximalWaitMs: number;
}
