import { z } from 'zod';

/**
 * What has to be true of a win before its user is told [R4].
 * `local`: it is on the disk of the one Redis. `relaxed`: it is in its memory, and on its disk within about a second.
 * `replicas`: as `local`, and so many replicas have it, too.
 */
export type Durability = { mode: 'local' | 'relaxed' } | { mode: 'replicas'; replicas: number };

const REPLICAS_MAX = 5;
/** How long replicas may take to confirm, unless somebody says otherwise. */
export const DURABILITY_WAIT_MS = 500;

/** `local`, `relaxed` or `replicas=N`, as the environment has it. */
export const durability = z.string().transform((text, context): Durability => {
  if (text === 'local' || text === 'relaxed') return { mode: text };
  const replicas = Number(/^replicas=(\d)$/.exec(text)?.[1] ?? 0);
  if (replicas >= 1 && replicas <= REPLICAS_MAX) return { mode: 'replicas', replicas };
  context.addIssue(`expected local, relaxed or replicas=1 to replicas=${REPLICAS_MAX}`);
  return z.NEVER;
});

export const LOCAL: Durability = { mode: 'local' };
