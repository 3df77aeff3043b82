import { setTimeout as sleep } from 'node:timers/promises';
import { deadlineIn } from './deadline.ts';

interface Waiting {
  /** For the error: what is waited for. */
  what: string;
  withinMs?: number;
  everyMs?: number;
  /** Ends the wait early, with an error. */
  signal?: AbortSignal;
}

/**
 * Asks another server again and again until it says yes. A question that fails counts as no.
 * @throws Error after `withinMs`, with the last failure; AbortError
 */
export async function untilTrue(
  ask: () => Promise<boolean>,
  { what, withinMs = 20_000, everyMs = 25, signal }: Waiting,
): Promise<void> {
  const deadline = deadlineIn(withinMs);
  for (;;) {
    let failure = '';
    try {
      if (await ask()) return;
    } catch (error) {
      failure = `: ${error instanceof Error ? error.message : String(error)}`;
    }
    if (deadline.leftMs() === 0) throw new Error(`${what}: not within ${withinMs / 1_000} s${failure}`);
    await sleep(everyMs, undefined, signal && { signal });
  }
}
