import type { Claim } from '../rain/claim.ts';
import type { PostOutcome } from './payoutProvider.ts';

/** All of these claims, not now; nobody was asked to pay them. */
export function putOff(claims: readonly Claim[], detail: string): PostOutcome[] {
  return claims.map(() => ({ outcome: 'reconsumeLater', detail }));
}

/**
 * The ledger was restored to a time before this rain, and may be restored again: nothing is known against its claims.
 */
export function putOffUnknown(rainId: string, claims: readonly Claim[]): PostOutcome[] {
  return putOff(claims, `the ledger has no rain ${rainId}`);
}
