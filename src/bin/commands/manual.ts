import type { Command } from 'commander';
import type { Terminal } from '../terminal.ts';

export function addManualCommand(program: Command, terminal: Terminal): void {
  program.command('manual', { hidden: true }).summary('this manual, as Markdown').description('Prints every command with its options and examples as Markdown: docs/reference/cli.md.')
    .addHelpText('after', '\nExample:\n  rain manual')
    .action(async () => {
      const { manual } = await import('../manual.ts');
      terminal.stdout.write(manual(program));
    });
}
