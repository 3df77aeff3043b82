import type { Cents } from '../money.ts';
import type { PlainMethod } from './method.ts';

/**
 * 二倍均值法: each draw is uniform in [min, 2 × mean − min] of the remaining money, narrowed so that each remaining packet
 * can have from min to max. The range always contains the mean of the remaining money, rounded down. With a max below
 * twice the mean, early draws fall short of the mean, so later ones cluster at max.
 */
export const doubleMean: PlainMethod<'double-mean'> = {
  name: 'double-mean',
  label: { en: 'By chance', zh: '拼手气' },
  recipe: `for one packet after the other, with \`left\` cents and \`n\` packets to come, this one included: draw from
  max(min, left − (n − 1) × max) to min(⌊2 × left / n⌋ − min, max, left − (n − 1) × min), from the stream \`amounts\`.`,
  rest: 'itself',
  fill(amounts, { budgetCents, minCents, maxCents }, random) {
    let left = budgetCents;
    for (let i = 0; i < amounts.length; i++) {
      const packetsLeft = BigInt(amounts.length - i);
      const lowest = max(minCents, left - (packetsLeft - 1n) * maxCents);
      const highest = min((2n * left) / packetsLeft - minCents, min(maxCents, left - (packetsLeft - 1n) * minCents));
      const drawn = lowest + random.below(highest - lowest + 1n);
      amounts[i] = drawn;
      left -= drawn;
    }
  },
};

function min(a: Cents, b: Cents): Cents {
  return a < b ? a : b;
}

function max(a: Cents, b: Cents): Cents {
  return a > b ? a : b;
}
