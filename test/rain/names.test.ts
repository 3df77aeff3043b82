import { expect, test } from 'vitest';
import { bearerId } from '../../src/rain/ids.ts';
import { guestId, nicknameIn, ownName, shownName } from '../../src/rain/names.ts';

const RANDOM = '3fR-Kk29sPqZ';

test("a winner's name is shown to others masked, in full or not at all", () => {
  expect(['alice-1234', 'li', '🙂b🙃'].map((userId) => shownName(userId))).toEqual(['a•••4', '•••', '🙂•••🙃']);
  for (const [name, masked] of [
    ['Anna', 'A•••a'],
    ['王小明', '王•••明'],
    ['Jean-Luc', 'J•••c'],
  ] as const) {
    const userId = guestId(RANDOM, name);
    expect([shownName(userId), shownName(userId, 'full'), shownName(userId, 'none'), ownName(userId)]).toEqual([
      masked,
      name,
      '•••',
      name,
    ]);
  }
});

test('a guest without a name, and a user of an app, have their ids as names', () => {
  for (const userId of [guestId(RANDOM), 'alice', 'guest-', `guest--${RANDOM}`]) expect(ownName(userId)).toBe(userId);
});

test('of a name as typed stays what a line can hold', () => {
  expect(['  Anna \n Lee ', 'Ga\u202Eb\u0000', 'a \u200B b', 'e\u0301', '🎉', 'x'.repeat(20)].map(nicknameIn)).toEqual([
    'Anna Lee',
    'Gab',
    'a b',
    '\u00e9',
    '🎉',
    'x'.repeat(20),
  ]);
  for (const typed of ['', '   ', '\u200B\u202E', '\u3164', '...', 'x'.repeat(21)])
    expect(nicknameIn(typed), JSON.stringify(typed)).toBeUndefined();
});

test('[R12] a nickname is no blank, no tower of marks, and passes neither for a winner nor for the staff', () => {
  expect(nicknameIn(`Z${'\u0335'.repeat(15)}o`)).toBe(`Z${'\u0335'.repeat(3)}o`);
  expect(nicknameIn('A\u2800nn\u{1D159}a'), 'blanks are left out').toBe('Anna');
  for (const typed of [
    '\u2800\u2800',
    '🏆',
    '🏆 Ann Li 10000.00',
    'Ann Li １００．００',
    'Ann 12,5',
    '¥ Ann',
    'Admin',
    'Аdmin',
    'a d m i n',
    'ADM1N',
    'admin 1',
    'the Host',
    '官方客服',
    '小王（工作人员）',
  ])
    expect(nicknameIn(typed), JSON.stringify(typed)).toBeUndefined();
  for (const typed of [
    'Anna 2008',
    'Ghost',
    'Staffan',
    'Dr. No',
    '王小明',
    'สวัสดี',
    'हिन्दी',
    'Nguyễn',
    'مُحَمَّد',
    '🎉',
    '1.',
    'A&B',
  ])
    expect(nicknameIn(typed), typed).toBe(typed.normalize('NFC'));
});

test('[R9] an id that turns the text around it is let in nowhere', () => {
  expect(['ann\u202Ecod', '\u2066x', 'a\u2028b', 'a\u200Fb'].map((id) => bearerId.safeParse(id).success)).toEqual(
    Array.from({ length: 4 }, () => false),
  );
  expect(['ann', 'guest-王-3fR-Kk29sPqZ', 'علي'].map((id) => bearerId.safeParse(id).success)).toEqual([
    true,
    true,
    true,
  ]);
});
