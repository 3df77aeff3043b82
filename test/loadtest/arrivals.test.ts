import { describe, expect, test } from 'vitest';
import { arrivalsMs, SHAPES, type Shape } from '../../src/loadtest/arrivals.ts';

const SEED = 'a441'.repeat(16);
const USERS = 20_000;
const arrive = (shape: Shape, seed = SEED) => arrivalsMs({ shape, perSecond: 1_000 }, USERS, seed);
/** The arrivals in each quarter of 20 s. */
const quarters = (moments: Float64Array) =>
  [0, 1, 2, 3].map((q) => moments.filter((ms) => ms >= q * 5_000 && ms < (q + 1) * 5_000).length / USERS);

describe('arrivals', () => {
  test.each(SHAPES)('%s: every user has a planned time, in order, at the configured average rate', (shape) => {
    const moments = arrive(shape);
    expect(moments).toHaveLength(USERS);
    expect([...moments].every((ms, i) => ms >= (moments[i - 1] ?? 0))).toBe(true);
    // The number in 20 s strays by about 140 in a Poisson process of 20,000.
    const lastSteady = shape === 'steady' ? moments.at(-1)! : 20_000;
    expect(Math.abs(lastSteady - 20_000)).toBeLessThan(600);
    expect(moments.at(-1)).toBeLessThan(21_000);
  });

  test.each<[Shape, number[]]>([
    ['steady', [0.25, 0.25, 0.25, 0.25]],
    ['spike', [0.718, 0.206, 0.059, 0.017]],
    ['ramp', [0.0625, 0.1875, 0.3125, 0.4375]],
    ['wave', [0.25, 0.25, 0.25, 0.25]],
  ])('%s: each quarter of the time has its part', (shape, expected) => {
    quarters(arrive(shape)).forEach((part, q) => expect(Math.abs(part - expected[q]!)).toBeLessThan(0.02));
  });

  test('wave: four peaks with almost no taps between them', () => {
    const moments = arrive('wave');
    const near = (at: number) => moments.filter((ms) => Math.abs(ms - at) < 250).length;
    for (const crest of [2_500, 7_500, 12_500, 17_500]) expect(near(crest)).toBeGreaterThan(800);
    for (const trough of [5_000, 10_000, 15_000]) expect(near(trough)).toBeLessThan(60);
  });

  test('steady: the gaps are those of a Poisson process, not those of a metronome', () => {
    const moments = arrive('steady');
    const gaps = [...moments].map((ms, i) => ms - (moments[i - 1] ?? 0));
    const mean = gaps.reduce((sum, gap) => sum + gap, 0) / USERS;
    const deviation = Math.sqrt(gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / USERS);
    expect(Math.abs(deviation / mean - 1)).toBeLessThan(0.05);
  });

  test('are decided by the seed alone', () => {
    expect(arrive('ramp')).toEqual(arrive('ramp'));
    expect(arrive('ramp', 'b'.repeat(64))).not.toEqual(arrive('ramp'));
  });
});
