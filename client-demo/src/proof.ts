// First, for what it says must hold before a schema is made.
import './without-eval.ts';
import { checkReceipt, verifyFairness } from '../../src/rain/commitment.ts';
import type { Proof, Provable } from './round.ts';

/** Computes every packet of the rain anew, as the server did. A million of them take seconds. */
export function prove({ rainId, inTime, win, ...shown }: Provable): Proof {
  const verdict = verifyFairness({ rainId, ...shown });
  if (verdict.outcome !== 'ok') return 'broken';
  if (win && checkReceipt(verdict.allocation, rainId, { rainId, ...win }).outcome !== 'ok') return 'broken';
  if (!inTime) return 'late';
  return win ? 'yours' : 'all';
}
