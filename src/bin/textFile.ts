import { CommandFailure, EXIT } from './exit.ts';
import { readInputFile } from './inputFile.ts';
import type { Terminal } from './terminal.ts';

/**
 * Reads a text that the operator names, `-` for standard input, without a byte order mark.
 * @throws CommandFailure when it cannot be read, is not UTF-8, or is larger than `bytesMax`
 */
export async function readTextFile(
  terminal: Terminal,
  option: string,
  path: string,
  bytesMax: number,
): Promise<string> {
  const bytes = await readInputFile(terminal, option, path, bytesMax);
  try {
    // A decoder that replaces what it cannot read would turn users into others.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new CommandFailure(EXIT.usage, `${option}: ${path} is not UTF-8; expected a text in UTF-8`);
  }
}
