import { expect, test } from 'vitest';
import type { Allowance } from '../../src/gateway/guard/allowances.ts';
import { LIMITS } from '../../src/gateway/limits.ts';
import { Offenders } from '../../src/gateway/guard/offenders.ts';

const limits = { ...LIMITS, offencesMax: 5, offenceWindowMs: 1_000, banishedMs: 60_000, offendersPerAddressMin: 3, banishedMax: 10 };

function stage(playing: Record<string, number> = {}) {
  const clock = { now: 1_000 };
  const offenders = new Offenders(limits, { socketsOf: (address) => playing[address] ?? 0 }, () => clock.now);
  const users = new Map<string, Allowance>();
  const user = (name: string): Allowance => {
    const known = users.get(name) ?? { name, sockets: 1, refused: 0, refusedFrom: 0 } as Allowance;
    users.set(name, known);
    return known;
  };
  /** @returns after how many refusals he was banished */
  const offend = (name: string, address = 'home'): number => {
    for (let n = 1; n <= 100; n++) if (offenders.refuse(user(name), address)) return n;
    return 0;
  };
  return { clock, offenders, user, offend };
}

test('who goes on while he is refused is out for a while, and then may come again', () => {
  const { clock, offenders, offend } = stage();
  expect(offend('script')).toBe(5);
  expect([offenders.userOutForMs('script'), offenders.userOutForMs('ann'), offenders.addressOutForMs('home')]).toEqual([60_000, 0, 0]);
  clock.now += 59_000;
  offenders.forget();
  expect(offenders.userOutForMs('script')).toBe(1_000);
  clock.now += 1_000;
  expect(offenders.userOutForMs('script')).toBe(0);
});

test('who is refused now and then is not', () => {
  const { clock, offenders, user } = stage();
  for (let n = 0; n < 200; n++) {
    clock.now += 250;
    expect(offenders.refuse(user('eager'), 'home')).toBe(false);
  }
});

test('an address is out when many of its users offend and hardly anybody else plays there', () => {
  const { offenders, offend } = stage({ farm: 5 });
  offend('bot-1', 'farm');
  offend('bot-2', 'farm');
  expect(offenders.addressOutForMs('farm')).toBe(0);
  offend('bot-3', 'farm');
  expect(offenders.addressOutForMs('farm')).toBe(60_000);
  expect(offenders.addressOutForMs('home')).toBe(0);
});

test('an office of 5,000 is not out for ten cheaters in it', () => {
  const { offenders, offend } = stage({ office: 5_000 });
  for (let n = 0; n < 10; n++) offend(`cheater-${n}`, 'office');
  expect(offenders.addressOutForMs('office')).toBe(0);
});

test('one user who offends again and again does not make an address', () => {
  const { clock, offenders, offend } = stage();
  for (let n = 0; n < 20; n++) {
    expect(offend('script')).toBe(5);
    clock.now += 10;
  }
  expect(offenders.addressOutForMs('home')).toBe(0);
});

test('[R10] no more than so many are kept in mind', () => {
  const { offenders, offend } = stage();
  for (let n = 0; n < 500; n++) offend(`bot-${n}`, `address-${n}`);
  const out = Array.from({ length: 500 }, (_, n) => offenders.userOutForMs(`bot-${n}`)).filter((ms) => ms > 0);
  expect(out).toHaveLength(10);
  expect(offenders.userOutForMs('bot-499')).toBe(60_000);
});
