import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { topUpRain } from '../../operator/topUp.ts';
import { print, refused, tell } from '../answer.ts';
import { atDesk } from '../connection.ts';
import { bar } from '../progress.ts';
import { parseTier } from './plan.ts';

interface TopUpOptions {
  budget: string;
  packets: number;
  split: 'even' | 'double-mean' | 'tiers';
  tier: { count: number; amount: string }[];
  min?: string;
  max?: string;
  id?: string;
  dryRun?: boolean;
  json?: boolean;
}

export function addTopUpCommand(program: Command): void {
  program.command('top-up <id>').summary('add money and packets to a rain, also while it runs')
    .description('Adds money and packets to a rain that is not over. The new packets come after all others, have a commitment of their own, and players whose rain was empty see it go on.')
    .requiredOption('--budget <amount>', 'what is added, e.g. 500.00')
    .requiredOption('--packets <n>', 'in how many red packets', Number)
    .option('--split <method>', 'even, double-mean or tiers', 'double-mean')
    .option('--tier <COUNTxAMOUNT>', 'a fixed prize, e.g. 10x88.80; may be repeated; means --split tiers', parseTier, [])
    .option('--min <amount>', 'smallest packet (default 0.01)')
    .option('--max <amount>', 'largest packet (default what is added)')
    .option('--id <word>', 'your word for this top-up: asked for again with it, nothing is added twice; otherwise one is made')
    .option('--dry-run', 'say what would be done, or why not, and do nothing')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  rain top-up m3k9x2a1b2c3d4 --budget 500.00 --packets 100')
    .action(topUp);
}

async function topUp(rainId: string, { budget, packets, split, tier, min, max, id: given, dryRun, json }: TopUpOptions): Promise<void> {
  // Chosen here, so that it is known even if the answer is not.
  const id = given ?? randomUUID();
  const request = {
    id, budget, packets, split: tier.length > 0 || split === 'tiers' ? { method: 'tiers', tiers: tier } : { method: split },
    ...(min !== undefined && { min }), ...(max !== undefined && { max }), ...(dryRun && { dryRun }),
  };
  await atDesk(async (desk) => {
    const progress = bar('loading', 'packets');
    const done = await topUpRain(desk, rainId, request, (count, of) => progress.update(count, of)).catch((error: unknown) => {
      if (!dryRun) tell(`it is not known how far the top-up has come; do it again with the same words and --id ${id}, and nothing is added twice`);
      throw error;
    }).finally(() => progress.stop());
    if (!done.ok) throw refused(done);
    const { ok: _, ...told } = done;
    const sum = `${done.budget} in ${done.packets} packets; in all ${done.total.budget} in ${done.total.packets}`;
    if (done.commitment !== undefined && !json) tell(`top-up ${id}\ncommitment ${done.commitment}`);
    const later = done.loaded ? '' : `; they are loaded with the rain: rain load ${rainId}`;
    print(json, { ...told, ...(dryRun && { dryRun }) }, dryRun ? `${rainId} would get ${sum}` : `${rainId} has got ${sum}${later}`);
  });
}
