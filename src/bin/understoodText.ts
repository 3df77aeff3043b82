import type { Understood } from '../operator/sheetReader.ts';

/** The understanding of a list, for people to look at. @param first rows of it */
export function understoodText(
  { encoding, sheet, columns, ignored }: Understood,
  rows: number,
  first: readonly (readonly (string | undefined)[])[],
): string {
  const read = Object.entries(columns).map(([column, name]) => (column === name ? column : `${name} = ${column}`));
  return [
    `read as ${encoding}${sheet === undefined ? '' : `, sheet ${sheet}`}: ${read.join(', ')}; ${rows} rows`,
    ...(ignored.length === 0 ? [] : [`  not read: ${ignored.join(', ')}`]),
    ...first.map((cells) => `  ${cells.filter((cell) => cell !== undefined).join(' · ')}`),
    ...(rows > first.length ? ['  …'] : []),
  ].join('\n');
}
