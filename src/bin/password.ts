import { createInterface } from 'node:readline';
import { CommandFailure, EXIT, notify } from './exit.ts';
import type { Terminal } from './terminal.ts';

/** Only the first line of standard input is read, and at most this many characters [R10]. */
const LINE_MAX = 2_048;

/**
 * From the terminal, twice, or from standard input. Never from an argument: every process on the machine can read
 * arguments.
 */
export async function askPassword(terminal: Terminal, prompt: string): Promise<string> {
  if (!terminal.stdin.isTTY) return readLine(terminal);
  const first = await askHidden(terminal, `${prompt}: `);
  if ((await askHidden(terminal, 'repeat the password: ')) !== first)
    throw new CommandFailure(EXIT.refused, 'password: the two inputs differ');
  return first;
}

async function readLine({ stdin }: Terminal): Promise<string> {
  let text = '';
  for await (const chunk of stdin.setEncoding('utf8')) {
    text += String(chunk);
    if (text.includes('\n') || text.length > LINE_MAX) break;
  }
  const line = text.split(/\r?\n/, 1)[0]!;
  if (line === '')
    throw new CommandFailure(EXIT.usage, 'password: missing, expected it on standard input or on a terminal');
  return line;
}

function askHidden(terminal: Terminal, prompt: string): Promise<string> {
  terminal.stderr.write(prompt);
  // No output stream: the input is not echoed.
  const lines = createInterface({ input: terminal.stdin, terminal: true });
  return new Promise((resolve, reject) => {
    lines.once('line', (line) => {
      notify(terminal, '');
      lines.close();
      resolve(line);
    });
    lines.once('SIGINT', () => {
      lines.close();
      reject(new CommandFailure(EXIT.usage, 'password: nothing was changed'));
    });
  });
}
