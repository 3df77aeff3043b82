import type { RandomSource } from '../rain/fairness.ts';
import type { Now, ServerClock } from './clock.ts';
import type { RetryPolicy } from './retryPolicy.ts';
import type { WaveCounters } from './counters.ts';
import type { Throttle } from './throttle.ts';

/** What all bots of a wave share; a bot of its own is little more than a socket and a timer. */
export interface LoadtestEnvironment {
  address: URL;
  rainId: string;
  tokenFor: (userId: string) => Promise<string>;
  /** How long a winner waits to hear `credited`, ms; 0: not at all. */
  creditWaitMs: number;
  /** Users' times to tap count from here (monotonic ms), or from the opening if that is later; absent: from when each sees it rain. */
  inPlaceAt?: number;
  throttle: Throttle;
  clock: ServerClock;
  now: Now;
  random: RandomSource;
  retryPolicy: RetryPolicy;
  counters: WaveCounters;
  /** The last ticket that anybody here was handed: what a cheater might have got hold of. */
  overheard: { ticket?: string };
}
