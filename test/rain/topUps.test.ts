import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { commitmentOf, verifyFairness, type Shown } from '../../src/rain/commitment.ts';
import type { RainPlan } from '../../src/rain/plan.ts';
import { checkPlan } from '../../src/rain/plan-check.ts';
import { checkProof, proof } from '../../src/rain/proof.ts';
import { splitBudget } from '../../src/rain/split.ts';

const seedOf = (n: number) => (n % 16).toString(16).repeat(64);
const planOf = (packets: number): RainPlan => ({ budget: `${packets}.00`, packets });
const amountsOf = (plan: RainPlan, seed: string) => {
  const verdict = checkPlan(plan);
  if (!verdict.ok) throw new Error('no plan');
  return splitBudget(verdict.plan, seed);
};

/** A rain of so many packets, topped up with so many each time, as it is shown once it is settled. */
function shownOf(...packets: number[]): Shown & { rainId: string; shards: number; topUps: Shown[] } {
  let first = 0;
  const [creation, ...topUps] = packets.map((count, i) => {
    const [plan, seed] = [planOf(count), seedOf(i)];
    const commitment = commitmentOf({ rainId: 'gala', seed, plan, shards: 3, ...(i > 0 && { first }) });
    first += count;
    return { commitment, seed, plan };
  });
  return { rainId: 'gala', shards: 3, ...creation!, topUps };
}

describe('the top-ups of a rain', () => {
  test('[R3] follow packet by packet from the revealed values, after earlier packets', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 6 }), (packets) => {
        const verdict = verifyFairness(shownOf(...packets));
        expect(verdict.outcome).toBe('ok');
        if (verdict.outcome !== 'ok') return;
        expect([...verdict.allocation]).toEqual(
          packets.flatMap((count, i) => [...amountsOf(planOf(count), seedOf(i))]),
        );
        expect(verdict.allocation.reduce((sum, cents) => sum + cents, 0n)).toBe(
          100n * BigInt(packets.reduce((sum, count) => sum + count, 0)),
        );
      }),
      { seed: 20_261_122 },
    );
  });

  test('have a commitment that includes their position: the same seed and plan elsewhere give another one', () => {
    const promised = { rainId: 'gala', seed: seedOf(1), plan: planOf(5), shards: 1 };
    expect(
      new Set([
        commitmentOf(promised),
        commitmentOf({ ...promised, first: 5 }),
        commitmentOf({ ...promised, first: 6 }),
      ]).size,
    ).toBe(3);
  });

  test.each<[string, (shown: ReturnType<typeof shownOf>) => unknown, number | undefined]>([
    ['put into another order', (shown) => ({ ...shown, topUps: [...shown.topUps].reverse() }), 1],
    ['left out in the middle', (shown) => ({ ...shown, topUps: shown.topUps.slice(1) }), 1],
    [
      'shown with another seed',
      (shown) => ({ ...shown, topUps: [shown.topUps[0], { ...shown.topUps[1], seed: seedOf(9) }] }),
      2,
    ],
    [
      'shown with another plan',
      (shown) => ({ ...shown, topUps: [{ ...shown.topUps[0], plan: planOf(6) }, shown.topUps[1]] }),
      1,
    ],
    ['shown as the creation', (shown) => ({ ...shown, ...shown.topUps[0] }), undefined],
  ])('%s is told as not promised', (_, change, topUp) => {
    const shown = shownOf(4, 5, 6);
    const verdict = verifyFairness(change(shown) as typeof shown);
    expect(verdict.outcome).toBe('commitment_differs');
    expect('topUp' in verdict ? verdict.topUp : undefined).toBe(topUp);
  });

  test('[R10] are computed within bounds, whatever values are shown', () => {
    const shown = shownOf(1, 1);
    const huge = {
      plan: { budget: '50000.00', packets: 5_000_000, split: { method: 'even' as const } },
      seed: seedOf(2),
    };
    const commitment = commitmentOf({ rainId: 'gala', shards: 3, first: 1, ...huge });
    expect(verifyFairness({ ...shown, topUps: [{ ...huge, commitment }] })).toMatchObject({
      outcome: 'bad_plan',
      topUp: 1,
    });
    expect(proof.safeParse({ ...shown, topUps: Array(33).fill(shown.topUps[0]) }).success).toBe(false);
  }, 60_000);

  test('are part of an offline proof, and problems are reported with their position', () => {
    const shown = shownOf(4, 5);
    const receipt = { rainId: 'gala', redPacketId: 'gala-8', amount: '0.00' };
    const amount = (Number(amountsOf(planOf(5), seedOf(1))[4]) / 100).toFixed(2);
    expect(checkProof(proof.parse({ ...shown, receipts: [{ ...receipt, amount }] }))).toEqual({
      packets: 9,
      problems: [],
    });
    expect(checkProof(proof.parse({ ...shown, topUps: [], receipts: [{ ...receipt, amount }] })).problems).toEqual([
      'the receipt for gala-8 names a packet that was never promised',
    ]);
    const broken = { ...shown, topUps: [{ ...shown.topUps[0], seed: seedOf(9) }] };
    expect(checkProof(proof.parse(broken)).problems).toEqual([
      expect.stringMatching(/^topUps\.0: the commitment is [0-9a-f]{64}, but seed and plan hash to/),
    ]);
    expect(checkProof(proof.parse({ ...shown, topUps: [{ ...shown.topUps[0], seed: 'x' }] })).problems[0]).toMatch(
      /^topUps\.0\.seed: /,
    );
  });
});
