import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Admission } from '../../../src/gateway/overload/admission.ts';
import { LIMITS } from '../../../src/gateway/limits.ts';
import { percentile, RedisModel } from '../redisModel.ts';

const TIMES = [0.25, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10];
/** Tolerance: one more grab may be refused because it arrives a millisecond before another one is decided. */
const random = () => 0.5;

/** Offers a multiple of Redis's capacity for ten seconds → the results. */
function curve(perSecond: number, lineMs: number) {
  return TIMES.map((times) => {
    const model = new RedisModel({ perSecond, lineMs, random });
    const [onset, rest] = [model.offer(perSecond * times, 1_000), model.offer(perSecond * times, 9_000)];
    const [decided, refused] = [onset.decided + rest.decided, onset.refused + rest.refused];
    return {
      times,
      goodput: decided / 10,
      refused: refused / 10,
      p99: percentile([...onset.waits, ...rest.waits], 0.99),
      restP99: percentile(rest.waits.slice(perSecond), 0.99),
    };
  });
}

describe('admission to a Redis of fixed capacity', () => {
  test.each([
    [300, 1],
    [2_000, 1],
    [8_000, 20],
    [40_000, 1],
    [20_000, 50],
  ])('%i grabs a second over a network of %i ms: goodput and waiting time stay stable', (perSecond, lineMs) => {
    const points = curve(perSecond, lineMs);
    const best = Math.max(...points.map(({ goodput }) => goodput));
    const table = points
      .map(
        ({ times, goodput, refused, p99, restP99 }) =>
          `${times} × → ${goodput.toFixed(0)}/s, ${refused.toFixed(0)}/s refused, p99 ${p99} ms, of which after two seconds ${restP99} ms`,
      )
      .join('\n');
    expect(best, table).toBeGreaterThan(perSecond * 0.95);
    for (const { times, goodput, refused, p99, restP99 } of points) {
      if (times <= 0.75) expect([refused, goodput / (perSecond * times)], table).toEqual([0, expect.closeTo(1, 1)]);
      else expect(goodput, table).toBeGreaterThanOrEqual(best * 0.8);
      // Grabs that arrive before any wait was measured cannot be recognised as too many: at ten times the load that is
      // a tenth of all.
      expect(times <= 3 ? p99 : restP99, table).toBeLessThanOrEqual(1_000);
    }
  });

  test('at any capacity and network latency: triple load for ten seconds, and normal again two seconds later', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 200, max: 60_000 }),
        fc.integer({ min: 0, max: 100 }),
        fc.double({ min: 0, max: 0.99, noNaN: true }),
        (perSecond, lineMs, chance) => {
          const model = new RedisModel({ perSecond, lineMs, random: () => chance });
          model.offer(perSecond * 0.3, 2_000);
          const storm = model.offer(perSecond * 3, 10_000);
          expect(storm.decided).toBeGreaterThanOrEqual(perSecond * 10 * 0.8);
          expect(percentile(storm.waits, 0.99)).toBeLessThanOrEqual(1_000);
          model.offer(perSecond * 0.3, 2_000);
          const after = model.offer(perSecond * 0.3, 2_000);
          expect([after.refused, percentile(after.waits, 1) <= lineMs + 20]).toEqual([0, true]);
        },
      ),
      { numRuns: 25 },
    );
  }, 120_000);
});

test('refused users retry when told to: all are answered, and none waits longer than the bound', () => {
  const model = new RedisModel({ perSecond: 5_000, random: Math.random });
  let waiting = new Map<number, number>();
  let [sent, decided] = [0, 0];
  for (let ms = 0; decided < 20_000; ms += 10) {
    expect(ms).toBeLessThan(20_000);
    const due = [...waiting].filter(([at]) => at <= ms).reduce((sum, [, count]) => sum + count, 0);
    waiting = new Map([...waiting].filter(([at]) => at > ms));
    const fresh = ms < 2_000 ? 100 : 0;
    const { refused } = model.burst(due + fresh);
    sent += due + fresh;
    for (let i = 0; i < refused; i++) {
      const at = Math.ceil((ms + model.admission.retryInMs()) / 10) * 10;
      waiting.set(at, (waiting.get(at) ?? 0) + 1);
    }
    const { decided: now, waits } = model.offer(0, 10);
    decided += now;
    expect(percentile(waits, 1)).toBeLessThanOrEqual(1_000);
  }
  // Nobody is told to retry many times in vain.
  expect(sent / 20_000).toBeLessThan(6);
});

