import { describe, expect, test } from 'vitest';
import { prove } from '../../client-demo/src/proof.ts';
import { answered, faceOf, newRound, provable, seen, type Round } from '../../client-demo/src/round.ts';
import type { RainSnapshot } from '../../src/protocol/messages.ts';
import { commitmentOf, verifyFairness } from '../../src/rain/commitment.ts';
import { formatMoney } from '../../src/rain/money.ts';
import type { RainPlan } from '../../src/rain/plan.ts';

const [PLAN, MORE]: RainPlan[] = [
  { budget: '4.00', packets: 4 },
  { budget: '9.00', packets: 3 },
];
const [SEED, OTHER] = ['ab'.repeat(32), 'cd'.repeat(32)];
const commitment = commitmentOf({ rainId: 'spring', seed: SEED, plan: PLAN, shards: 1 });
const promise = {
  commitment: commitmentOf({ rainId: 'spring', seed: OTHER, plan: MORE, shards: 1, first: 4 }),
  packets: 3,
};
const shown = { ...promise, seed: OTHER, plan: MORE! };

const open: RainSnapshot = {
  type: 'rain',
  rainId: 'spring',
  title: 'Spring',
  state: 'open',
  opensAt: 1_000,
  closesAt: 9_000,
  packets: 4,
  left: 4,
  serverTime: 2_000,
  commitment,
};
const dry: RainSnapshot = { ...open, left: 0 };
const more: RainSnapshot = { ...open, packets: 7, left: 3, topUps: [promise] };
const settled: RainSnapshot = {
  ...more,
  state: 'settled',
  left: 0,
  seed: SEED,
  plan: PLAN!,
  shards: 1,
  topUps: [shown],
};

const watched = (...snapshots: RainSnapshot[]): Round => snapshots.reduce(seen, newRound('spring'));
const told = (round: Round, code: '-1' | '-3') =>
  answered(round, { type: 'result', rainId: 'spring', code, reason: '' });
const face = (round: Round) => faceOf(round, 2_000);
const proofOf = (round: Round) => prove(provable(round)!);

describe('a page whose rain is topped up', () => {
  test('shows the rain again after "nothing left", and after just watching', () => {
    const missed = told(watched(open), '-1');
    expect(face(missed)).toBe('missed');
    expect(face(seen(missed, more))).toBe('open');
    expect(face(seen(seen(missed, dry), more))).toBe('open');
    // Loading in chunks: `packets` has its final value already, and `left` grows.
    expect(face(seen(seen(told(seen(missed, more), '-1'), { ...more, left: 0 }), more))).toBe('open');
    expect(face(watched(dry))).toBe('gone');
    expect(face(watched(dry, more))).toBe('open');
  });

  test('keeps showing "missed" while there is no top-up, even if packets are left for others', () => {
    const missed = told(watched(open), '-1');
    for (const later of [open, { ...open, left: 2 }, dry]) expect(face(seen(missed, later))).toBe('missed');
    expect(face(seen(told(watched(open), '-3'), more))).toBe('too_late');
  });

  test('proves every packet against the commitments received in time', () => {
    expect(proofOf(watched(open, more, settled))).toBe('all');
    const verdict = verifyFairness({
      rainId: 'spring',
      shards: 1,
      commitment,
      seed: SEED,
      plan: PLAN,
      topUps: [shown],
    });
    const amount = formatMoney(verdict.outcome === 'ok' ? verdict.allocation[6]! : 0n);
    const won = answered(watched(open, more, settled), {
      type: 'result',
      rainId: 'spring',
      code: '0',
      reason: 'won',
      redPacketId: 'spring-6',
      amount,
    });
    expect(proofOf(won)).toBe('yours');
    expect(prove(structuredClone(provable(won)!))).toBe('yours');
  });

  test('reports a commitment received only afterwards as late', () => {
    expect(proofOf(watched(open, settled))).toBe('late');
    expect(proofOf(watched(settled))).toBe('late');
  });

  test.each<[string, RainSnapshot]>([
    ['another seed', { ...settled, topUps: [{ ...shown, seed: SEED }] }],
    [
      'another promise that its seed fits',
      {
        ...settled,
        topUps: [
          {
            ...shown,
            seed: SEED,
            commitment: commitmentOf({ rainId: 'spring', seed: SEED, plan: MORE, shards: 1, first: 4 }),
          },
        ],
      },
    ],
    ['no top-up at all any more', { ...settled, topUps: [] }],
    ['a top-up without its seed', { ...settled, topUps: [promise] }],
  ])('%s is told as not promised', (_, last) => {
    expect(proofOf(watched(open, more, last))).toBe('broken');
  });
});
