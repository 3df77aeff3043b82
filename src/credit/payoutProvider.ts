import type { Claim } from '../rain/claim.ts';
import type { DeadReason } from './deadLetter.ts';

/**
 * The outcome for one entry that is posted to another system: a claim to a payout provider, an order to an order
 * service. Its user is told only after `commit`. `Reason`: of the dead letter.
 */
export type PostOutcome<Reason extends string = DeadReason> =
  /** It is done, by this call or an earlier one [R5]. */
  | { outcome: 'commit' }
  /** Not now, or unknown: post it again, not before `afterMs` if given. */
  | { outcome: 'reconsumeLater'; detail: string; afterMs?: number }
  /** It will never be accepted: it becomes a dead letter. */
  | { outcome: 'giveUp'; reason: Reason; detail: string };

/**
 * The other system will never accept the batch because of at least one entry, which it does not name. Nothing of it was
 * posted.
 */
export class BatchRefused extends Error {
  override name = 'BatchRefused';
}

/** THE PORT to the system that keeps users' money. */
export interface PayoutProvider {
  /**
   * Credits each claim exactly once, however often it is posted [R5].
   * @param claims all of this one rain, at least one
   * @param apart all of them were posted before and answered `reconsumeLater`; a provider that sends several claims
   *   per request sends one at a time now, so that none delays another
   * @returns one outcome per claim, in order
   * @throws BatchRefused to have the batch bisected; any other error means unknown or not now: post the whole batch
   *   again
   */
  post(rainId: string, claims: readonly Claim[], apart?: boolean): Promise<PostOutcome[]>;
}
