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
