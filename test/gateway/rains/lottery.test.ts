import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Lottery, type RandomIndex } from '../../../src/gateway/rains/lottery.ts';
import { chance, SEED } from './fairStartServers.ts';

const pending = (user: number, grab = 0) => ({ userId: `user-${user}`, grab });
type PendingGrab = ReturnType<typeof pending>;

const USERS = 20;
const PACKETS = 5;
const STARTS = 20_000;
/** Bound for a chi-square with 19 degrees of freedom: one fair generator in ten thousand exceeds it. */
const CHI_SQUARE_MAX = 50.8;

/** How unequal the users' wins are, each of which would have STARTS × PACKETS / USERS of them. */
function chiSquare(wins: readonly number[]): number {
  const expected = (STARTS * PACKETS) / USERS;
  // The winners of one start are distinct users, so the counts vary less by this factor.
  const histogram = 1 - (PACKETS - 1) / (USERS - 1);
  return wins.reduce((sum, won) => sum + (won - expected) ** 2, 0) / (expected * histogram);
}

/** Wins per user when the same users arrive in the same order at every start. */
function winsOf(arrivals: readonly PendingGrab[], random: RandomIndex, drawnMeanwhile = 0): number[] {
  const wins = Array.from({ length: USERS }, () => 0);
  for (let start = 0; start < STARTS; start++) {
    const lottery = new Lottery<PendingGrab>(random);
    const winners = new Set<string>();
    const win = () => {
      winners.add(lottery.draw()![0]!.userId);
    };
    arrivals.forEach((one, i) => {
      lottery.add(one);
      // Some are drawn while the last ones are still coming.
      if (i >= arrivals.length - drawnMeanwhile) win();
    });
    while (winners.size < PACKETS) win();
    for (const winner of winners) wins[Number(winner.slice(5))]!++;
  }
  return wins;
}

const inOrder = Array.from({ length: USERS }, (_, user) => pending(user));

describe(`the order of arrival does not decide who wins (FAIR_SEED ${SEED.slice(0, 8)})`, () => {
  const shuffled = chance('arrivals');
  test.each<[string, PendingGrab[]]>([
    ['always in the same order', inOrder],
    ['the other way round', [...inOrder].reverse()],
    ['in another order', [...inOrder].sort(() => shuffled(2) - 0.5)],
    [
      'one of them with a hundred grabs, the first of all',
      [...Array.from({ length: 100 }, (_, grab) => pending(7, grab)), ...inOrder],
    ],
    ['one of them again after everybody', [...inOrder, pending(3, 1), pending(3, 2)]],
  ])('%s: every user has the same chance', (name, arrivals) => {
    expect(chiSquare(winsOf(arrivals, chance(name)))).toBeLessThan(CHI_SQUARE_MAX);
  });

  test('the measure detects unfairness: order of arrival, or a preference for the first place, far exceeds the bound', () => {
    expect(chiSquare(winsOf(inOrder, (n) => n - 1))).toBeGreaterThan(100 * CHI_SQUARE_MAX);
    const bent = chance('bent');
    expect(chiSquare(winsOf(inOrder, (n) => (bent(20) === 0 ? 0 : bent(n))))).toBeGreaterThan(CHI_SQUARE_MAX);
  });

  test('a user who arrives during the drawing has no better chance than those who were there', () => {
    const wins = winsOf(inOrder, chance('meanwhile'), 3);
    // The last two came after the first draw.
    const [before, meanwhile] = [wins.slice(0, -2), wins.slice(-2)];
    expect(Math.max(...meanwhile)).toBeLessThan(Math.min(...before));
  });
});

test('every grab is drawn once, those of one user together and in order, however arrivals and draws alternate', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof({ weight: 3, arbitrary: fc.nat(9) }, { weight: 1, arbitrary: fc.constant('draw' as const) }), {
        maxLength: 60,
      }),
      fc.nat(),
      (steps, bend) => {
        const lottery = new Lottery<PendingGrab>((n) => bend % n);
        const waiting = new Map<number, number[]>();
        const take = () => {
          const lot = lottery.draw();
          if (!lot) return expect(waiting.size).toBe(0);
          const user = Number(lot[0]!.userId.slice(5));
          expect(lot.map(({ grab }) => grab)).toEqual(waiting.get(user));
          expect(lot.every(({ userId }) => userId === `user-${user}`)).toBe(true);
          waiting.delete(user);
        };
        steps.forEach((step, grab) => {
          if (step === 'draw') return take();
          lottery.add(pending(step, grab));
          waiting.set(step, [...(waiting.get(step) ?? []), grab]);
        });
        expect(lottery.total - lottery.drawn).toBe(waiting.size);
        while (waiting.size > 0) take();
        expect(lottery.draw()).toBeUndefined();
      },
    ),
  );
});
