import type { PlanCheck } from '../ledger/planCheck.ts';
import type { ReceiptVerdict } from '../rain/commitment.ts';
import type { Claim } from '../rain/claim.ts';
import type { PayoutProvider, PostOutcome } from './payoutProvider.ts';
import { putOffUnknown } from './putOff.ts';

/**
 * Passes on only the claims that the plan of the rain holds [R14]: who can write to Redis can append any claim to the
 * log. The others are given up before ledger or wallet is asked, and do not delay those beside them.
 */
export function plannedOnly(provider: PayoutProvider, check: PlanCheck): PayoutProvider {
  return {
    async post(rainId, claims, apart) {
      const verdicts = await check(rainId, claims);
      if (!verdicts) return putOffUnknown(rainId, claims);
      const planned = claims.filter((_, i) => verdicts[i]!.outcome === 'ok');
      const outcomes = planned.length === 0 ? [] : await provider.post(rainId, planned, apart);
      if (outcomes.length !== planned.length)
        throw new Error(`the payout provider returned ${outcomes.length} outcomes for ${planned.length} claims`);
      let next = 0;
      return claims.map((claim, i): PostOutcome => {
        const verdict = verdicts[i]!;
        return verdict.outcome === 'ok'
          ? outcomes[next++]!
          : { outcome: 'giveUp', reason: 'not_in_plan', detail: whyNotInPlan(claim, verdict) };
      });
    },
  };
}

/** The plan's word against this claim. */
export function whyNotInPlan(
  { rainId, redPacketId }: Claim,
  verdict: Exclude<ReceiptVerdict, { outcome: 'ok' }>,
): string {
  switch (verdict.outcome) {
    case 'other_rain':
      return `the claim is of rain ${rainId}`;
    case 'no_such_packet':
      return `the plan has no packet ${redPacketId}`;
    case 'amount_differs':
      return `in the plan ${redPacketId} holds ${verdict.promised}`;
    default:
      return verdict satisfies never;
  }
}
