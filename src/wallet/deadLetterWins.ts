import type { DeadLetterPage } from '../credit/deadLetters.ts';
import { parseClaim, type Claim } from '../rain/claim.ts';
import { sharedFor } from './cache.ts';

/** Dead letters per read, and how long one result serves all callers, ms [R10]. */
const DEAD_LETTERS_MAX = 5_000;
const RESULT_MS = 500;

/** Whether a claim is a dead letter; `unknown`: there are more letters than were read. */
export type DeadWins = (claim: Claim) => Promise<boolean | 'unknown'>;

/**
 * A dead-lettered claim belongs to the operator: while the operator checks that a wallet has not paid it, that wallet must not
 * be asked again. Rejects when the dead letters cannot be read.
 */
export function createDeadWins(readDeadLetters: (limit: number) => Promise<DeadLetterPage>): DeadWins {
  const read = sharedFor(RESULT_MS, async () => {
    const { letters, complete } = await readDeadLetters(DEAD_LETTERS_MAX);
    const claims = letters.map(({ entry }) => parseClaim(entry));
    return { names: new Set(claims.flatMap((parsed) => (parsed.ok ? [nameOf(parsed.claim)] : []))), complete };
  });
  return async (claim) => {
    const { names, complete } = await read();
    return names.has(nameOf(claim)) || (complete ? false : 'unknown');
  };
}

export function nameOf({ rainId, redPacketId, userId }: Claim): string {
  return JSON.stringify([rainId, redPacketId, userId]);
}
