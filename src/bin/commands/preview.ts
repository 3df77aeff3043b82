import type { Command } from 'commander';
import { previewRain } from '../../operator/preview.ts';
import { accepted, print } from '../exit.ts';
import { parseCount } from '../time.ts';
import { describePreview } from '../previewText.ts';
import type { Terminal } from '../terminal.ts';
import { budgeted, planOf, type PlanOptions } from './budgeted.ts';

const DRAWS_MAX = 20;

export function addPreviewCommand(program: Command, terminal: Terminal): void {
  budgeted(program.command('preview')).summary('preview the amounts of a plan')
    .description('Draws the packets of a plan from a throw-away seed, with the same code as for a real rain, and shows their distribution. No server is contacted and nothing is written.')
    .option('--draws <n>', 'how many draws to combine', parseCount(1, DRAWS_MAX), 1)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  rain preview --budget 8888.00 --packets 1000 --min 1.00 --max 88.00')
    .action(({ draws, json, ...plan }: PlanOptions & { draws: number; json?: boolean }) => {
      const preview = accepted(previewRain(planOf(plan), draws));
      print(terminal, json, preview, describePreview(preview));
    });
}
