import { delayBeforeRetry, type Backoff } from '../../src/platform/network/backoff.ts';

/** Waited in addition to what the console says. A whole hall behind one address is refused at the same moment. */
const SPREAD: Backoff = { firstDelayMs: 4_000, delayMsMax: 20_000 };

/** The console lets nobody of this address in for so long. */
export class Crowded extends Error {
  readonly retryInMs: number;

  constructor(retryInMs: number) {
    super(`to be asked again in ${retryInMs} ms`);
    this.retryInMs = retryInMs;
  }
}

export interface CrowdOptions {
  /** In [0, 1). */
  random: () => number;
  /** Whether the page waits, to be told to the player. */
  onCrowd: (waits: boolean) => void;
  pause?: (ms: number) => Promise<void>;
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Asks until the console lets us in. @throws all other errors of `ask` */
export async function untilAdmitted<T>(
  ask: () => Promise<T>,
  { random, onCrowd, pause = sleep }: CrowdOptions,
): Promise<T> {
  try {
    for (let refusals = 1; ; refusals++) {
      try {
        return await ask();
      } catch (error) {
        if (!(error instanceof Crowded)) throw error;
        onCrowd(true);
        await pause(error.retryInMs + delayBeforeRetry(refusals, SPREAD, random));
      }
    }
  } finally {
    onCrowd(false);
  }
}
