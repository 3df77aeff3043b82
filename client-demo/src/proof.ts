// First, for what it says must hold before a schema is made.
import './without-eval.ts';
import { checkReceipt, verifyFairness } from '../../src/rain/commitment.ts';
import type { Proof, Provable } from './round.ts';

/** Computes every packet of the rain anew, as the server did. A million of them take seconds. */
export function prove({ rainId, inTime, win, added = [], topUps = [], ...shown }: Provable): Proof {
  // Against the promises that were heard, not those that are shown now; one of them that is shown no more is broken.
  if (topUps.length !== added.length) return 'broken';
  const kept = topUps.map(({ seed = '', plan }, i) => ({ commitment: added[i]!, seed, plan }));
  const verdict = verifyFairness({ rainId, ...shown, topUps: kept });
  if (verdict.outcome === 'newer') return 'newer';
  if (verdict.outcome !== 'ok') return 'broken';
  if (win && checkReceipt(verdict.allocation, rainId, { rainId, ...win }).outcome !== 'ok') return 'broken';
  if (!inTime) return 'late';
  return win ? 'yours' : 'all';
}
