import { startLoop, type Loop } from '../../platform/concurrency/loop.ts';
import { createPauses } from '../../platform/concurrency/pauses.ts';

export const PACE = {
  /** How often a sample is taken, ms. */
  sampleMs: 1_000,
  /**
   * Pause after an audit: this multiple of the audit's duration, so that audits take 5 % of the time at most, as in the
   * workers.
   */
  pauseFactor: 20,
  pauseMsMin: 1_000,
  /** How often the viewer's login is checked again, ms. */
  recheckMs: 10_000,
};
export type Pace = typeof PACE;

/** Takes samples once a second. A second loop runs the expensive audit. */
export function startSampling(
  sample: () => Promise<void>,
  audit: () => Promise<void>,
  { sampleMs, pauseFactor, pauseMsMin }: Pace,
  onFault: (error: unknown) => void,
): Loop {
  const pauses = createPauses(pauseFactor);
  const auditing = startLoop(async () => {
    const start = performance.now();
    await audit().catch(onFault);
    return Math.max(pauseMsMin, pauses.after('', performance.now() - start));
  });
  const sampling = startLoop(async () => {
    const start = performance.now();
    await sample().catch(onFault);
    return Math.max(sampleMs / 4, sampleMs - (performance.now() - start));
  });
  // The caller need not wait: both loops only read.
  return {
    close: async () => {
      void Promise.all([auditing.close(), sampling.close()]);
    },
  };
}
