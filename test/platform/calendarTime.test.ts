import { InvalidArgumentError } from 'commander';
import { expect, test } from 'vitest';
import { parseMoment, parsePast } from '../../src/bin/arguments.ts';
import { momentWritten, readCalendarTime } from '../../src/platform/calendarTime.ts';
import { momentAt } from '../../src/platform/timeZone.ts';
import { statementTime } from '../../src/operator/reconcile/statement.ts';
import { readWinners } from '../../src/operator/restore/winnersFile.ts';

const NO_CALENDAR_HAS = [
  '2027-02-30T10:00:00Z',
  '2027-13-01T10:00:00Z',
  '2027-00-10T10:00:00Z',
  '2026-02-29T10:00:00Z',
  '2027-01-01T99:99:99Z',
  '2027-01-01T24:00:00Z',
  '2027-01-01T10:60:00Z',
  '2027-01-01T10:00:00+99:99',
];

test.each([...NO_CALENDAR_HAS, '1', '2027', '2027-01-01'])(
  '[R12] %s is no time, wherever somebody has typed it',
  (typed) => {
    expect(readCalendarTime(typed)).toBeUndefined();
    for (const parse of [parseMoment, parsePast]) expect(() => parse(typed)).toThrow(InvalidArgumentError);
    expect(momentAt(typed.slice(0, 19), 'Asia/Shanghai')).toSatisfy(
      (at: number) => typed.endsWith('+99:99') || Number.isNaN(at),
    );
    expect(statementTime.safeParse(typed).success).toBe(false);
    expect(readWinners(`redPacketId,userId,amount,at\nrain-1,ann,1.00,${typed}\n`, 'rain')).toMatchObject({
      ok: false,
      refusals: [{ field: 'line 2, column at' }],
    });
  },
);

test('times that a calendar has are read with their zone, or by the clocks of a place', () => {
  expect(momentWritten('2026-12-31T20:00:00+08:00')).toBe(Date.UTC(2026, 11, 31, 12));
  expect(momentWritten('2028-02-29 20:00:00.5 -0130')).toBe(Date.UTC(2028, 1, 29, 21, 30, 0, 500));
  expect(momentWritten('2026-12-31T20:00')).toBeNaN();
  expect(momentAt('2026-12-31T20:00', 'Asia/Shanghai')).toBe(Date.UTC(2026, 11, 31, 12));
  expect(readWinners('redPacketId,userId,amount,at\nrain-1,ann,1.00,2026-12-31 20:00:00 UTC\n', 'rain')).toMatchObject({
    winners: [{ at: Date.UTC(2026, 11, 31, 20) }],
  });
});
