import { describe, expect, test } from 'vitest';
import { prove } from '../../client-demo/src/proof.ts';
import { answered, newRound, provable, proved, seen, type Provable, type Round } from '../../client-demo/src/round.ts';
import type { RainSnapshot } from '../../src/protocol/messages.ts';
import { commitmentOf, verifyFairness } from '../../src/rain/commitment.ts';
import { formatMoney } from '../../src/rain/money.ts';
import type { RainPlan } from '../../src/rain/plan.ts';

const SEED = '00112233445566778899aabbccddeeff'.repeat(2);
const PLAN: RainPlan = {
  budget: '100.00',
  packets: 10,
  split: { method: 'tiers', tiers: [{ count: 1, amount: '18.88' }] },
};
const PROMISED = { rainId: 'spring', seed: SEED, plan: PLAN, shards: 2 };
const COMMITMENT = commitmentOf(PROMISED);
const OTHER = { ...PROMISED, seed: 'cd'.repeat(32) };

const verdict = verifyFairness({ ...PROMISED, commitment: COMMITMENT });
const AMOUNT = formatMoney(verdict.outcome === 'ok' ? verdict.allocation[7]! : 0n);

const before: RainSnapshot = {
  type: 'rain',
  rainId: 'spring',
  title: 'Spring',
  state: 'open',
  opensAt: 1_000,
  closesAt: 2_000,
  packets: 10,
  left: 10,
  serverTime: 0,
  commitment: COMMITMENT,
};
const after: RainSnapshot = { ...before, state: 'settled', seed: SEED, plan: PLAN, shards: 2 };
const watched = (...snapshots: RainSnapshot[]): Round => snapshots.reduce(seen, newRound('spring'));
const won = (round: Round, amount: string, redPacketId = 'spring-7') =>
  answered(round, { type: 'result', rainId: 'spring', code: '0', reason: 'won', redPacketId, amount });
const verdictOf = (round: Round) => prove(provable(round)!);

describe('what the page can prove', () => {
  test('nothing before the seed is published, and nothing for a rain without a commitment', () => {
    expect(provable(newRound('spring'))).toBeUndefined();
    expect(provable(watched(before))).toBeUndefined();
    const { commitment: _, ...without } = after;
    expect(provable(watched(without))).toBeUndefined();
  });

  test("the player's own packet, against the commitment received during the rain", () => {
    expect(verdictOf(won(watched(before, after), AMOUNT))).toBe('yours');
    expect(verdictOf(watched(before, after))).toBe('all');
  });

  test('a page opened after the rain does not claim that it received the commitment before', () => {
    expect(verdictOf(won(watched(after), AMOUNT))).toBe('late');
    expect(verdictOf(won(watched({ ...before, state: 'closed' }, after), AMOUNT))).toBe('late');
  });

  test.each<[string, Round]>([
    ['another amount', won(watched(before, after), '99.99')],
    ['a packet that the rain does not have', won(watched(before, after), AMOUNT, 'spring-10')],
    ['another seed', watched(before, { ...after, seed: OTHER.seed })],
    [
      'another seed with a commitment that fits it',
      watched(before, { ...after, seed: OTHER.seed, commitment: commitmentOf(OTHER) }),
    ],
    [
      'another commitment halfway',
      watched(
        before,
        { ...before, commitment: commitmentOf(OTHER) },
        { ...after, seed: OTHER.seed, commitment: commitmentOf(OTHER) },
      ),
    ],
    [
      'another seed, to a page that came between close and settlement',
      watched({ ...before, state: 'closed' }, { ...after, seed: OTHER.seed, commitment: commitmentOf(OTHER) }),
    ],
    ['another plan', watched(before, { ...after, plan: { ...PLAN, max: '50.00' } })],
    ['no shards', watched(before, (({ shards: _, ...rest }) => rest)(after))],
    ['a seed that is none, to a page that came late', watched({ ...after, seed: 'x' })],
  ])('%s is told as not promised', (_, round) => {
    expect(verdictOf(round)).toBe('broken');
  });

  test.each<[string, Record<string, unknown>]>([
    ['a method that this page does not know', { ...PLAN, split: { method: 'by-the-moon', phase: 3 } }],
    ['a field that this page does not know', { ...PLAN, weather: 'fine' }],
    ['another recipe', { ...PLAN, recipe: 'red-packet-rain/v9' }],
  ])(
    'a rain with %s is newer than the page, and not broken; with another plan than was promised it is broken',
    (_, plan) => {
      const commitment = commitmentOf({ ...PROMISED, plan });
      const [promised, shown] = [
        { ...before, commitment },
        { ...after, commitment, plan },
      ];
      expect(verdictOf(watched(promised, shown))).toBe('newer');
      expect(verdictOf(won(watched(promised, shown), AMOUNT))).toBe('newer');
      expect(verdictOf(watched(promised, { ...shown, plan: { ...plan, budget: '99.00' } }))).toBe('broken');
      expect(verdictOf(watched(before, { ...after, plan }))).toBe('broken');
    },
  );

  test('the result is stored in the round', () => {
    const round = proved(watched(before, after), 'all');
    expect(seen(round, after).proof).toBe('all');
  });

  test('the input survives the transfer to the worker', () => {
    const shown: Provable = structuredClone(provable(won(watched(before, after), AMOUNT))!);
    expect(prove(shown)).toBe('yours');
  });
});
