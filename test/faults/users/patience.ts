import type { Scene } from '../run.ts';

/** If this process was blocked for longer, its measured waiting times mean nothing, ms. */
export const STOOD_STILL_MS = 500;

/** Every grab is answered in time, even if its outcome is unknown [R10]; see SILENCE_MS in user.ts. */
export function answeredInTime({ crowd, stoodStillMs }: Scene): string[] {
  if (stoodStillMs() > STOOD_STILL_MS) return [];
  return [...crowd.records].flatMap(([userId, { silences }]) =>
    silences > 0 ? [`${userId} got no answer in time`] : [],
  );
}
