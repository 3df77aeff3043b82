import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Allowances } from '../../src/gateway/guard/allowances.ts';
import type { Entry } from '../../src/gateway/wicket/entry.ts';
import { LIMITS, type Limits } from '../../src/gateway/limits.ts';
import { Pace } from '../../src/gateway/guard/pace.ts';
import type { Session } from '../../src/gateway/session.ts';
import { createTally } from '../../src/gateway/tally.ts';
import { tapRefused } from '../../src/gateway/wicket/taps.ts';
import { appearsAt, fallMsOf, packetsAt } from '../../src/protocol/fall.ts';
import type { Client } from '../support/client.ts';
import { claimLog } from '../support/desk.ts';
import { openRedis, stockRain } from '../support/rain.ts';
import { enter, narrow, refusedHere, SHOWN_IN, TICKETED, ticketFor } from './doorstep.ts';

const OPENS_AT = 1_900_000_000_000;
const FAST = { code: '-5', retryInMs: expect.any(Number) as number };
const GONE = { code: '-10' };

/** A hand before a screen whose clock is the test's. */
function hand(seed = 7, limits: Partial<Limits> = {}) {
  const tally = createTally();
  const all = { ...LIMITS, ...limits };
  const pace = new Pace(all, tally);
  const names = new Allowances({ perSecond: 100, rememberMs: 1_000, rememberedMax: 10 });
  const session = { user: names.enter('ann'), address: names.enter('here') } as unknown as Session;
  const entry: Entry = { ticket: { text: 'x', expiresAt: Infinity, seed }, packet: undefined, puzzle: undefined, puzzleUntil: 0 };
  return { tally, tap: (packet: number | undefined, time: number) => tapRefused(session, entry, packet, { opensAt: OPENS_AT, time }, { limits: all, tally, pace }) };
}

describe('a tap', () => {
  const seed = fc.nat(2 ** 32 - 1);
  const packet = fc.nat(10_000);

  test('on a packet that can be seen is taken, whatever the seed; a clock may be off, and a line slow, by so much and no more', () => {
    fc.assert(fc.property(seed, packet, fc.double({ min: 0, max: 1, noNaN: true }), (of, k, part) => {
      const [from, to] = [appearsAt(of, OPENS_AT, k), appearsAt(of, OPENS_AT, k) + fallMsOf(of, k)];
      const at = (time: number) => hand(of).tap(k, time);
      expect(at(from + part * (to - from))).toBeUndefined();
      expect(at(from - LIMITS.tapEarlyMs + 1)).toBeUndefined();
      expect(at(from - LIMITS.tapEarlyMs - 1)).toEqual(GONE);
      expect(at(to + LIMITS.tapLateMs - 1)).toBeUndefined();
      expect(at(to + LIMITS.tapLateMs + 1)).toEqual(GONE);
    }), { numRuns: 200 });
  });

  test('on a packet of another fall, on none, or on one of the far future is refused', () => {
    const now = OPENS_AT + 30_000;
    const { tap, tally } = hand();
    for (const nowhere of [undefined, 0, 1_000, 2 ** 32, Number.MAX_SAFE_INTEGER]) expect(tap(nowhere, now), String(nowhere)).toEqual(GONE);
    expect(tally.refused.packets).toBe(5);
    // Before it rains there is nothing to tap.
    expect(hand().tap(0, OPENS_AT - 1_000)).toEqual(GONE);
  });

  test('[R6] on the same packet is the same question, as often and as late as it is asked', () => {
    const { tap, tally } = hand();
    const now = OPENS_AT + 10_000;
    const { packet: seen } = packetsAt(7, OPENS_AT, now)[0]!;
    for (let i = 0; i < 100; i++) expect(tap(seen, now + i * 1_000)).toBeUndefined();
    expect(tally.refused).toMatchObject({ packets: 0, taps: 0 });
  });

  test('faster than a hand is refused, and told when there is another tap', () => {
    const { tap, tally } = hand(7, { tapsPerSecondMax: 4 });
    const now = OPENS_AT + 10_000;
    const heard = packetsAt(7, OPENS_AT, now).slice(0, 10).map(({ packet: k }) => tap(k, now));
    expect(heard.slice(0, 4)).toEqual([undefined, undefined, undefined, undefined]);
    expect(heard.slice(4)).toEqual(heard.slice(4).map(() => FAST));
    expect(tally.refused.taps).toBe(6);
  });
});

