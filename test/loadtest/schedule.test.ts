import { beforeEach, describe, expect, test } from 'vitest';
import { randomSource } from '../../src/rain/fairness.ts';
import { ServerClock } from '../../src/loadtest/bots/clock.ts';
import { backoffMs, RETRY_POLICY } from '../../src/loadtest/bots/retryPolicy.ts';
import { Schedule } from '../../src/loadtest/schedule.ts';
import type { ReceivedRain } from '../../src/loadtest/bots/serverMessage.ts';
import { WaveCounters } from '../../src/loadtest/figures/counters.ts';
import { Throttle } from '../../src/loadtest/bots/throttle.ts';

const SEED = '71de'.repeat(16);
const EPOCH = 1_753_900_000_000;

/** This process's monotonic clock, moved by hand; the server's is EPOCH ahead. */
let time = 0;
const now = () => time;
let clock: ServerClock;

beforeEach(() => {
  time = 0;
  clock = new ServerClock(now);
  clock.observe(0, EPOCH);
});

const rain = (state: ReceivedRain['state'], opensInMs = 1_000, closesInMs = 9_000): ReceivedRain => ({
  type: 'rain',
  rainId: 'r',
  state,
  opensAt: EPOCH + opensInMs,
  closesAt: EPOCH + closesInMs,
});
const schedule = (reactionMs: number, inPlaceAt?: number) =>
  new Schedule(
    {
      inPlaceAt,
      address: new URL('ws://127.0.0.1:1/v1'),
      rainId: 'r',
      tokenFor: async () => '',
      creditWaitMs: 0,
      throttle: new Throttle(1, now),
      clock,
      now,
      random: randomSource(SEED, 'test'),
      retryPolicy: RETRY_POLICY,
      counters: new WaveCounters(1),
      overheard: {},
    },
    reactionMs,
  );

describe('when a user taps', () => {
  test('a human moment after the rain opens', () => {
    const user = schedule(250);
    expect(user.waitMs(rain('loaded'))).toBe(1_250);
    time = 1_100;
    expect(user.waitMs(rain('open'))).toBe(150);
  });

  test('a reaction time after the join, if the user joins late', () => {
    time = 5_000;
    const user = schedule(250);
    expect(user.waitMs(rain('open'))).toBe(250);
    time = 5_200;
    expect(user.waitMs(rain('open'))).toBe(50);
  });

  test('[R7] not while it is paused, and a human moment after it resumes', () => {
    const user = schedule(250);
    time = 1_100;
    user.waitMs(rain('open'));
    expect(user.waitMs(rain('paused'))).toBe(7_900);
    time = 3_000;
    expect(user.waitMs(rain('open'))).toBe(250);
  });

  test('at the new time, if the rain is put off', () => {
    const user = schedule(250);
    expect(user.waitMs(rain('loaded'))).toBe(1_250);
    expect(user.waitMs(rain('loaded', 4_000))).toBe(4_250);
  });

  test('at once, if the rain has ended: the server answers', () => {
    time = 10_000;
    expect(schedule(250).waitMs(rain('closed'))).toBeLessThanOrEqual(0);
  });

  test('not before the end of the requested pause; each backoff is at most twice the last', () => {
    const user = schedule(0);
    time = 2_000;
    for (const [least, most] of [
      [50, 100],
      [100, 200],
      [200, 400],
    ] as const) {
      user.pause();
      expect(user.waitMs(rain('open'))).toBeGreaterThanOrEqual(least);
      expect(user.waitMs(rain('open'))).toBeLessThanOrEqual(most);
    }
  });
});

describe('latency', () => {
  test('counts from the planned tap, although the swarm was late', () => {
    const user = schedule(250);
    user.waitMs(rain('loaded'));
    time = 1_250 + 400;
    user.tapped();
    time += 30;
    expect(user.sinceTapMs()).toBe(430);
  });

  test('of an open loop counts from the planned time, although the user connected long after it', () => {
    time = 6_000;
    const user = schedule(250, 2_000);
    expect(user.waitMs(rain('open'))).toBe(-3_750);
    user.tapped();
    time += 10;
    expect(user.sinceTapMs()).toBe(3_760);
  });

  test('of an open loop: no tap before all users have joined or before the opening; after a pause the reaction time starts again', () => {
    expect(schedule(250, 4_000).waitMs(rain('open'))).toBe(4_250);
    const user = schedule(250, 500);
    expect(user.waitMs(rain('loaded'))).toBe(1_250);
    time = 1_100;
    user.waitMs(rain('paused'));
    time = 3_000;
    expect(user.waitMs(rain('open'))).toBe(250);
  });

  test('continues through retries, and starts again when the user has to wait for the rain', () => {
    const user = schedule(0);
    time = 1_000;
    user.waitMs(rain('open'));
    user.tapped();
    time = 1_500;
    user.pause();
    user.tapped();
    expect(user.sinceTapMs()).toBe(500);
    user.startOver();
    expect(user.sinceTapMs()).toBeUndefined();
  });

  test("does not leap when the server's clock turns out to be another", () => {
    const user = schedule(0);
    time = 1_000;
    user.waitMs(rain('open'));
    user.tapped();
    clock = new ServerClock(now);
    clock.observe(999, EPOCH + 60_000);
    time = 1_020;
    expect(user.sinceTapMs()).toBe(20);
  });
});

describe("the server's clock", () => {
  test('is taken from the quickest exchange, and wrong by at most half of it', () => {
    const other = new ServerClock(now);
    time = 100;
    other.observe(0, EPOCH + 90);
    expect([other.now(), other.roundTripMs]).toEqual([EPOCH + 140, 100]);
    time = 210;
    other.observe(200, EPOCH + 204);
    expect([other.now(), other.roundTripMs]).toEqual([EPOCH + 209, 10]);
    time = 600;
    other.observe(300, EPOCH + 999_999);
    expect(other.now()).toBe(EPOCH + 599);
  });
});

describe('the pause before trying again', () => {
  test('doubles up to a limit and leaves half of itself to chance', () => {
    const random = randomSource(SEED, 'pauses');
    for (let attempt = 0; attempt < 200; attempt++) {
      const longest = Math.min(RETRY_POLICY.backoffMsMax, RETRY_POLICY.backoffMsMin * 2 ** attempt);
      const pause = backoffMs(attempt, random, RETRY_POLICY);
      expect(pause).toBeGreaterThanOrEqual(longest / 2);
      expect(pause).toBeLessThanOrEqual(longest);
    }
    expect(new Set(Array.from({ length: 50 }, () => backoffMs(9, random, RETRY_POLICY))).size).toBeGreaterThan(40);
  });
});
