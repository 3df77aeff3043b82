import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { previewRain } from '../../operator/preview.ts';
import { topUpRain } from '../../operator/topUp.ts';
import { accepted, print, tell } from '../exit.ts';
import { withContext } from '../context.ts';
import { printDryRun, withDryRun } from '../dryRun.ts';
import { describePreview } from '../previewText.ts';
import { bar } from '../progress.ts';
import type { Terminal } from '../terminal.ts';
import { budgeted, planOf, type PlanOptions } from './budgeted.ts';

interface TopUpOptions extends PlanOptions {
  id?: string;
  dryRun?: boolean;
  json?: boolean;
}

export function addTopUpCommand(program: Command, terminal: Terminal): void {
  withDryRun(budgeted(program.command('top-up <id>'))).summary('add money and packets to a rain, also while it runs')
    .description('Adds money and packets to a rain that is not over. The new packets come after all others, have a commitment of their own, and players whose rain was empty see it go on.')
    .option('--id <word>', 'your word for this top-up: asked for again with it, nothing is added twice; otherwise one is made')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  rain top-up m3k9x2a1b2c3d4 --budget 500.00 --packets 100')
    .action((id: string, options: TopUpOptions) => topUp(terminal, id, options));
}

async function topUp(terminal: Terminal, rainId: string, { id: given, dryRun, json, ...options }: TopUpOptions): Promise<void> {
  // Chosen here, so that it is known even if the answer is not.
  const id = given ?? randomUUID();
  const request = { id, ...planOf(options), ...(dryRun && { dryRun }) };
  await withContext(terminal, async (context) => {
    const progress = bar(terminal, 'loading', 'packets');
    const done = accepted(await topUpRain(context, rainId, request, (count, of) => progress.update(count, of)).catch((error: unknown) => {
      if (!dryRun) tell(terminal, `it is not known how far the top-up has come; do it again with the same words and --id ${id}, and nothing is added twice`);
      throw error;
    }).finally(() => progress.stop()));
    const { ok: _, ...told } = done;
    const sum = `${done.budget} in ${done.packets} packets; in all ${done.total.budget} in ${done.total.packets}`;
    if (done.commitment !== undefined && !json) tell(terminal, `top-up ${id}\ncommitment ${done.commitment}`);
    const later = done.loaded ? '' : `; they are loaded with the rain: rain load ${rainId}`;
    if (!dryRun) return print(terminal, json, told, `${rainId} has got ${sum}${later}`);
    const preview = previewRain(planOf(options));
    printDryRun(terminal, json, { ...told, ...(preview.ok && { preview }) }, `${rainId} would get ${sum}${preview.ok ? `\n\n${describePreview(preview)}` : ''}`);
  });
}
