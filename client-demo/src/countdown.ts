/** `9` → "9", `75` → "1:15", `3675` → "1:01:15". */
export function countdownText(seconds: number): string {
  const pad = (value: number) => String(value).padStart(2, '0');
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  if (h > 0) return `${h}:${pad(m)}:${pad(s)}`;
  return m > 0 ? `${m}:${pad(s)}` : String(s);
}

/** Always with minutes: `9` → "0:09", `75` → "1:15". */
export function minutesText(seconds: number): string {
  return seconds < 60 ? `0:${String(seconds).padStart(2, '0')}` : countdownText(seconds);
}

/**
 * For a sentence: `30` → "30 s", `90` → "1 min 30 s", `3600` → "1 h".
 *
 * @param units the names of hour, minute and second
 */
export function durationText(seconds: number, units: readonly [string, string, string]): string {
  return [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
    .flatMap((count, i) => (count > 0 ? `${count} ${units[i]}` : []))
    .join(' ');
}
