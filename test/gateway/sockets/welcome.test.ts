import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LIMITS } from '../../../src/gateway/limits.ts';
import { frameOf } from '../../../src/gateway/sockets/frame.ts';
import { Welcome } from '../../../src/gateway/sockets/welcome.ts';
import type { Audience } from '../../../src/rain/audience.ts';
import { encode } from '../../../src/protocol/codec.ts';
import type { WelcomeMessage } from '../../../src/protocol/messages.ts';
import type { ShownSale } from '../../../src/protocol/saleMessages.ts';

const [OPENS_AT, CLOSES_AT] = [2_000, 3_000];
const rain = (title: string, now: number): WelcomeMessage['rains'][number] => ({
  rainId: 'r1',
  title,
  state: now < OPENS_AT ? 'loaded' : now < CLOSES_AT ? 'open' : 'closed',
  opensAt: OPENS_AT,
  closesAt: CLOSES_AT,
  packets: 1,
  left: 1,
});
const sale = (title: string, now: number): ShownSale => ({
  saleId: 's1',
  title,
  state: now < OPENS_AT ? 'loaded' : 'open',
  opensAt: OPENS_AT,
  closesAt: CLOSES_AT,
  holdMs: 1_000,
});

/** A gateway's knowledge, with a clock that can be set, and how often each was described. */
function stage() {
  const known = { now: 1_000, rain: 'one', sale: 'one' as string | undefined, described: 0 };
  const changes = { rains: 0, sales: 0 };
  const nextMoment = (now: number) => [OPENS_AT, CLOSES_AT].find((moment) => moment > now) ?? Infinity;
  const rains = {
    now: () => known.now,
    nextMoment,
    get changes() {
      return changes.rains;
    },
    current(audience: Audience | undefined, now: number) {
      known.described++;
      return audience && !audience.rains.has('r1') ? [] : [rain(known.rain, now)];
    },
  };
  const sales = {
    nextMoment,
    get changes() {
      return changes.sales;
    },
    current: (audience: Audience | undefined, now: number) =>
      audience || known.sale === undefined ? undefined : [sale(known.sale, now)],
  };
  const welcome = new Welcome(rains, sales, LIMITS);
  const expected = (userId: string, audience?: Audience) => {
    const listed = sales.current(audience, known.now);
    return encode({
      type: 'welcome',
      userId,
      serverTime: known.now,
      rains: rains.current(audience, known.now),
      ...(listed && { sales: listed }),
      limits: { messageBytesMax: LIMITS.messageBytesMax, heartbeatMs: LIMITS.heartbeatMs },
    });
  };
  return { known, changes, welcome, expected };
}

const of = (...rains: string[]): Audience => ({ rains: new Set(rains), sales: new Set() });

test('whatever is read and however the clock moves, everybody is told what is true at that moment', () => {
  const step = fc.oneof(
    fc.record({ now: fc.constantFrom(0, 1_000, 1_999, 2_000, 2_001, 2_999, 3_000, 4_000) }),
    fc.record({ rain: fc.constantFrom('one', 'zwei', '三') }),
    fc.record({ sale: fc.option(fc.constantFrom('one', '三'), { nil: undefined }) }),
  );
  fc.assert(
    fc.property(
      fc.array(step, { minLength: 10, maxLength: 40 }),
      fc.string({ unit: 'binary', minLength: 1 }),
      (steps, userId) => {
        const { known, changes, welcome, expected } = stage();
        const wrong: [Buffer, Buffer][] = [];
        for (const one of steps) {
          if ('now' in one) known.now = one.now;
          else if ('rain' in one) [known.rain, changes.rains] = [one.rain, changes.rains + 1];
          else [known.sale, changes.sales] = [one.sale, changes.sales + 1];
          for (const audience of [undefined, of('r1'), of('r2')]) {
            const [given, due] = [welcome.frameFor({ userId, audience }), frameOf(expected(userId, audience))];
            if (!given.equals(due)) wrong.push([given, due]);
          }
        }
        expect(wrong.map((pair) => pair.map(String))).toEqual([]);
      },
    ),
  );
});

test('what all users are told is described once, and again when a reading or a moment changes it; the time is that of each', () => {
  const { known, changes, welcome } = stage();
  const frameFor = (userId: string) => welcome.frameFor({ userId, audience: undefined });
  const times = ['ann', 'bob', 'cat'].map((user, i) => {
    known.now = 1_000 + i;
    return (JSON.parse(frameFor(user).toString('utf8', 4)) as WelcomeMessage).serverTime;
  });
  expect([times, known.described]).toEqual([[1_000, 1_001, 1_002], 1]);
  changes.sales++;
  frameFor('ann');
  expect(known.described).toBe(2);
  known.now = OPENS_AT;
  frameFor('ann');
  frameFor('bob');
  expect(known.described).toBe(3);
});
