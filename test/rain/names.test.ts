import { expect, test } from 'vitest';
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
