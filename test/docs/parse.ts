import type { Command } from 'commander';
import { openProgram } from '../../src/bin/program.ts';

/**
 * Lets the real program read a command without doing it: verbs and options have to exist, arguments to be complete and
 * of the right form.
 * @returns its complaint
 */
export async function complaintAbout(words: readonly string[]): Promise<string | undefined> {
  const program = await openProgram();
  let said = '';
  const quiet = (command: Command): void => {
    command
      .configureOutput({
        writeOut: () => {},
        writeErr: (text) => {
          said += text;
        },
      })
      .exitOverride();
    if (command.commands.length === 0) command.action(() => {});
    command.commands.forEach(quiet);
  };
  quiet(program);
  try {
    await program.parseAsync(words.slice(1), { from: 'user' });
    return undefined;
  } catch (error) {
    return said.trim() || String(error);
  }
}

/**
 * `rain block user|address WHO [--for 2h]`: what a sentence names need not be complete, but its verb and its options
 * have to exist.
 */
export async function strangersIn(mention: string): Promise<string[]> {
  let command: Command = await openProgram();
  const words = mention.split(/\s+/).slice(1);
  for (let word = words[0]; word !== undefined && command.commands.length > 0; word = (words.shift(), words[0])) {
    const inner = command.commands.find((one) => one.name() === word);
    if (!inner) return /^[\w-]+$/.test(word) && word !== 'manual' ? [word] : [];
    command = inner;
  }
  const known = new Set([...command.options.flatMap(({ long, short }) => [long, short]), '--help', '--version']);
  return words.flatMap((word) => /^\[?(--[a-z-]+)/.exec(word)?.[1] ?? []).filter((option) => !known.has(option));
}
