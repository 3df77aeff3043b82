import { ratios, spreadOf, type Spread } from '../support/spread.ts';

/** One row of the table: our value, the value of the baseline, and the target. */
export interface Row {
  measure: string;
  against?: string;
  unit: string;
  ours: Spread;
  theirs?: Spread;
  /** Ratio of ours to theirs per round; for an absolute target, our value itself. */
  figure: Spread;
  target?: { most: number } | { least: number };
  /**
   * A figure of wall-clock time whose rounds still differed by more than a tenth at the end, or that was measured once:
   * another hour may give another.
   */
  unsteady?: boolean;
  /** Why there is no valid value; the other fields are then ignored. */
  spoilt?: string;
}

/** The row of one value, without a baseline. */
export function single(measure: string, unit: string, value: number, target?: Row['target']): Row {
  return { measure, unit, target, ours: spreadOf([value]), figure: spreadOf([value]) };
}

/** The row of several rounds, next to those of the baseline. */
export function compared(
  row: Pick<Row, 'measure' | 'against' | 'unit' | 'target'>,
  ours: readonly number[],
  theirs: readonly number[],
): Row {
  return { ...row, ours: spreadOf(ours), theirs: spreadOf(theirs), figure: spreadOf(ratios(ours, theirs)) };
}

type Verdict = 'reached' | 'missed' | 'no figure' | 'told';

export function verdictOf({ figure, target, spoilt }: Row): Verdict {
  if (spoilt !== undefined) return 'no figure';
  if (!target) return 'told';
  return ('most' in target ? figure.median <= target.most : figure.median >= target.least) ? 'reached' : 'missed';
}

/** The row of a measurement that failed; the others still count. */
export function failed(measure: string, error: unknown): Row {
  const none: Spread = { median: NaN, least: NaN, most: NaN };
  return { measure, unit: '', ours: none, figure: none, spoilt: String(error).split('\n', 1)[0]! };
}
