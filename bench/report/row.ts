import type { Spread } from '../support/spread.ts';

/** One line of the table: a figure of ours beside a figure of theirs, and what it must reach. */
export interface Row {
  measure: string;
  /** What it is compared with; absent for an absolute demand. */
  against?: string;
  unit: string;
  ours: Spread;
  theirs?: Spread;
  /** Ours over theirs, in one round each; for an absolute demand, the figure itself. */
  figure: Spread;
  /** Absent where the figure is only told. */
  target?: { most: number } | { least: number };
  /** Why there is no figure: then nothing else of this row counts. */
  spoilt?: string;
}

type Verdict = 'reached' | 'missed' | 'no figure' | 'told';

export function verdictOf({ figure, target, spoilt }: Row): Verdict {
  if (spoilt !== undefined) return 'no figure';
  if (!target) return 'told';
  return ('most' in target ? figure.median <= target.most : figure.median >= target.least) ? 'reached' : 'missed';
}

/** One measure came to nothing; the others still count. */
export function failed(measure: string, error: unknown): Row {
  const none: Spread = { median: NaN, least: NaN, most: NaN };
  return { measure, unit: '', ours: none, figure: none, spoilt: String(error).split('\n', 1)[0]! };
}
