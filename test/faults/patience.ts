import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { FaultOptions } from './run.ts';

/** A machine that stood still for so long says nothing about who kept whom waiting, ms. */
const STOOD_STILL_MS = 500;

/** Nobody's patience ends before he is answered, be it that his outcome is unknown [R10]; see SILENCE_MS of user.ts. */
export function watchPatience(): NonNullable<FaultOptions['check']> {
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  return ({ crowd }) => {
    const stoodStill = delay.max / 1e6 > STOOD_STILL_MS;
    delay.reset();
    if (stoodStill) return [];
    return [...crowd.told].flatMap(([userId, { silences }]) => (silences > 0 ? [`${userId} was left without an answer`] : []));
  };
}
