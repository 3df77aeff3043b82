import { previewRain } from '../../operator/preview.ts';
import { parseCount } from '../arguments.ts';
import type { RainCommand } from '../command.ts';
import { accepted } from '../exit.ts';
import { describePreview } from '../previewText.ts';
import { budgeted, planOf, type PlanOptions } from './budgeted.ts';

const DRAWS_MAX = 20;

export function addPreviewCommand(program: RainCommand): void {
  budgeted(program.command('preview')).summary('preview the amounts of a plan')
    .description('Draws the packets of a plan from a throw-away seed, with the same code as for a real rain, and shows their distribution. No server is contacted and nothing is written.')
    .option('--draws <n>', 'how many draws to combine', parseCount(1, DRAWS_MAX), 1)
    .json().example('rain preview --budget 8888.00 --packets 1000 --min 1.00 --max 88.00')
    .runs(({ draws, ...plan }: PlanOptions & { draws: number }) => {
      const preview = accepted(previewRain(planOf(plan), draws));
      return { value: preview, text: describePreview(preview) };
    });
}
