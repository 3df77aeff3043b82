import type { SwarmReport } from '../report.ts';

/** Columns of a plot at most: more cannot be told apart. */
const COLUMNS_MAX = 240;

/** The timeline, in columns that a page can show. */
export interface Columns {
  count: number;
  /** Of one column. */
  seconds: number;
  /** What happened in each, by name; all are `count` long. */
  of(name: string): number[];
  names: readonly string[];
}

/** Neighbours are added up until all fit. */
export function columnsOf({ binMs, counts }: SwarmReport['timeline']): Columns {
  const bins = Math.max(1, ...Object.values(counts).map(({ length }) => length));
  const merged = Math.ceil(bins / COLUMNS_MAX);
  const count = Math.ceil(bins / merged);
  const of = (name: string) => {
    const columns = Array.from({ length: count }, () => 0);
    (counts[name] ?? []).forEach((value, bin) => { columns[Math.floor(bin / merged)]! += value; });
    return columns;
  };
  return { count, seconds: (merged * binMs) / 1_000, of, names: Object.keys(counts) };
}

/** Each with all before it: from changes to what stands. */
export function running(changes: readonly number[]): number[] {
  let sum = 0;
  return changes.map((change) => sum += change);
}
