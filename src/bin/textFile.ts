import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { CommandFailure, EXIT } from './exit.ts';
import type { Terminal } from './terminal.ts';

/** Reads a file that the operator names, `-` for standard input, without a byte order mark. @throws CommandFailure when it cannot be read, is not UTF-8, or is larger than `bytesMax` */
export async function readTextFile({ stdin, folder }: Terminal, option: string, path: string, bytesMax: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of path === '-' ? stdin : createReadStream(resolve(folder, path))) {
      chunks.push(chunk as Buffer);
      bytes += (chunk as Buffer).length;
      if (bytes > bytesMax) break;
    }
  } catch (error) {
    throw new CommandFailure(EXIT.usage, `${option}: ${path} cannot be read: ${(error as NodeJS.ErrnoException).code ?? String(error)}`);
  }
  if (bytes > bytesMax) throw new CommandFailure(EXIT.usage, `${option}: ${path} is larger than ${bytesMax} bytes`);
  try {
    // A decoder that replaces what it cannot read would turn users into others.
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new CommandFailure(EXIT.usage, `${option}: ${path} is not UTF-8; expected a text in UTF-8`);
  }
}
