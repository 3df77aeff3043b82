import type { Command } from 'commander';

export function addManualCommand(program: Command): void {
  program.command('manual', { hidden: true }).summary('this manual, as Markdown').description('Prints every command with its options and examples as Markdown: docs/reference/cli.md.')
    .addHelpText('after', '\nExample:\n  rain manual')
    .action(async () => {
      const { manual } = await import('../manual.ts');
      process.stdout.write(manual(program));
    });
}
