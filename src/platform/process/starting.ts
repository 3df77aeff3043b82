import { setTimeout as sleep } from 'node:timers/promises';
import { isLasting, isUnavailable, lastLine } from '../redis/unavailable.ts';
import { withoutAddresses, type ReadinessReport } from '../telemetry/health.ts';
import type { Logger } from '../telemetry/log.ts';
import { sendWaiting } from './ipc.ts';

/** Runs one step of a start. A step that has failed may run again. */
export type Patience = <T>(step: () => Promise<T>) => Promise<T>;

/** For callers that want to know at once. */
export const WITHOUT_PATIENCE: Patience = (step) => step();

/** Pause before a step is tried again, and between two words on what is waited for, ms. */
const PAUSE_MS = 500;
const SAY_MS = 5_000;

/**
 * Repeats a step for as long as a server that it needs cannot be reached; the end of the process ends it.
 * @param say receives every few seconds what is waited for, in one sentence
 */
export function createPatience(say: (why: string) => void, { pauseMs = PAUSE_MS, sayMs = SAY_MS } = {}): Patience {
  let saidAt = -Infinity;
  return async (step) => {
    for (;;) {
      try {
        return await step();
      } catch (error) {
        // A password or a certificate does not become right by waiting.
        if (!isUnavailable(error) || isLasting(error)) throw error;
        if (performance.now() - saidAt >= sayMs) {
          saidAt = performance.now();
          say(lastLine(error));
        }
      }
      await sleep(pauseMs);
    }
  };
}

/**
 * The start of a server process. Where its Redis or database comes later, it waits and says so, in its log, to its
 * parent and at `/readyz`: ended and started again in a loop, it would load the machine, and say less.
 * @param waits false: what cannot be reached is reported at once
 */
export function createStarting(log: Logger, waits = true) {
  const since = new Date().toISOString();
  let reason = 'it is starting';
  const tell = (why: string) => {
    reason = withoutAddresses(why);
    sendWaiting(why);
  };
  const say = (why: string) => {
    log.warn({ error: why }, 'waiting for a server that this one needs');
    tell(why);
  };
  return {
    /** Tells parent and `/readyz` for what a child waits, which has said it in a log. */
    tell,
    patience: waits ? createPatience(say) : WITHOUT_PATIENCE,
    /** For the health server, which opens before there is anything else to ask. */
    reportUntil: (open: () => { report(): ReadinessReport } | undefined) => ({
      report: (): ReadinessReport => open()?.report() ?? { ready: false, notReady: [{ part: 'start', since, reason }] },
    }),
  };
}
