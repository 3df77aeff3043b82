import type { Scene } from './run.ts';

/** A machine that stood still for so long says nothing about who kept whom waiting, ms. */
const STOOD_STILL_MS = 500;

/** Nobody's patience ends before he is answered, be it that his outcome is unknown [R10]; see SILENCE_MS of user.ts. */
export function answeredInTime({ crowd, stoodStillMs }: Scene): string[] {
  if (stoodStillMs() > STOOD_STILL_MS) return [];
  return [...crowd.told].flatMap(([userId, { silences }]) => (silences > 0 ? [`${userId} was left without an answer`] : []));
}
