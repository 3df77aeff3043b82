import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PACKETS_MAX } from '../../src/rain/plan.ts';
import { checkPlan } from '../../src/rain/plan-check.ts';
import { METHODS_IN_WORDS } from '../../src/rain/split/methods.ts';

const refusals = (asked: unknown) => {
  const verdict = checkPlan(asked);
  return verdict.ok ? [] : verdict.refusals.map(({ field, reason }) => `${field}: ${reason}`);
};
const tiers = (...listed: { count: number; amount: string }[]) => ({ method: 'tiers', tiers: listed });

describe('a feasible plan', () => {
  test('gets its defaults: double-mean, at least a cent, at most the budget', () => {
    expect(checkPlan({ budget: '8888.00', packets: 1_000 })).toEqual({
      ok: true,
      plan: {
        budgetCents: 888_800n,
        packets: 1_000,
        minCents: 1n,
        maxCents: 888_800n,
        split: { method: 'double-mean', rows: [] },
      },
    });
  });

  test('carries its tiers in cents', () => {
    const verdict = checkPlan({
      budget: '8888.00',
      packets: 1_000,
      split: tiers({ count: 1, amount: '888.00' }, { count: 10, amount: '88.80' }),
    });
    expect(verdict.ok && verdict.plan.split).toEqual({
      method: 'tiers',
      rows: [
        { count: 1, amount: 88_800n },
        { count: 10, amount: 8_880n },
      ],
    });
  });

  test.each([
    ['one packet with everything', { budget: '0.01', packets: 1 }],
    ['a cent for each of the most packets allowed', { budget: '50000.00', packets: PACKETS_MAX }],
    ['the largest budget', { budget: '90071992547409.91', packets: 3 }],
    ['min and max that leave no choice', { budget: '30.00', packets: 3, min: '10.00', max: '10.00' }],
    ['tiers that are the whole rain', { budget: '30.00', packets: 3, split: tiers({ count: 3, amount: '10.00' }) }],
  ])('%s', (_name, asked) => {
    expect(refusals(asked)).toEqual([]);
  });
});

