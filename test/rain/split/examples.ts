import fc from 'fast-check';
import { parseMoney } from '../../../src/rain/money.ts';
import type { RainPlan } from '../../../src/rain/plan.ts';
import type { MethodName, Split } from '../../../src/rain/split/methods.ts';

/** The fields in a list of one method: amounts as texts, and whole numbers up to so many. */
interface Figures {
  amount: fc.Arbitrary<string>;
  wholeMax: number;
}

/** In cents. */
interface Bounds {
  budget: number;
  packets: number;
  min: number;
  max: number;
}

interface Example<Name extends MethodName> {
  /** For 8,888.00 in 1,000 packets. */
  split: Extract<Split, { method: Name }>;
  /** The first 16 hex digits of the SHA-256 of those amounts, recorded when the method was new: they never change. */
  recorded: string;
  /** Any split, also one that cannot be carried out. */
  any(figures: Figures): fc.Arbitrary<Split>;
  /** Whether whole cents can be split as requested, by counting alone: another method than the product's. */
  possible(split: Extract<Split, { method: Name }>, bounds: Bounds): boolean;
  /** Plans that its own check refuses; with all of its reasons among theirs. */
  refused: readonly RainPlan[];
}

/** The sums that packets within the bounds can have are exactly those from the least to the most, if there is any. */
const fits = ({ budget, packets, min, max }: Bounds) =>
  packets >= 0 && min <= max && budget >= packets * min && budget <= packets * max;

/** One of each method; a method without one does not compile. */
export const EXAMPLES: { readonly [Name in MethodName]: Example<Name> } = {
  'double-mean': {
    split: { method: 'double-mean' },
    recorded: '81084231daccc43f',
    any: () => fc.constant({ method: 'double-mean' }),
    possible: (_, bounds) => fits(bounds),
    refused: [],
  },
  tiers: {
    split: {
      method: 'tiers',
      tiers: [
        { count: 1, amount: '888.00' },
        { count: 10, amount: '88.80' },
      ],
    },
    recorded: '8de991f6c7160c5d',
    any: ({ amount, wholeMax }) =>
      fc.record({
        method: fc.constant('tiers' as const),
        tiers: fc.array(fc.record({ count: fc.integer({ min: 1, max: wholeMax }), amount }), {
          minLength: 1,
          maxLength: 3,
        }),
      }),
    possible({ tiers }, bounds) {
      let { budget, packets } = bounds;
      for (const { count, amount } of tiers) {
        const each = Number(parseMoney(amount)!);
        if (each < bounds.min || each > bounds.max) return false;
        budget -= count * each;
        packets -= count;
      }
      return fits({ ...bounds, budget, packets });
    },
    refused: [
      { budget: '10.00', packets: 2, split: { method: 'tiers', tiers: [{ count: 3, amount: '1.00' }] } },
      { budget: '10.00', packets: 5, split: { method: 'tiers', tiers: [{ count: 3, amount: '9.00' }] } },
      { budget: '10.00', packets: 5, min: '1.00', split: { method: 'tiers', tiers: [{ count: 1, amount: '0.50' }] } },
      { budget: '10.00', packets: 5, max: '5.00', split: { method: 'tiers', tiers: [{ count: 1, amount: '6.00' }] } },
      { budget: '10.00', packets: 5, min: '1.00', split: { method: 'tiers', tiers: [{ count: 1, amount: '9.00' }] } },
      { budget: '10.00', packets: 2, max: '5.00', split: { method: 'tiers', tiers: [{ count: 1, amount: '1.00' }] } },
    ],
  },
  even: {
    split: { method: 'even' },
    recorded: 'ab1af78c3935ab2e',
    any: () => fc.constant({ method: 'even' }),
    possible: (_, bounds) => fits(bounds),
    refused: [],
  },
};

/** A split of any method. */
export function anySplit(figures: Figures): fc.Arbitrary<Split> {
  return fc.oneof(...Object.values(EXAMPLES).map(({ any }) => any(figures)));
}

/** The example of a split's own method: the pair fits, which TypeScript cannot see. */
export function possible(split: Split, bounds: Bounds): boolean {
  const example = EXAMPLES[split.method] as { possible(split: Split, bounds: Bounds): boolean };
  return example.possible(split, bounds);
}
