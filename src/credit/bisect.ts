import { BatchRefused, type PayoutProvider, type PostOutcome } from './payoutProvider.ts';
import type { LoggedClaim, LostEntry } from './logEntries.ts';

/** A claim that the payout provider does not accept yet, with its reason. */
export interface LateClaim extends LoggedClaim {
  detail: string;
  afterMs?: number;
}

/** All lists are ordered as in the log. */
export interface Posted { committed: LoggedClaim[]; late: LateClaim[]; lost: LostEntry[] }

/**
 * Posts a batch. A refused batch is halved until each claim that cannot be accepted is alone, so that it does not block the
 * others. One poison claim among 500 costs 18 more transactions, 500 of them 998.
 * @throws any error of the payout provider except BatchRefused; the next attempt finds committed claims `already` there
 */
export async function postBisecting(balance: PayoutProvider, rainId: string, claims: readonly LoggedClaim[], apart = false): Promise<Posted> {
  if (claims.length === 0) return { committed: [], late: [], lost: [] };
  try {
    return sort(claims, await balance.post(rainId, claims.map(({ claim }) => claim), apart));
  } catch (error) {
    if (!(error instanceof BatchRefused)) throw error;
    const [only] = claims;
    if (only && claims.length === 1) return { committed: [], late: [], lost: [{ index: only.index, entry: only.entry, reason: 'refused', detail: error.message }] };
    const middle = Math.ceil(claims.length / 2);
    const first = await postBisecting(balance, rainId, claims.slice(0, middle), apart);
    const second = await postBisecting(balance, rainId, claims.slice(middle), apart);
    return { committed: [...first.committed, ...second.committed], late: [...first.late, ...second.late], lost: [...first.lost, ...second.lost] };
  }
}

function sort(claims: readonly LoggedClaim[], outcomes: readonly PostOutcome[]): Posted {
  if (outcomes.length !== claims.length) throw new Error(`the payout provider returned ${outcomes.length} outcomes for ${claims.length} claims`);
  const posted: Posted = { committed: [], late: [], lost: [] };
  claims.forEach((claim, i) => {
    const { index, entry } = claim;
    const outcome = outcomes[i]!;
    switch (outcome.outcome) {
      case 'commit': return posted.committed.push(claim);
      case 'reconsumeLater': return posted.late.push({ ...claim, detail: outcome.detail, ...(outcome.afterMs !== undefined && { afterMs: outcome.afterMs }) });
      case 'giveUp': return posted.lost.push({ index, entry, reason: outcome.reason, detail: outcome.detail });
      default: return outcome satisfies never;
    }
  });
  return posted;
}
