import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { previewRain } from '../../operator/preview.ts';
import { topUpRain } from '../../operator/topUp.ts';
import { accepted, print, notify } from '../exit.ts';
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
  withDryRun(budgeted(program.command('top-up <id>'))).summary('add money and packets to a rain, even while it is open')
    .description('Adds money and packets to a rain that has not ended. The new packets follow all others and have their own commitment. If the rain was empty, players can grab again.')
    .option('--id <word>', 'your id for this top-up: a repeat with the same id adds nothing twice; default a generated id')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  rain top-up m3k9x2a1b2c3d4 --budget 500.00 --packets 100')
    .action((id: string, options: TopUpOptions) => topUp(terminal, id, options));
}

async function topUp(terminal: Terminal, rainId: string, { id: given, dryRun, json, ...options }: TopUpOptions): Promise<void> {
  // Chosen here, so that the id is known even if the answer is lost.
  const id = given ?? randomUUID();
  const request = { id, ...planOf(options), ...(dryRun && { dryRun }) };
  await withContext(terminal, async (context) => {
    const progress = bar(terminal, 'loading', 'packets');
    const done = accepted(await topUpRain(context, rainId, request, (count, of) => progress.update(count, of)).catch((error: unknown) => {
      if (!dryRun) notify(terminal, `it is unknown how much of the top-up is done; repeat the same command with --id ${id}: nothing is added twice`);
      throw error;
    }).finally(() => progress.stop()));
    const { ok: _, ...plain } = done;
    const sum = `${done.budget} in ${done.packets} packets; in total ${done.total.budget} in ${done.total.packets}`;
    if (done.commitment !== undefined && !json) notify(terminal, `top-up ${id}\ncommitment ${done.commitment}`);
    const later = done.loaded ? '' : `; the packets are loaded together with the rain: rain load ${rainId}`;
    if (!dryRun) return print(terminal, json, plain, `${rainId} got ${sum}${later}`);
    const preview = previewRain(planOf(options));
    printDryRun(terminal, json, { ...plain, ...(preview.ok && { preview }) }, `${rainId} would get ${sum}${preview.ok ? `\n\n${describePreview(preview)}` : ''}`);
  });
}
