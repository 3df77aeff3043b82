import { expect, test } from 'vitest';
import type { CallerBucket } from '../../../src/gateway/ratelimit/tokenBuckets.ts';
import { LIMITS } from '../../../src/gateway/limits.ts';
import { BanList } from '../../../src/gateway/ratelimit/banList.ts';

const limits = {
  ...LIMITS,
  offencesMax: 5,
  violationWindowMs: 1_000,
  bannedMs: 60_000,
  bansPerAddressMin: 3,
  bannedMax: 10,
};

/** @param playing how many others are at an address */
function stage(playing: Record<string, number> = {}) {
  const clock = { now: 1_000 };
  const banList = new BanList(
    limits,
    (address) => Array.from({ length: playing[address] ?? 0 }, (_, n) => `player-${n}`),
    () => clock.now,
  );
  const users = new Map<string, CallerBucket>();
  const user = (name: string): CallerBucket => {
    const known = users.get(name) ?? ({ name, sockets: 1, refused: 0, refusedFrom: 0 } as CallerBucket);
    users.set(name, known);
    return known;
  };
  /** @returns after how many refusals the user was banned */
  const offend = (name: string, address = 'home'): number => {
    for (let n = 1; n <= 100; n++) if (banList.refuse(user(name), address)) return n;
    return 0;
  };
  return { clock, banList, user, offend };
}

test('a user who ignores refusals is banned for a while, and then admitted again', () => {
  const { clock, banList, offend } = stage();
  expect(offend('script')).toBe(5);
  expect([
    banList.userBannedForMs('script'),
    banList.userBannedForMs('ann'),
    banList.addressBannedForMs('home'),
  ]).toEqual([60_000, 0, 0]);
  clock.now += 59_000;
  banList.forget();
  expect(banList.userBannedForMs('script')).toBe(1_000);
  clock.now += 1_000;
  expect(banList.userBannedForMs('script')).toBe(0);
});

test('a user who is refused now and then is not banned', () => {
  const { clock, banList, user } = stage();
  for (let n = 0; n < 200; n++) {
    clock.now += 250;
    expect(banList.refuse(user('eager'), 'home')).toBe(false);
  }
});

test('an address is banned when many of its users are, and they are more than the others there', () => {
  const { banList, offend } = stage({ farm: 2 });
  offend('bot-1', 'farm');
  offend('bot-2', 'farm');
  expect(banList.addressBannedForMs('farm')).toBe(0);
  offend('bot-3', 'farm');
  expect(banList.addressBannedForMs('farm')).toBe(60_000);
  expect(banList.addressBannedForMs('home')).toBe(0);
});

test('as many others as banned users keep the address open; who is banned or plays on several sockets is not many', () => {
  const there = ['a', 'a', 'a', 'b', 'c', 'bot-0', 'bot-1', 'bot-2', 'bot-3'];
  const banList = new BanList(limits, () => there);
  const ban = (name: string) =>
    banList.refuse({ name, refused: limits.offencesMax - 1, refusedFrom: performance.now() } as CallerBucket, 'office');
  for (const bot of ['bot-0', 'bot-1', 'bot-2']) ban(bot);
  expect(banList.addressBannedForMs('office')).toBe(0);
  ban('bot-3');
  expect(banList.addressBannedForMs('office')).toBeGreaterThan(0);
});

test('an office of 5,000 is not banned for ten cheaters in it', () => {
  const { banList, offend } = stage({ office: 5_000 });
  for (let n = 0; n < 10; n++) offend(`cheater-${n}`, 'office');
  expect(banList.addressBannedForMs('office')).toBe(0);
});

test('repeated bans of one user do not ban the address', () => {
  const { clock, banList, offend } = stage();
  for (let n = 0; n < 20; n++) {
    expect(offend('script')).toBe(5);
    clock.now += 10;
  }
  expect(banList.addressBannedForMs('home')).toBe(0);
});

test('[R10] the number of kept bans is bounded', () => {
  const { banList, offend } = stage();
  for (let n = 0; n < 500; n++) offend(`bot-${n}`, `address-${n}`);
  const out = Array.from({ length: 500 }, (_, n) => banList.userBannedForMs(`bot-${n}`)).filter((ms) => ms > 0);
  expect(out).toHaveLength(10);
  expect(banList.userBannedForMs('bot-499')).toBe(60_000);
});
