/** The values of several rounds. A ratio is taken within one round, so that a slow machine affects both sides. */
export type Spread = ReturnType<typeof spreadOf>;

export function spreadOf(values: readonly number[]) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const median = sorted.length % 2 === 0 ? (sorted[middle - 1]! + sorted[middle]!) / 2 : sorted[Math.floor(middle)]!;
  return { median, least: sorted[0]!, most: sorted.at(-1)! };
}

/** Share of the median within which the middle half of the rounds has to lie. */
const STEADY = 0.1;

export function isSteady(values: readonly number[]): boolean {
  const sorted = values.toSorted((a, b) => a - b);
  const [lower, upper] = [0.25, 0.75].map((share) => sorted[Math.round(share * (sorted.length - 1))]!) as [
    number,
    number,
  ];
  return values.length > 1 && upper - lower < STEADY * spreadOf(values).median;
}

/** Round by round: ours over theirs. */
export function ratios(ours: readonly number[], theirs: readonly number[]): number[] {
  return ours.map((value, round) => value / theirs[round]!);
}
