import type { SwarmReport } from '../report.ts';

/** Maximum columns of a plot: more cannot be distinguished. */
const COLUMNS_MAX = 240;

export type Columns = ReturnType<typeof columnsOf>;

/**
 * The timeline in columns for a plot: adds up neighbouring bins until all fit. `seconds` is the duration of a column.
 */
export function columnsOf({ binMs, counts }: SwarmReport['timeline']) {
  const bins = Math.max(1, ...Object.values(counts).map(({ length }) => length));
  const merged = Math.ceil(bins / COLUMNS_MAX);
  const count = Math.ceil(bins / merged);
  /** The counts per column of one name. */
  const of = (name: string): number[] => {
    const columns = Array.from({ length: count }, () => 0);
    (counts[name] ?? []).forEach((value, bin) => {
      columns[Math.floor(bin / merged)]! += value;
    });
    return columns;
  };
  return { count, seconds: (merged * binMs) / 1_000, of, names: Object.keys(counts) };
}

/** Running sums: turns changes into levels. */
export function running(changes: readonly number[]): number[] {
  let sum = 0;
  return changes.map((change) => (sum += change));
}
