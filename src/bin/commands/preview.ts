import { previewRain, type Preview } from '../../operator/preview.ts';
import { parseCount } from '../arguments.ts';
import type { RainCommand } from '../command.ts';
import { accepted } from '../exit.ts';
import { facts, paint, table } from '../style.ts';
import { budgeted, planOf, type PlanOptions } from './planOptions.ts';

const DRAWS_MAX = 20;
/** Maximum lines of the histogram, and characters of its longest bar. */
const LINES_MAX = 12;
const BAR_MAX = 32;

export function addPreviewCommand(program: RainCommand): void {
  budgeted(program.command('preview'))
    .summary('preview the amounts of a plan')
    .description(
      'Draws the packets of a plan from a throw-away seed, with the same code as for a real rain, and shows their distribution. No server is contacted and nothing is written.',
    )
    .option('--draws <n>', 'how many draws to combine', parseCount(1, DRAWS_MAX), 1)
    .json()
    .example('rain preview --budget 8888.00 --packets 1000 --min 1.00 --max 88.00')
    .runs(({ draws, ...plan }: PlanOptions & { draws: number }) => {
      const preview = accepted(previewRain(planOf(plan), draws));
      return { value: preview, text: describePreview(preview) };
    });
}

export function describePreview({ packets, budget, min, max, mean, median, luckiest, histogram }: Preview): string {
  const head = facts([
    ['budget', `${budget} in ${packets} packets`],
    ['smallest', min],
    ['median', median],
    ['mean', mean],
    ['largest', max],
    ...(luckiest === max ? [] : [['luckiest of a draw', luckiest]]),
  ]);
  return `${head}\n\n${bars(histogram)}\n${paint.quiet('drawn from a throw-away seed: the real rain will have another draw')}`;
}

function bars(histogram: Preview['histogram']): string {
  const bins = joined(histogram);
  const most = Math.max(...bins.map(({ count }) => count));
  return table(
    ['from', 'to', 'packets', ''],
    bins.map(({ from, to, count }) => [from, to, count, '█'.repeat(Math.ceil((count / most) * BAR_MAX))]),
  );
}

/** Merges neighbouring bins, so that the histogram fits on a screen. */
function joined(histogram: Preview['histogram']): Preview['histogram'] {
  const each = Math.ceil(histogram.length / LINES_MAX);
  return Array.from({ length: Math.ceil(histogram.length / each) }, (_, line) => {
    const bins = histogram.slice(line * each, (line + 1) * each);
    return { from: bins[0]!.from, to: bins.at(-1)!.to, count: bins.reduce((sum, { count }) => sum + count, 0) };
  });
}
