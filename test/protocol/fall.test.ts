import fc from 'fast-check';
import { expect, test } from 'vitest';
import { appearsAt, FALL_MS_MAX, FALL_MS_MIN, fallMsOf, PACKET_EVERY_MS, packetsAt } from '../../src/protocol/fall.ts';

const OPENS_AT = 1_900_000_000_000;
const seed = fc.nat(2 ** 32 - 1);
const packet = fc.nat(100_000);

test('every packet appears in its own eighth of a second and is seen for a bounded time; the same seed falls the same way', () => {
  fc.assert(fc.property(seed, packet, (of, k) => {
    const since = appearsAt(of, OPENS_AT, k) - OPENS_AT;
    expect(since).toBeGreaterThanOrEqual(k * PACKET_EVERY_MS);
    expect(since).toBeLessThan((k + 1) * PACKET_EVERY_MS);
    expect(fallMsOf(of, k)).toBeGreaterThanOrEqual(FALL_MS_MIN);
    expect(fallMsOf(of, k)).toBeLessThan(FALL_MS_MAX);
    expect(appearsAt(of, OPENS_AT, k)).toBe(appearsAt(of, OPENS_AT, k));
  }), { numRuns: 500 });
});

test('what is on the screen is what appears and falls at that moment, and nothing else', () => {
  fc.assert(fc.property(seed, fc.integer({ min: -1_000, max: 3_600_000 }), (of, since) => {
    const now = OPENS_AT + since;
    const seen = packetsAt(of, OPENS_AT, now);
    const around = Array.from({ length: 60 }, (_, i) => Math.floor(since / PACKET_EVERY_MS) - 50 + i).filter((k) => k >= 0);
    const expected = around.filter((k) => appearsAt(of, OPENS_AT, k) <= now && now <= appearsAt(of, OPENS_AT, k) + fallMsOf(of, k));
    expect(seen.map((one) => one.packet)).toEqual(expected);
    for (const { fallen, lane, scale } of seen) {
      expect(fallen).toSatisfy((part: number) => part >= 0 && part <= 1);
      expect(lane).toSatisfy((part: number) => part >= 0 && part < 1);
      expect(scale).toSatisfy((size: number) => size >= 0.75 && size < 1.2);
    }
    if (since > FALL_MS_MAX) expect(seen.length).toBeGreaterThan(15);
  }), { numRuns: 300 });
});

test('neither another seed nor the next packet tells when a packet comes', () => {
  const delay = (of: number, k: number) => appearsAt(of, 0, k) / PACKET_EVERY_MS - k;
  // Differences of uniform delays: 1/3 on average, for neighbours in seed as well as in number.
  const mean = (differences: number[]) => differences.reduce((sum, one) => sum + Math.abs(one), 0) / differences.length;
  const many = Array.from({ length: 4_000 }, (_, i) => i);
  expect(mean(many.map((i) => delay(i, 7) - delay(i + 1, 7)))).toBeCloseTo(1 / 3, 1);
  expect(mean(many.map((i) => delay(12_345, i) - delay(12_345, i + 1)))).toBeCloseTo(1 / 3, 1);
  expect(mean(many.map((i) => fallMsOf(i, 3) - fallMsOf(i, 4))) / (FALL_MS_MAX - FALL_MS_MIN)).toBeCloseTo(1 / 3, 1);
});

test('the fall is part of the protocol: these figures must not change without a new version of it', () => {
  expect([0, 1, 2].map((k) => Math.round(appearsAt(1, 0, k) * 1_000) / 1_000)).toMatchInlineSnapshot(`
    [
      68.382,
      236.99,
      265.162,
    ]
  `);
  expect([0, 1, 2].map((k) => Math.round(fallMsOf(0xffffffff, k)))).toMatchInlineSnapshot(`
    [
      4432,
      3028,
      2873,
    ]
  `);
});
