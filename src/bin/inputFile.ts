import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { CommandFailure, EXIT } from './exit.ts';
import type { Terminal } from './terminal.ts';

/**
 * Reads a file that the operator names, `-` for standard input.
 * @throws CommandFailure when it cannot be read, or is larger than `bytesMax`
 */
export async function readInputFile(
  { stdin, folder }: Terminal,
  option: string,
  path: string,
  bytesMax: number,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of path === '-' ? stdin : createReadStream(resolve(folder, path))) {
      chunks.push(chunk as Buffer);
      bytes += (chunk as Buffer).length;
      if (bytes > bytesMax) break;
    }
  } catch (error) {
    throw new CommandFailure(
      EXIT.usage,
      `${option}: ${path} cannot be read: ${(error as NodeJS.ErrnoException).code ?? String(error)}`,
    );
  }
  if (bytes > bytesMax) throw new CommandFailure(EXIT.usage, `${option}: ${path} is larger than ${bytesMax} bytes`);
  return Buffer.concat(chunks);
}
