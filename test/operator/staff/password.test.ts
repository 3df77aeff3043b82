import { expect, test } from 'vitest';
import { hashPassword, isPassword, newPassword } from '../../../src/operator/staff/password.ts';

const isAccepted = (password: string, name = 'alice') => newPassword(name).safeParse(password).success;

test.each([
  'Password2024!',
  'passwordpassword',
  'p@ssw0rd12345',
  'iloveyou1234',
  'admin-password',
  'monkeydragon99',
  '123456789012',
  '987654321098',
  '111111111111',
  'abcabcabcabc',
  'abababababab',
  'qwertyuiop12',
  "asdfghjkl;'zx",
  '1q2w3e4r5t6y',
  'red-packet-rain',
  '红包雨红包雨红包雨2026',
  'alice2024alice',
  'ALICEalice!!!!',
  'Pa$$w0rd2024!',
  'P@55w0rd-2026',
  '4dm1n1str4t0r',
  'l3tm31n-l3tm31n',
  '1qaz@WSX3edc',
  '!QAZ2wsx#EDC',
  'zaq1xsw2cde3',
  '1q2w3e4r5t6y7u',
  'a1b2c3d4e5f6',
  'asdfghjkl123',
  'qwer1234asdf',
  'correcthorsebatterystaple',
  'correct horse battery staple',
  'Trustno1Trustno1',
  'hunter2hunter2',
  'Sommer2026!!',
  'Geheim123456',
  'motdepasse2026',
  'woaini1314520',
  'wodemima123456',
  '新年快乐恭喜发财8888',
  'December2026!',
  'testtest1234',
  'temp-password',
  'welcome to berlin',
])('[R12] %s is refused: it is made of what everybody tries first', (password) => {
  expect(isAccepted(password)).toBe(false);
});

test.each([
  'correct horse battery',
  'a long password',
  'tr0ub4dor&3xx',
  'x7Kp9mQ2vL4w',
  'Walzer im Regen',
  '春天 的 雨 下 了 很 久 很 久',
  '839201847562',
])('%s is accepted, without a capital, a digit or a sign being asked for', (password) => {
  expect(isAccepted(password)).toBe(true);
});

test('[R12] only the own name is a usual word', () => {
  expect(isAccepted('zebulon-zebulon')).toBe(true);
  expect(isAccepted('zebulon-zebulon', 'zebulon')).toBe(false);
});

test('[R12] it has 12 to 128 characters, and the refusal says so', () => {
  const refusalOf = (password: string) => newPassword('alice').safeParse(password).error?.issues[0]?.message;
  const random = 'kvTz3pLw9Qm'.repeat(12);
  expect([
    refusalOf(random.slice(0, 11)),
    refusalOf(random.slice(0, 12)),
    refusalOf(random.slice(0, 128)),
    refusalOf(random.slice(0, 129)),
  ]).toEqual(['expected at least 12 characters', undefined, undefined, 'expected at most 128 characters']);
});

test('a NUL behind it makes it another password', async () => {
  expect(await isPassword('a long password\0', await hashPassword('a long password'))).toBe(false);
  expect(isAccepted('a long password\0')).toBe(false);
});

test('a password of earlier versions, shorter or longer, still signs in', async () => {
  for (const old of ['short', 'x'.repeat(1_000)]) expect(await isPassword(old, await hashPassword(old))).toBe(true);
});
