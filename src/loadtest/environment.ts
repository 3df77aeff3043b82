import type { RandomSource } from '../rain/fairness.ts';
import type { Now, ServerClock } from './bots/clock.ts';
import type { RetryPolicy } from './bots/retryPolicy.ts';
import type { WaveCounters } from './figures/counters.ts';
import type { Throttle } from './bots/throttle.ts';

export type OnAnswer = (userId: string, code: string, nowMs: number) => void;

/** The objects that all bots of a wave share; a bot itself is little more than a socket and a timer. */
export interface LoadtestEnvironment {
  address: URL;
  rainId: string;
  tokenFor: (userId: string) => Promise<string>;
  creditWaitMs: number;
  /**
   * The taps count from this time (monotonic ms), or from the opening if that is later; absent: from when each user
   * sees the rain open.
   */
  inPlaceAt?: number;
  throttle: Throttle;
  clock: ServerClock;
  now: Now;
  random: RandomSource;
  retryPolicy: RetryPolicy;
  counters: WaveCounters;
  /** Called for every answer to a grab, at this moment of the wave's clock. */
  onAnswer?: OnAnswer | undefined;
  /** The last ticket of any user of the wave, which a cheater may try to use. */
  overheard: { ticket?: string };
}
