// Must be imported first: it configures zod before any schema is created.
import './without-eval.ts';
import { checkReceipt, verifyFairness } from '../../src/rain/commitment.ts';
import type { Proof, Provable } from './round.ts';

/** Recomputes every packet of the rain, as the server did. A million packets take seconds. */
export function prove({ rainId, inTime, win, added = [], topUps = [], ...shown }: Provable): Proof {
  // Checks against the commitments received during the rain, not those shown now. A missing one breaks the proof.
  if (topUps.length !== added.length) return 'broken';
  const committed = topUps.map(({ seed = '', plan }, i) => ({ commitment: added[i]!, seed, plan }));
  const verdict = verifyFairness({ rainId, ...shown, topUps: committed });
  if (verdict.outcome === 'newer') return 'newer';
  if (verdict.outcome !== 'ok') return 'broken';
  if (win && checkReceipt(verdict.allocation, rainId, { rainId, ...win }).outcome !== 'ok') return 'broken';
  if (!inTime) return 'late';
  return win ? 'yours' : 'all';
}
