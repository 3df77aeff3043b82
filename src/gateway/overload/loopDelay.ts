import { monitorEventLoopDelay } from 'node:perf_hooks';

const RESOLUTION_MS = 10;

/** Node's own measure: the largest delay of a timer since the last call, ms. */
export function measureLoopDelay(): () => number {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  return () => {
    const longest = delays.max / 1e6;
    delays.reset();
    return Math.max(0, longest - RESOLUTION_MS);
  };
}
