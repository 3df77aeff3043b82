import { BatchRefused, type Balance } from './balance.ts';
import type { LoggedClaim, LostEntry } from './entries.ts';

export interface Posted {
  /** In the log's order. */
  committed: LoggedClaim[];
  lost: LostEntry[];
}

/**
 * Posts a batch; one that is refused is halved until the claims that cannot be taken stand alone, so that they hold up
 * nobody else. One poison claim among 500 costs 18 more transactions, 500 of them 998.
 *
 * @throws whatever the balance throws but BatchRefused; what was committed before is found `already` there by the next attempt
 */
export async function postIsolating(balance: Balance, rainId: string, claims: readonly LoggedClaim[]): Promise<Posted> {
  if (claims.length === 0) return { committed: [], lost: [] };
  try {
    return sort(claims, await balance.post(rainId, claims.map(({ claim }) => claim)));
  } catch (error) {
    if (!(error instanceof BatchRefused)) throw error;
    const [alone] = claims;
    if (alone && claims.length === 1) return { committed: [], lost: [{ index: alone.index, entry: alone.entry, reason: 'refused', detail: error.message }] };
    const middle = Math.ceil(claims.length / 2);
    const first = await postIsolating(balance, rainId, claims.slice(0, middle));
    const second = await postIsolating(balance, rainId, claims.slice(middle));
    return { committed: [...first.committed, ...second.committed], lost: [...first.lost, ...second.lost] };
  }
}

function sort(claims: readonly LoggedClaim[], outcomes: Awaited<ReturnType<Balance['post']>>): Posted {
  if (outcomes.length !== claims.length) throw new Error(`the balance system answered ${outcomes.length} times for ${claims.length} claims`);
  const posted: Posted = { committed: [], lost: [] };
  claims.forEach((claim, i) => {
    const answer = outcomes[i]!;
    if (answer.outcome === 'commit') posted.committed.push(claim);
    else posted.lost.push({ index: claim.index, entry: claim.entry, reason: answer.reason, detail: answer.detail });
  });
  return posted;
}