describe('at a gateway', async () => {
  const { server, redis } = await openRedis();
  await stockRain(redis, { rainId: 'r1', amounts: Array.from({ length: 40 }, (_, i) => `${i + 1}.00`), opensInMs: -30_000 });
  const open = (limits: NonNullable<Parameters<typeof narrow>[1]> = {}) => narrow(server.url, limits, { wicket: { ...TICKETED, taps: true } });

  /** Joined, with a ticket, and eyes on the screen. */
  async function player(gateway: Awaited<ReturnType<typeof open>>, name: string) {
    const client: Client = await enter(gateway, name);
    const { ticket, seed } = await ticketFor(client);
    const { opensAt, serverTime } = await client.next('rain');
    return {
      client, ticket, onScreen: packetsAt(seed!, opensAt, serverTime).map(({ packet }) => packet),
      async tap(packet: number | undefined) {
        client.say({ type: 'grab', rainId: 'r1', ref: 'tap', ticket, ...(packet !== undefined && { packet }) });
        return await client.next('result');
      },
    };
  }

  test('who taps a packet that falls on his screen wins; not there yet, long gone, none: he is to tap another', async () => {
    const gateway = await open();
    const { onScreen, tap } = await player(gateway, 'ann');
    expect(onScreen.length).toBeGreaterThan(15);
    for (const nowhere of [onScreen.at(-1)! + 80, onScreen[0]! - 120, undefined]) expect(await tap(nowhere)).toMatchObject({ code: '-10', reason: 'no_such_packet' });
    expect(await tap(onScreen[3])).toMatchObject({ code: '0' });
    // [R6] The first answer again, for the same packet and for another.
    expect(await tap(onScreen[3])).toMatchObject({ code: '1' });
    expect(await tap(onScreen[9])).toMatchObject({ code: '1' });
    expect(gateway.tally.refused.packets).toBe(3);
  });

  test('a screen is one\'s own: what falls on another\'s at this moment is refused', async () => {
    const gateway = await open({ tapEarlyMs: 0, tapLateMs: 0 });
    const [ann, bob] = [await player(gateway, 'ann-2'), await player(gateway, 'bob-2')];
    const foreign = ann.onScreen.filter((packet) => !bob.onScreen.includes(packet));
    expect(ann.onScreen).not.toEqual(bob.onScreen);
    for (const packet of foreign.slice(0, 3)) expect(await bob.tap(packet)).toMatchObject({ code: '-10' });
  });

  test('on all his sockets together a user has one pair of hands', async () => {
    const gateway = await open({ tapsPerSecondMax: 3 });
    const [one, two] = [await player(gateway, 'ann-3'), await player(gateway, 'ann-3')];
    const codes = [];
    for (let i = 0; i < 4; i++) codes.push((await one.tap(one.onScreen.at(-1 - i))).code, (await two.tap(two.onScreen.at(-1 - i))).code);
    expect(codes.filter((code) => code === '-5').length).toBeGreaterThan(0);
    expect(codes[0]).toBe('0');
    expect((await claimLog({ redis }, 'r1')).filter(({ userId }) => userId === 'ann-3')).toHaveLength(1);
    expect(gateway.tally.refused.taps).toBeGreaterThan(0);
  });

  test('the limits have refused somebody', () => {
    expect([...refusedHere()].sort()).toEqual([...SHOWN_IN['taps.test.ts']].sort());
  });
});
