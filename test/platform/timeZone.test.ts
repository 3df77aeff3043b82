import { expect, test } from 'vitest';
import { isTimeZone, momentAt, timeZoneHere, wallTime } from '../../src/platform/timeZone.ts';

test.each([
  ['Asia/Shanghai', '2026-12-31T12:00:00.000Z', '2026-12-31T20:00:00'],
  ['America/Los_Angeles', '2027-01-01T04:00:00.000Z', '2026-12-31T20:00:00'],
  ['Asia/Kathmandu', '2026-12-31T18:15:00.000Z', '2027-01-01T00:00:00'],
  ['Europe/Berlin', '2027-03-28T00:59:59.000Z', '2027-03-28T01:59:59'],
  ['Europe/Berlin', '2027-03-28T01:00:00.000Z', '2027-03-28T03:00:00'],
  ['UTC', '2026-02-28T23:59:59.000Z', '2026-02-28T23:59:59'],
])('in %s %s is %s, and back', (zone, moment, wall) => {
  expect([wallTime(Date.parse(moment), zone), new Date(momentAt(wall, zone)).toISOString()]).toEqual([wall, moment]);
});

test('of a time that comes twice the first is meant, and of one that is skipped the one an hour later', () => {
  expect(new Date(momentAt('2026-10-25T02:30', 'Europe/Berlin')).toISOString()).toBe('2026-10-25T00:30:00.000Z');
  expect(new Date(momentAt('2027-03-28T02:30', 'Europe/Berlin')).toISOString()).toBe('2027-03-28T01:30:00.000Z');
});

test.each(['', 'now', '2026-12-31', '2026-12-31T20:00:00Z', '2026-13-31T20:00'])('%o is no time of a clock', (text) =>
  expect(momentAt(text, 'UTC')).toBeNaN(),
);

test.each([
  ['Europe/Berlin', true],
  ['UTC', true],
  [timeZoneHere(), true],
  ['', false],
  ['Mars/Olympus', false],
  ['CHF', false],
])('a time zone by its name: %o', (name, known) => expect(isTimeZone(name)).toBe(known));
