/** One row of the table: the results of all runs of a fault. */
export interface Row {
  fault: string;
  runs: number;
  acknowledged: number;
  lost: number;
  doubled: number;
  /** See `recoverySeconds`. */
  recoverySeconds: number;
}

declare module 'vitest' {
  interface TaskMeta {
    fault?: Row;
  }
}

const HEADINGS = ['fault', 'runs', 'wins acknowledged', 'lost', 'doubled', 'longest recovery, s'] as const;

/** The matrix as a Markdown table with right-aligned numbers. */
export function table(rows: readonly Row[]): string {
  const total = {
    runs: sum(rows, 'runs'), acknowledged: sum(rows, 'acknowledged'), lost: sum(rows, 'lost'), doubled: sum(rows, 'doubled'),
    recoverySeconds: Math.max(0, ...rows.map((row) => row.recoverySeconds)),
  };
  const lines = [...rows, { fault: 'all', ...total }].map(({ fault, runs, acknowledged, lost, doubled, recoverySeconds }) =>
    [fault, ...[runs, acknowledged, lost, doubled].map((count) => count.toLocaleString('en')), recoverySeconds.toFixed(1)]);
  const widths = HEADINGS.map((heading, column) => Math.max(heading.length, ...lines.map((line) => line[column]!.length)));
  const draw = (cells: readonly string[]) => `| ${cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join(' | ')} |`;
  const rule = `|${widths.map((width, i) => (i === 0 ? `:${'-'.repeat(width + 1)}` : `${'-'.repeat(width + 1)}:`)).join('|')}|`;
  return [draw(HEADINGS), rule, ...lines.map(draw)].join('\n');
}

function sum(rows: readonly Row[], column: 'runs' | 'acknowledged' | 'lost' | 'doubled'): number {
  return rows.reduce((total, row) => total + row[column], 0);
}