test('the first moment of a rain: grabs that Redis can decide in time are not refused, even after hours of silence', () => {
  const model = new RedisModel({ perSecond: 20_000, random });
  model.offer(0, 60_000);
  expect(model.burst(7_000).refused).toBe(0);
});

test('a Redis that becomes ten times slower, and fast again', () => {
  const model = new RedisModel({ perSecond: 20_000, random });
  model.offer(15_000, 2_000);
  model.perSecond = 2_000;
  model.offer(15_000, 2_000);
  const slow = model.offer(15_000, 3_000);
  expect(slow.decided).toBeGreaterThan(2_000 * 3 * 0.9);
  expect(percentile(slow.waits, 0.99)).toBeLessThanOrEqual(1_000);
  model.perSecond = 20_000;
  model.offer(15_000, 2_000);
  expect(model.offer(15_000, 1_000).refused).toBe(0);
});

test('a Redis that does not answer: the guaranteed few wait, and two seconds after it answers again all is normal', () => {
  const model = new RedisModel({ perSecond: 10_000, random });
  model.offer(5_000, 1_000);
  model.perSecond = 0;
  model.offer(5_000, 2_000);
  expect(model.admission.limit).toBe(LIMITS.grabsPendingMin);
  model.perSecond = 10_000;
  model.offer(5_000, 2_000);
  expect(model.offer(5_000, 1_000).refused).toBe(0);
});

test('a delay of our own event loop is not attributed to Redis: our long turns cause no refusals', () => {
  const after = (stallMs: number) => {
    const admission = new Admission(LIMITS, random);
    for (let i = 0; i < 20; i++)
      admission.update({ decided: 100, busyMs: 1_000, waitMs: 1_000, roundTripMs: 1, stallMs });
    return admission.limit;
  };
  const { grabsPerSecond, grabWaitMs } = LIMITS;
  expect(after(500)).toBe(Math.round((grabsPerSecond * (grabWaitMs + 1)) / 1_000));
  expect(after(50)).toBe(LIMITS.grabsPendingMin);
});

test('[R10] the limit stays between its minimum and its maximum', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.record({
          decided: fc.nat(100_000),
          busyMs: fc.nat(200),
          waitMs: fc.nat(5_000),
          roundTripMs: fc.oneof(fc.nat(5_000), fc.constant(Infinity)),
          stallMs: fc.nat(5_000),
          refused: fc.nat(3),
        }),
      ),
      (looks) => {
        const admission = new Admission(LIMITS, random);
        for (const { refused, ...work } of looks) {
          for (let i = 0; i < refused; i++) admission.admits(Infinity);
          admission.update(work);
          expect(admission.limit).toBeGreaterThanOrEqual(LIMITS.grabsPendingMin);
          expect(admission.limit).toBeLessThanOrEqual(LIMITS.grabsPendingMax);
          expect(admission.retryInMs()).toBeGreaterThanOrEqual(LIMITS.busyRetryMsMin / 2);
          expect(admission.retryInMs()).toBeLessThanOrEqual(LIMITS.busyRetryMsMax);
        }
      },
    ),
  );
});

test('the retry delay grows with the refusals, is random, and never exceeds its maximum', () => {
  const at = (chance: number, refused: number) => {
    const admission = new Admission(LIMITS, () => chance);
    for (let i = 0; i < refused; i++) admission.admits(Infinity);
    admission.update({ decided: 100, busyMs: 100, waitMs: 400, roundTripMs: 1, stallMs: 5 });
    return admission.retryInMs();
  };
  expect([at(0, 0), at(0.5, 0), at(0.999, 0)]).toEqual([100, 200, 300]);
  expect([at(0, 200), at(0.5, 200), at(0.999, 200)]).toEqual([300, 600, 900]);
  expect(at(0.999_999, 100_000)).toBe(1_000);
  expect(at(0, 100_000)).toBe(334);
});
