import Table from 'cli-table3';
import { paint, withoutPaint } from './colours.ts';

const NO_LINES = Object.fromEntries([
  'top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right', 'left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid',
].map((place) => [place, '']));

/** Rows under their headings, numbers right-aligned. It has no border lines, so that `cut` and `grep` work on it. */
export function table(headings: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const right = headings.map((_, column) => rows.length > 0 && rows.every((row) => /^-?[\d.,]+$/.test(withoutPaint(String(row[column])))));
  return draw(right, [headings.map((heading) => (heading === '' ? '' : paint.quiet(heading))), ...rows.map((row) => row.map(String))]);
}

export function facts(rows: readonly (readonly (string | number)[])[]): string {
  return draw([false, false], rows.map(([name, value]) => [paint.quiet(String(name)), String(value)]));
}

function draw(right: readonly boolean[], rows: string[][]): string {
  const lines = new Table({
    chars: { ...NO_LINES, middle: '  ' }, style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
    colAligns: right.map((yes) => (yes ? 'right' : 'left')),
  });
  lines.push(...rows);
  return lines.toString().split('\n').map((line) => line.trimEnd()).join('\n');
}
