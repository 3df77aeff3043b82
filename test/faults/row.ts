/** One row of the table: the results of all runs of a fault. */
export interface Row {
  fault: string;
  runs: number;
  acknowledged: number;
  lost: number;
  doubled: number;
  /** See `recoverySeconds`. */
  recoverySeconds: number;
  /** Figures that only this fault shows, by name; one value of each run. */
  figures?: Record<string, number[]>;
}

declare module 'vitest' {
  interface TaskMeta {
    fault?: Row;
  }
}

const HEADINGS = ['fault', 'runs', 'wins acknowledged', 'lost', 'doubled', 'longest recovery, s'] as const;

/** The matrix as a Markdown table. */
export function table(rows: readonly Row[]): string {
  const total = {
    runs: sum(rows, 'runs'),
    acknowledged: sum(rows, 'acknowledged'),
    lost: sum(rows, 'lost'),
    doubled: sum(rows, 'doubled'),
    recoverySeconds: Math.max(0, ...rows.map((row) => row.recoverySeconds)),
  };
  return draw(
    HEADINGS,
    [...rows, { fault: 'all', ...total }].map(({ fault, runs, acknowledged, lost, doubled, recoverySeconds }) => [
      fault,
      ...[runs, acknowledged, lost, doubled].map((count) => count.toLocaleString('en')),
      recoverySeconds.toFixed(1),
    ]),
  );
}

/** Figures that only some faults show, over all runs, as a second table; empty if there is none. */
export function figureTable(rows: readonly Row[]): string {
  const lines = rows.flatMap(({ fault, figures = {} }) =>
    Object.entries(figures).map(([name, values]) => {
      const sorted = values.toSorted((a, b) => a - b);
      return [
        `${fault}: ${name}`,
        ...[sorted[0]!, sorted[Math.floor(sorted.length / 2)]!, sorted.at(-1)!].map((value) =>
          value.toLocaleString('en'),
        ),
      ];
    }),
  );
  return lines.length === 0 ? '' : draw(['of each run', 'least', 'median', 'most'], lines);
}

/** Markdown with right-aligned numbers. */
function draw(headings: readonly string[], lines: readonly string[][]): string {
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...lines.map((line) => line[column]!.length)),
  );
  const drawLine = (cells: readonly string[]) =>
    `| ${cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join(' | ')} |`;
  const rule = `|${widths.map((width, i) => (i === 0 ? `:${'-'.repeat(width + 1)}` : `${'-'.repeat(width + 1)}:`)).join('|')}|`;
  return [drawLine(headings), rule, ...lines.map(drawLine)].join('\n');
}

function sum(rows: readonly Row[], column: 'runs' | 'acknowledged' | 'lost' | 'doubled'): number {
  return rows.reduce((total, row) => total + row[column], 0);
}