describe('[R12] a plan is refused, with field, reason and figures:', () => {
  test.each<[string, unknown, string[]]>([
    ['zero budget', { budget: '0.00', packets: 1 }, ['budget: "0.00" is zero: an amount is above zero']],
    ['negative budget', { budget: '-5.00', packets: 1 }, ['budget: "-5.00" is negative: an amount is above zero']],
    [
      'half a cent',
      { budget: '10.005', packets: 1 },
      ['budget: "10.005" is not a whole number of cents: write two decimals, such as "12.21"'],
    ],
    [
      'no decimals',
      { budget: '10', packets: 1 },
      ['budget: "10" is not an amount: write it with two decimals, such as "12.21"'],
    ],
    [
      'words',
      { budget: 'lots', packets: 1 },
      ['budget: "lots" is not an amount: write it with two decimals, such as "12.21"'],
    ],
    [
      'one cent above the largest budget',
      { budget: '90071992547409.92', packets: 1 },
      ['budget: "90071992547409.92" is more than the largest budget, 90071992547409.91'],
    ],
    [
      'far above the largest budget',
      { budget: '1000000000000000.00', packets: 1 },
      ['budget: "1000000000000000.00" is more than the largest budget, 90071992547409.91'],
    ],
    ['no packets', { budget: '1.00', packets: 0 }, ['packets: 0 packets: a rain has at least 1']],
    ['negative packets', { budget: '1.00', packets: -3 }, ['packets: -3 packets: a rain has at least 1']],
    ['half a packet', { budget: '1.00', packets: 1.5 }, ['packets: 1.5 is not a whole number of packets']],
    [
      'too many packets',
      { budget: '99999.00', packets: 5_000_001 },
      ['packets: 5,000,001 packets: a rain has at most 5,000,000'],
    ],
    [
      'packets × min > budget',
      { budget: '5.00', packets: 501 },
      ['packets: 501 packets of at least 0.01 would take 5.01, more than the budget 5.00'],
    ],
    [
      'packets × max < budget',
      { budget: '5.01', packets: 5, max: '1.00' },
      ['packets: 5 packets of at most 1.00 can hold 5.00, less than the budget 5.01'],
    ],
    [
      'min above max',
      { budget: '5.00', packets: 1, min: '2.00', max: '1.00' },
      ['min: the smallest packet, 2.00, is above the largest, 1.00'],
    ],
    ['zero min', { budget: '5.00', packets: 1, min: '0.00' }, ['min: "0.00" is zero: an amount is above zero']],
    [
      'tiers with more packets than the rain',
      { budget: '5.00', packets: 2, split: tiers({ count: 3, amount: '1.00' }) },
      ["split.tiers: the prizes hold 3 packets, more than the rain's 2"],
    ],
    [
      'tiers with more money than the rain',
      { budget: '5.00', packets: 9, split: tiers({ count: 3, amount: '2.00' }) },
      ['split.tiers: the prizes hold 6.00, more than the budget 5.00'],
    ],
    [
      'a tier outside min and max',
      {
        budget: '50.00',
        packets: 9,
        min: '1.00',
        max: '9.00',
        split: tiers({ count: 1, amount: '0.99' }, { count: 1, amount: '9.01' }),
      },
      [
        'split.tiers.0.amount: 0.99 is below the smallest packet, 1.00',
        'split.tiers.1.amount: 9.01 is above the largest packet, 9.00',
      ],
    ],
    [
      'a rest too small',
      { budget: '10.00', packets: 5, min: '1.00', split: tiers({ count: 1, amount: '7.00' }) },
      ['split.tiers: 4 packets of at least 1.00 would take 4.00, more than what the prizes leave, 3.00'],
    ],
    [
      'a rest too large',
      { budget: '10.00', packets: 5, max: '2.10', split: tiers({ count: 4, amount: '1.00' }) },
      ['split.tiers: 1 packet of at most 2.10 can hold 2.10, less than what the prizes leave, 6.00'],
    ],
    [
      'money left and no packet to put it in',
      { budget: '10.00', packets: 3, split: tiers({ count: 3, amount: '3.00' }) },
      ['split.tiers: 0 packets of at most 10.00 can hold 0.00, less than what the prizes leave, 1.00'],
    ],
    [
      'several things at once',
      { budget: '0', packets: 0, min: '-1.00', split: tiers({ count: 1, amount: 'x' }) },
      [
        'packets: 0 packets: a rain has at least 1',
        'budget: "0" is not an amount: write it with two decimals, such as "12.21"',
        'min: "-1.00" is negative: an amount is above zero',
        'split.tiers.0.amount: "x" is not an amount: write it with two decimals, such as "12.21"',
      ],
    ],
    ['a budget as a number', { budget: 88.5, packets: 1 }, ['budget: expected an amount as text, such as "12.21"']],
    ['packets as text', { budget: '1.00', packets: '1' }, ['packets: expected a number of packets']],
    [
      'an unknown method',
      { budget: '1.00', packets: 1, split: { method: 'luck' } },
      [`split.method: expected the method ${METHODS_IN_WORDS}`],
    ],
    ['no tiers in tiers', { budget: '1.00', packets: 1, split: tiers() }, ['split.tiers: expected at least one prize']],
    [
      'an empty tier',
      { budget: '1.00', packets: 1, split: tiers({ count: 0, amount: '1.00' }) },
      ['split.tiers.0.count: expected at least 1 packet'],
    ],
    ['a field that is none', { budget: '1.00', packets: 1, sed: 'x' }, ['plan: Unrecognized key: "sed"']],
    ['nothing', undefined, ['plan: expected an object with budget and packets']],
  ])('%s', (_name, asked, reasons) => {
    expect(refusals(asked)).toEqual(reasons);
  });

  test('any value, without an exception', () => {
    fc.assert(
      fc.property(fc.anything(), (asked) => {
        expect(typeof checkPlan(asked).ok).toBe('boolean');
      }),
    );
  });
});
