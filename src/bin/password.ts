import { createInterface } from 'node:readline';
import { CommandFailure, EXIT, tell } from './exit.ts';
import type { Terminal } from './terminal.ts';

/** One line of a pipe is all that is read of it [R10]. */
const LINE_MAX = 2_048;

/**
 * A password from the terminal, without showing it, twice; or the first line of what is piped in. Never from an argument: all
 * that run on this machine can read those.
 */
export async function askPassword(terminal: Terminal, prompt: string): Promise<string> {
  if (!terminal.stdin.isTTY) return readLine(terminal);
  const first = await askHidden(terminal, `${prompt}: `);
  if (await askHidden(terminal, 'once more: ') !== first) throw new CommandFailure(EXIT.refused, 'password: the two are not the same');
  return first;
}

async function readLine({ stdin }: Terminal): Promise<string> {
  let text = '';
  for await (const chunk of stdin.setEncoding('utf8')) {
    text += String(chunk);
    if (text.includes('\n') || text.length > LINE_MAX) break;
  }
  const line = text.split(/\r?\n/, 1)[0]!;
  if (line === '') throw new CommandFailure(EXIT.usage, 'password: missing, expected it on standard input, or a terminal to ask at');
  return line;
}

function askHidden(terminal: Terminal, prompt: string): Promise<string> {
  terminal.stderr.write(prompt);
  // What is typed goes nowhere.
  const lines = createInterface({ input: terminal.stdin, terminal: true });
  return new Promise((resolve, reject) => {
    lines.once('line', (line) => {
      tell(terminal, '');
      lines.close();
      resolve(line);
    });
    lines.once('SIGINT', () => {
      lines.close();
      reject(new CommandFailure(EXIT.usage, 'password: nothing was changed'));
    });
  });
}
