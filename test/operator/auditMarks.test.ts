import { expect, test } from 'vitest';
import { createPacketMarks, createPacketUsers } from '../../src/operator/audit/packetMarks.ts';
import { createUserDigest, createUserSet } from '../../src/operator/audit/userDigest.ts';

test('a set of users knows those who were added, once each, however far it has grown', () => {
  const users = createUserSet(createUserDigest());
  for (let n = 0; n < 20_000; n++) users.add(`user-${n % 10_000}`);
  expect(users.size()).toBe(10_000);
  expect(Array.from({ length: 10_000 }, (_, n) => users.has(`user-${n}`)).every(Boolean)).toBe(true);
  expect(Array.from({ length: 10_000 }, (_, n) => users.has(`other-${n}`)).some(Boolean)).toBe(false);
});

test('a packet is of the user it was noted for, and of nobody else', () => {
  const packets = createPacketUsers(createUserDigest());
  for (const index of [0, 255, 256, 100_000]) packets.set(index, `user-${index}`);
  expect([
    packets.is(100_000, 'user-100000'),
    packets.is(100_000, 'user-0'),
    packets.is(1, 'user-1'),
    packets.has(99_999),
    packets.has(5_000_000),
  ]).toEqual([true, false, false, false, false]);
  packets.set(0, 'user-255');
  expect([packets.is(0, 'user-255'), packets.is(0, 'user-0'), packets.is(255, 'user-255')]).toEqual([
    true,
    false,
    true,
  ]);
});

test('a mark is of one packet, not of its neighbours', () => {
  const marks = createPacketMarks();
  for (const index of [0, 31, 8_191, 8_192, 1_000_000]) marks.add(index);
  const around = [0, 1, 30, 31, 32, 8_190, 8_191, 8_192, 8_193, 999_999, 1_000_000, 1_000_001, 9_000_000];
  expect(around.filter((index) => marks.has(index))).toEqual([0, 31, 8_191, 8_192, 1_000_000]);
});

test('the digests of one audit say nothing about those of another', () => {
  expect(createUserDigest()('ann')).not.toEqual(createUserDigest()('ann'));
});
