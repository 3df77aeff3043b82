import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { randomSource, shuffle, type RandomSource } from '../../src/rain/fairness.ts';
import { checkPlan } from '../../src/rain/plan-check.ts';
import type { RainPlan } from '../../src/rain/plan.ts';
import { METHOD_NAMES } from '../../src/rain/split/methods.ts';
import { splitBudget } from '../../src/rain/split.ts';

const RAINS = 3_000;
const PACKETS = 30;
/** 99.99 % quantile of chi-square with 29 degrees of freedom. */
const BOUND = 65.0;

const PLANS: [string, RainPlan][] = [
  ['even', { budget: '100.10', packets: PACKETS, split: { method: 'even' } }],
  ['double-mean', { budget: '100.00', packets: PACKETS, split: { method: 'double-mean' } }],
  [
    'double-mean under a tight max',
    { budget: '100.00', packets: PACKETS, max: '4.00', split: { method: 'double-mean' } },
  ],
  [
    'tiers',
    {
      budget: '100.00',
      packets: PACKETS,
      split: {
        method: 'tiers',
        tiers: [
          { count: 1, amount: '40.00' },
          { count: 4, amount: '5.00' },
        ],
      },
    },
  ],
];

function rains(asked: RainPlan): number[][] {
  const verdict = checkPlan(asked);
  if (!verdict.ok) throw new Error(JSON.stringify(verdict.refusals));
  return Array.from({ length: RAINS }, (_, n) => {
    const seed = createHash('sha256').update(`position ${n}`).digest('hex');
    return Array.from(splitBudget(verdict.plan, seed), Number);
  });
}

/**
 * How far the means of the positions lie apart, in units of what chance alone would do: chi-square with PACKETS − 1
 * degrees of freedom when positions are exchangeable. The sum of a rain is fixed, hence the factor.
 */
function spreadOfMeans(values: number[][]): number {
  const all = values.flat();
  const mean = all.reduce((sum, v) => sum + v, 0) / all.length;
  const variance = all.reduce((sum, v) => sum + (v - mean) ** 2, 0) / all.length;
  let statistic = 0;
  for (let position = 0; position < PACKETS; position++) {
    const here = values.reduce((sum, rain) => sum + rain[position]!, 0) / values.length;
    statistic += ((here - mean) ** 2 / (variance / values.length)) * ((PACKETS - 1) / PACKETS);
  }
  return statistic;
}

/** Statistics of the amount at a position: mean, spread, and how often it is the best of its rain. */
const QUESTIONS: [string, (rain: number[]) => number[]][] = [
  ['amount', (rain) => rain],
  ['square of the amount', (rain) => rain.map((amount) => amount ** 2)],
  ['chance of the best packet', (rain) => rain.map((amount) => (amount === Math.max(...rain) ? 1 : 0))],
];

/** Drawn once: that is most of the time of this file. */
const DRAWN = PLANS.map(([name, asked]): [string, number[][]] => [name, rains(asked)]);

test('no way to split is left out', () => {
  expect(new Set(PLANS.map(([, { split }]) => split!.method))).toEqual(new Set(METHOD_NAMES));
});

describe.each(DRAWN)('[R3] %s', (_name, drawn) => {
  test.each(QUESTIONS)('position favours nobody by %s', (_question, ask) => {
    expect(spreadOfMeans(drawn.map(ask))).toBeLessThan(BOUND);
  });

  test('the statistic detects a bias: it jumps when one rain in ten hands out its best packets first', () => {
    const favoured = drawn.map((rain, n) => (n % 10 === 0 ? rain.toSorted((a, b) => b - a) : rain));
    expect(spreadOfMeans(favoured)).toBeGreaterThan(BOUND);
  });
});

/**
 * The amounts of the tiers in order, the best last; each rain several times, since some faults of a shuffle are small.
 */
const SORTED = DRAWN[3]![1].flatMap((rain) => Array.from({ length: 7 }, () => rain.toSorted((a, b) => a - b)));

/** Any place for every packet: n^n equally likely ways onto n! orders, which does not divide. */
function naive(amounts: number[], random: RandomSource): number[] {
  const shuffled = [...amounts];
  for (let i = 0; i < shuffled.length; i++) {
    const other = random.belowNumber(shuffled.length);
    [shuffled[i], shuffled[other]] = [shuffled[other]!, shuffled[i]!];
  }
  return shuffled;
}

/** Sorting by a coin: which order comes out is the sorting's affair. */
function byCoin(amounts: number[], random: RandomSource): number[] {
  return amounts.toSorted(() => random.belowNumber(2) * 2 - 1);
}

/** One step too short: the last packet never leaves its place. */
function offByOne(amounts: number[], random: RandomSource): number[] {
  const shuffled = [...amounts];
  for (let last = shuffled.length - 2; last > 0; last--) {
    const other = random.belowNumber(last + 1);
    [shuffled[last], shuffled[other]] = [shuffled[other]!, shuffled[last]!];
  }
  return shuffled;
}

function ours(amounts: number[], random: RandomSource): number[] {
  const shuffled = BigInt64Array.from(amounts, BigInt);
  shuffle(shuffled, random);
  return Array.from(shuffled, Number);
}

describe('[R3] the same statistic for shuffles', () => {
  const spreadBy = (order: (amounts: number[], random: RandomSource) => number[]) => {
    const random = randomSource('5eed'.repeat(16), 'shuffles');
    return spreadOfMeans(SORTED.map((rain) => order(rain, random)));
  };

  test('ours makes every position worth the same', () => expect(spreadBy(ours)).toBeLessThan(BOUND));
  test.each([
    ['any place for every packet', naive],
    ['sorting by a coin', byCoin],
    ['one step too short', offByOne],
  ])('%s is found out', (_name, order) => expect(spreadBy(order)).toBeGreaterThan(BOUND));
});
