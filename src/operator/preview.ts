import { randomBytes } from 'node:crypto';
import { formatMoney } from '../rain/money.ts';
import type { CheckedPlan } from '../rain/plan.ts';
import { checkPlan } from '../rain/plan-check.ts';
import { splitBudget } from '../rain/split.ts';
import { refuse, type Refused } from './context.ts';

/** The outcome of a plan. Amounts are decimal strings. Figures cover all draws, except `luckiest` and `sample`. */
export interface Preview {
  ok: true;
  packets: number;
  budget: string;
  min: string;
  max: string;
  mean: string;
  median: string;
  /** The largest packet of the first draw. */
  luckiest: string;
  /** Both ends are inclusive. */
  histogram: { from: string; to: string; count: number }[];
  /** The first packets in the order in which they would be handed out. */
  sample: string[];
}

/** Half a second of one core at most, and some ten megabytes [R10]. */
const PREVIEW_PACKETS_MAX = 1_000_000;
const BINS_MAX = 40;
const SAMPLE_MAX = 200;

/** How many packets a preview draws; 0 for a plan that it refuses. */
export function packetsOfPreview(plan: unknown, draws: number): number {
  const checked = checkPlan(plan);
  return checked.ok && checked.plan.packets <= PREVIEW_PACKETS_MAX
    ? checked.plan.packets * drawsOf(checked.plan, draws)
    : 0;
}

const drawsOf = ({ packets }: CheckedPlan, draws: number): number =>
  Math.max(1, Math.min(draws, Math.floor(PREVIEW_PACKETS_MAX / packets)));

/**
 * Draws a plan from a throw-away seed by the code that draws real packets, or says what is refused. The real rain is
 * another draw.
 */
export function previewRain(
  plan: unknown,
  draws = 1,
  seed: () => string = () => randomBytes(32).toString('hex'),
): Preview | Refused {
  const checked = checkPlan(plan);
  if (!checked.ok) return checked;
  const { packets, budgetCents } = checked.plan;
  if (packets > PREVIEW_PACKETS_MAX)
    return refuse('packets', `${packets} packets are too many for a preview: at most ${PREVIEW_PACKETS_MAX}`);
  const drawCount = drawsOf(checked.plan, draws);
  const first = splitBudget(checked.plan, seed());
  const all = new BigInt64Array(packets * drawCount);
  all.set(first);
  for (let draw = 1; draw < drawCount; draw++) all.set(splitBudget(checked.plan, seed()), draw * packets);
  all.sort();
  return {
    ok: true,
    packets,
    budget: formatMoney(budgetCents),
    min: formatMoney(all[0]!),
    max: formatMoney(all.at(-1)!),
    mean: formatMoney(budgetCents / BigInt(packets)),
    median: formatMoney(all[(all.length - 1) >> 1]!),
    luckiest: formatMoney(first.reduce((most, cents) => (cents > most ? cents : most))),
    histogram: histogram(all),
    sample: Array.from(first.subarray(0, SAMPLE_MAX), formatMoney),
  };
}

/** Bins of equal width; the last one also takes outliers. One prize of 888.00 must not push all others into one bin. */
function histogram(sorted: BigInt64Array): Preview['histogram'] {
  const [least, most] = [sorted[0]!, sorted.at(-1)!];
  const usual = sorted[Math.floor((sorted.length - 1) * 0.99)]!;
  const span = (most > least + 4n * (usual - least) && usual > least ? usual : most) - least + 1n;
  const bins = span < BigInt(BINS_MAX) ? Number(span) : BINS_MAX;
  const width = (span + BigInt(bins) - 1n) / BigInt(bins);
  const counts = Array.from({ length: bins }, () => 0);
  for (const cents of sorted) counts[Math.min(bins - 1, Number((cents - least) / width))]!++;
  return counts
    .map((count, i) => {
      const from = least + BigInt(i) * width;
      const to = i === bins - 1 ? most : from + width - 1n;
      return { from: formatMoney(from), to: formatMoney(to > most ? most : to), count };
    })
    .filter(({ from, to, count }, i) => count > 0 || (i < bins - 1 && from <= to));
}
