import { z } from 'zod';

/**
 * Where a win must be stored before it is confirmed to the user [R4]. `local`: on the disk of Redis. `relaxed`: in its
 * memory, and on its disk within about a second. `replicas`: as `local`, and also on this number of replicas.
 */
export type Durability = { mode: 'local' | 'relaxed' } | { mode: 'replicas'; replicas: number };

const REPLICAS_MAX = 5;
/** Default of DURABILITY_WAIT_MS: how long the replicas may take to confirm, ms. */
export const DURABILITY_WAIT_MS = 500;

/** `local`, `relaxed` or `replicas=N`, as in the environment. */
export const durability = z.string().transform((text, context): Durability => {
  if (text === 'local' || text === 'relaxed') return { mode: text };
  const replicas = Number(/^replicas=(\d)$/.exec(text)?.[1] ?? 0);
  if (replicas >= 1 && replicas <= REPLICAS_MAX) return { mode: 'replicas', replicas };
  context.addIssue(`expected local, relaxed or replicas=1 to replicas=${REPLICAS_MAX}`);
  return z.NEVER;
});

export const LOCAL: Durability = { mode: 'local' };
