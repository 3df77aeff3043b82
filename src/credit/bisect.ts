import { BatchRefused, type PayoutProvider, type PostOutcome } from './payoutProvider.ts';
import type { LoggedClaim, LostEntry } from './logEntries.ts';

/** A claim that the balance system does not take yet, and what it said. */
export interface LateClaim extends LoggedClaim {
  detail: string;
  afterMs?: number;
}

export interface Posted {
  /** In the log's order, as are the others. */
  committed: LoggedClaim[];
  late: LateClaim[];
  lost: LostEntry[];
}

/**
 * Posts a batch; one that is refused is halved until the claims that cannot be taken stand alone, so that they hold up
 * nobody else. One poison claim among 500 costs 18 more transactions, 500 of them 998.
 *
 * @throws whatever the balance throws but BatchRefused; what was committed before is found `already` there by the next attempt
 */
export async function postBisecting(balance: PayoutProvider, rainId: string, claims: readonly LoggedClaim[], apart = false): Promise<Posted> {
  if (claims.length === 0) return { committed: [], late: [], lost: [] };
  try {
    return sort(claims, await balance.post(rainId, claims.map(({ claim }) => claim), apart));
  } catch (error) {
    if (!(error instanceof BatchRefused)) throw error;
    const [alone] = claims;
    if (alone && claims.length === 1) return { committed: [], late: [], lost: [{ index: alone.index, entry: alone.entry, reason: 'refused', detail: error.message }] };
    const middle = Math.ceil(claims.length / 2);
    const first = await postBisecting(balance, rainId, claims.slice(0, middle), apart);
    const second = await postBisecting(balance, rainId, claims.slice(middle), apart);
    return { committed: [...first.committed, ...second.committed], late: [...first.late, ...second.late], lost: [...first.lost, ...second.lost] };
  }
}

function sort(claims: readonly LoggedClaim[], outcomes: readonly PostOutcome[]): Posted {
  if (outcomes.length !== claims.length) throw new Error(`the balance system answered ${outcomes.length} times for ${claims.length} claims`);
  const posted: Posted = { committed: [], late: [], lost: [] };
  claims.forEach((claim, i) => {
    const { index, entry } = claim;
    const answer = outcomes[i]!;
    switch (answer.outcome) {
      case 'commit': return posted.committed.push(claim);
      case 'reconsumeLater': return posted.late.push({ ...claim, detail: answer.detail, ...(answer.afterMs !== undefined && { afterMs: answer.afterMs }) });
      case 'giveUp': return posted.lost.push({ index, entry, reason: answer.reason, detail: answer.detail });
      default: return answer satisfies never;
    }
  });
  return posted;
}
