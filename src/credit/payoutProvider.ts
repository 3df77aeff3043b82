import type { Claim } from '../rain/claim.ts';
import type { DeadReason } from './deadLetter.ts';

/** What the balance system says about one claim. Only after `commit` is its user told that he has the money. */
export type PostOutcome =
  /** The money is with the user, by this call or an earlier one [R5]. */
  | { outcome: 'commit' }
  /** Not now, or nobody knows: hand it in again, not before `afterMs` have passed if that is said. */
  | { outcome: 'reconsumeLater'; detail: string; afterMs?: number }
  /** It will never be: the claim goes to the dead letters. */
  | { outcome: 'giveUp'; reason: DeadReason; detail: string };

/**
 * The balance system has understood the batch and will not take it, today or tomorrow, for the sake of at least one claim
 * in it; it does not say which. Nothing of the batch was posted.
 */
export class BatchRefused extends Error {
  override name = 'BatchRefused';
}

/** THE PORT: whatever keeps users' money. */
export interface PayoutProvider {
  /**
   * Credits each claim exactly once, however often it is handed in [R5].
   *
   * @param claims of this one rain, at least one
   * @param apart they were all handed in before and to be consumed later; whoever asks for several at once asks for one at
   * a time now, so that none is held up for another's sake
   * @returns one outcome per claim, in order
   * @throws BatchRefused to have the batch taken apart; anything else means: unknown or not now, hand the whole batch in again
   */
  post(rainId: string, claims: readonly Claim[], apart?: boolean): Promise<PostOutcome[]>;
}
