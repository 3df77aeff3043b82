import { expect, test } from 'vitest';
import { RecentUsers } from '../../../src/gateway/ratelimit/recentUsers.ts';

function stage(rememberedMax = 10) {
  const clock = { now: 1_000 };
  const users = new RecentUsers({ rememberMs: 60_000, rememberedMax, now: () => clock.now });
  return { clock, users, at: (address: string) => [...users.at(address)] };
}

test('a user is at the address from which he asked last, for a minute', () => {
  const { clock, users, at } = stage();
  users.note('ann', 'office');
  users.note('bob', 'office');
  expect([at('office'), at('home')]).toEqual([['ann', 'bob'], []]);
  clock.now += 40_000;
  users.note('ann', 'office');
  users.note('bob', 'home');
  expect([at('office'), at('home')]).toEqual([['ann'], ['bob']]);
  clock.now += 59_999;
  users.forget();
  expect(at('office')).toEqual(['ann']);
  clock.now += 1;
  users.forget();
  expect([at('office'), at('home')]).toEqual([[], []]);
});

test('[R10] the latest users are kept', () => {
  const { users, at } = stage(10);
  for (let n = 0; n < 500; n++) users.note(`user-${n}`, 'office');
  expect(at('office')).toHaveLength(10);
  expect(at('office').at(-1)).toBe('user-499');
});
