const WRITTEN =
  /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(?: ?(Z|UTC|[+-](?:0\d|1[0-4]):?[0-5]\d))?$/;

/**
 * A date and time that somebody has typed or written, `2026-12-31T20:00`, with or without seconds and zone. `wall` is
 * what a clock shows, as epoch ms of UTC; `zoneMs` how far that clock is ahead of UTC, if the text says it.
 * `undefined`: another text, or a day or an hour that no calendar has. `Date.parse` would make 2 March of 30 February.
 */
export function readCalendarTime(text: string): { wall: number; zoneMs?: number } | undefined {
  const match = WRITTEN.exec(text);
  if (!match) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const date = new Date(Date.UTC(year, month - 1, day));
  if (date.getUTCFullYear() !== year || date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const ms = Number((match[7] ?? '').padEnd(3, '0').slice(0, 3));
  const wall = date.getTime() + ((hour * 60 + minute) * 60 + second) * 1_000 + ms;
  const zone = match[8];
  if (zone === undefined) return { wall };
  const minutes = zone.length > 3 ? Number(zone.slice(1, 3)) * 60 + Number(zone.slice(-2)) : 0;
  return { wall, zoneMs: (zone.startsWith('-') ? -minutes : minutes) * 60_000 };
}

/** Epoch ms of such a text with a zone; NaN: any other. */
export function momentWritten(text: string): number {
  const read = readCalendarTime(text);
  return read?.zoneMs === undefined ? NaN : read.wall - read.zoneMs;
}
