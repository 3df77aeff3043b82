import { limitAtOnce, type AtOnce } from '../../platform/concurrency/atOnce.ts';
import { createSemaphore } from '../../platform/concurrency/semaphore.ts';
import { REFUSALS, type Refusal } from '../refusals.ts';
import type { SignedIn } from '../session/authenticate.ts';

/**
 * Limits of the requests that any account may make, and of those that take long. No account takes all places of a kind:
 * others get their answers meanwhile [R10].
 */
export const AT_ONCE = {
  /** One is drawn, the others wait. A form that somebody types into asks again and again. */
  previews: limitAtOnce({ allMax: 8, eachMax: 4 }),
  /** Each reads a statement and a whole rain. */
  comparisons: limitAtOnce({ allMax: 2, eachMax: 1 }),
  /** Each reads a whole rain or sale. A few run, the others wait: a page asks by itself, and after each step. */
  audits: limitAtOnce({ allMax: 16, eachMax: 6 }),
  /** Each reads a whole rain, or all orders of a sale. */
  exports: limitAtOnce({ allMax: 4, eachMax: 2 }),
  /** Each reads up to 50 jobs, and a job holds up to 500 entries. */
  jobPages: limitAtOnce({ allMax: 8, eachMax: 3 }),
  /** Each reads all claims of many rains. */
  restoreChecks: limitAtOnce({ allMax: 1, eachMax: 1 }),
} as const satisfies Record<string, AtOnce>;

const AUDITS_RUNNING_MAX = 3;
const inTurn = createSemaphore(AUDITS_RUNNING_MAX);

const RETRY_MS = 2_000;

export function declinedForNow(): { declined: Refusal } {
  return {
    declined: {
      ...REFUSALS.too_many,
      reason: 'Too many of these at once. Try again in a moment.',
      retryInMs: RETRY_MS,
    },
  };
}

/** The result of `work`, which begins only if there is a place for this visitor. */
export async function inPlace<T>(
  begin: AtOnce,
  { name }: SignedIn,
  work: () => Promise<T>,
): Promise<T | { declined: Refusal }> {
  const end = begin(name);
  if (!end) return declinedForNow();
  try {
    return await work();
  } finally {
    end();
  }
}

/** An audit or a verification, which waits for its turn. */
export function auditInTurn<T>(visitor: SignedIn, work: () => Promise<T>): Promise<T | { declined: Refusal }> {
  return inPlace(AT_ONCE.audits, visitor, () => inTurn(work));
}
