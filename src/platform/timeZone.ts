import { readCalendarTime } from './calendarTime.ts';

const DAY_MS = 86_400_000;
const formats = new Map<string, Intl.DateTimeFormat>();

/** This machine's zone. */
export function timeZoneHere(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** @param name as in the IANA database, such as `Asia/Shanghai` */
export function isTimeZone(name: string): boolean {
  try {
    return name !== '' && formatOf(name) !== undefined;
  } catch {
    return false;
  }
}

/** The time on clocks there: `2026-12-31T20:00:00`. @param at epoch ms */
export function wallTime(at: number, timeZone: string): string {
  const { year, month, day, hour, minute, second } = Object.fromEntries(
    formatOf(timeZone)
      .formatToParts(at)
      .map(({ type, value }) => [type, value]),
  );
  return `${year}-${month}-${day}T${hour}:${minute}:${second}`;
}

/**
 * When clocks there show this, epoch ms: of a time that comes twice in autumn the first, and of one that is skipped in
 * spring the one an hour later. @param text `2026-12-31T20:00` or `2026-12-31T20:00:00`; NaN: another text, or a day that
 * no calendar has
 */
export function momentAt(text: string, timeZone: string): number {
  const wall = /^[^ ]{16}(:\d\d)?$/.test(text) ? readCalendarTime(text)?.wall : undefined;
  if (wall === undefined) return NaN;
  const [before, after] = [wall - DAY_MS, wall + DAY_MS].map(
    (near) => wall - (Date.parse(`${wallTime(near, timeZone)}Z`) - near),
  ) as [number, number];
  return [before, after].find((at) => Date.parse(`${wallTime(at, timeZone)}Z`) === wall) ?? before;
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat('en', {
      timeZone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    });
  formats.set(timeZone, format);
  return format;
}
