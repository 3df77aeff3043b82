import type { Command } from 'commander';
import { recycleRain } from '../../operator/recycle.ts';
import { awaitReplicas } from '../../relay/replicated.ts';
import { accepted, print } from '../exit.ts';
import { withContext, configure } from '../context.ts';
import { printDryRun, withDryRun } from '../dryRun.ts';
import type { Terminal } from '../terminal.ts';

export function addRecycleCommand(program: Command, terminal: Terminal): void {
  withDryRun(program.command('recycle <id>')).summary('settle an ended rain now')
    .description('Settles a rain that has ended: returns the money that nobody has won and closes the ledger of the rain. Workers do this by themselves. If it is too early, the command reports what is outstanding.')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  rain recycle m3k9x2a1b2c3d4')
    .action((id: string, { dryRun, json }: { dryRun?: boolean; json?: boolean }) => withContext(terminal, async (context) => {
      const { DURABILITY: durability, DURABILITY_WAIT_MS: waitMs } = configure(terminal.environment, []);
      const replicated = durability.mode === 'replicas' ? awaitReplicas(context.redis, durability.replicas, waitMs) : undefined;
      const done = accepted(await recycleRain(context, id, { replicated, dryRun }));
      if (dryRun) printDryRun(terminal, json, { rainId: id, state: done.state, amount: done.amount }, `${id}: would be ${done.state}, and ${done.amount} in total would go back`);
      else print(terminal, json, { rainId: id, state: done.state, amount: done.amount }, `${id}: ${done.state}, ${done.amount} went back`);
    }));
}
