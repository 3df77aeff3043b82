import type { Command } from 'commander';
import { writeOffRain } from '../../operator/writeOff.ts';
import { accepted, print } from '../exit.ts';
import { withContext } from '../context.ts';
import { printDryRun, withDryRun } from '../dryRun.ts';
import type { Terminal } from '../terminal.ts';

export function addWriteOffCommand(program: Command, terminal: Terminal): void {
  withDryRun(program.command('write-off <id>')).summary('close the ledger of a rain that Redis has lost')
    .description('Closes the ledger of a rain that Redis has lost: credits stay, the rest goes back. You must compensate the users whose win was confirmed but not credited.')
    .requiredOption('--reason <text>', 'what happened, for the record; 1 to 500 characters')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  rain write-off m3k9x2a1b2c3d4 --reason "Redis was flushed by mistake"')
    .action((id: string, { reason, dryRun, json }: { reason: string; dryRun?: boolean; json?: boolean }) => withContext(terminal, async (context) => {
      const done = accepted(await writeOffRain(context, id, reason, dryRun));
      if (dryRun) printDryRun(terminal, json, { rainId: id, recycled: done.amount }, `${id}: ${done.amount} would go back, and the ledger would be closed`);
      else print(terminal, json, { rainId: id, recycled: done.amount }, `${id}: ${done.amount} went back, the ledger is closed`);
    }));
}
