import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ServerClock } from '../../src/client/clock.ts';

/** A page whose clock and whose server's clock differ, with a network in between. */
function pair(serverAhead: number, guess = 0) {
  let local = 1_000;
  const clock = new ServerClock(() => local, guess);
  return {
    clock,
    ping(thereMs: number, backMs: number): void {
      const sentAt = local;
      local += thereMs;
      const serverTime = local + serverAhead;
      local += backMs;
      clock.answered(serverTime, sentAt);
    },
    pass: (ms: number) => {
      local += ms;
    },
    /** The local clock stands still meanwhile. */
    sleep: (ms: number) => {
      serverAhead += ms;
    },
    /** A message that the server sends unasked. */
    tell(backMs: number): void {
      const serverTime = local + serverAhead;
      local += backMs;
      clock.estimate(serverTime);
    },
    errorMs: () => Math.abs(clock.now() - (local + serverAhead)),
  };
}

test('before the server has spoken, the guess runs on', () => {
  const { clock, pass } = pair(0, 5_000);
  pass(250);
  expect(clock.now()).toBe(5_250);
});

test('the error is at most half the quickest round trip, whatever the others were', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -1e12, max: 1e12 }),
      fc.array(fc.tuple(fc.integer({ min: 0, max: 5_000 }), fc.integer({ min: 0, max: 5_000 })), {
        minLength: 1,
        maxLength: 8,
      }),
      (ahead, trips) => {
        const page = pair(ahead);
        for (const [there, back] of trips) page.ping(there, back);
        expect(page.errorMs()).toBeLessThanOrEqual(Math.min(...trips.map(([there, back]) => there + back)) / 2);
      },
    ),
  );
});

test('a slow answer does not replace the estimate of a fast one', () => {
  const page = pair(77_000);
  page.ping(5, 5);
  page.ping(3_000, 10);
  expect(page.errorMs()).toBe(0);
});

test('an old quick answer gives way after eight newer ones, since clocks drift', () => {
  const page = pair(0);
  page.ping(1, 1);
  for (let i = 0; i < 8; i++) page.ping(10, 0);
  expect(page.errorMs()).toBe(5);
});

test('a server time without a ping counts until the first answered ping', () => {
  const page = pair(40_000);
  page.clock.estimate(1_000 + 40_000 - 300);
  expect(page.errorMs()).toBe(300);
  page.ping(20, 20);
  expect(page.errorMs()).toBe(0);
  page.clock.estimate(1);
  expect(page.errorMs()).toBe(0);
});

test('after a doubt the next answer counts, and until then the old conclusion', () => {
  const page = pair(40_000);
  page.ping(1, 1);
  page.clock.doubt();
  expect(page.errorMs()).toBe(0);
  page.ping(100, 0);
  expect(page.errorMs()).toBe(50);
});

test('after a sleep the first answer counts, however quick those before were, and however slow it is', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.integer({ min: 0, max: 200 }), fc.integer({ min: 0, max: 200 })), { maxLength: 8 }),
      fc.tuple(fc.integer({ min: 0, max: 5_000 }), fc.integer({ min: 0, max: 5_000 })),
      fc.integer({ min: 10_000, max: 1e8 }),
      (before, [there, back], asleepMs) => {
        const page = pair(40_000);
        for (const [to, from] of before) page.ping(to, from);
        page.sleep(asleepMs);
        page.ping(there, back);
        expect(page.errorMs()).toBeLessThanOrEqual((there + back) / 2);
      },
    ),
  );
});

test('a message that comes after a sleep proves the clock slow, and sets it', () => {
  const page = pair(40_000);
  page.ping(1, 1);
  page.sleep(30_000);
  page.tell(80);
  expect(page.errorMs()).toBe(80);
  page.ping(20, 20);
  expect(page.errorMs()).toBe(0);
});
