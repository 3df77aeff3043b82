import { createInterface } from 'node:readline';
import { CommandFailure, EXIT, tell } from './answer.ts';

/** One line of a pipe is all that is read of it [R10]. */
const LINE_MAX = 2_048;

/**
 * A password from the terminal, without showing it, twice; or the first line of what is piped in. Never from an argument: all
 * that run on this machine can read those.
 */
export async function askPassword(prompt: string): Promise<string> {
  if (!process.stdin.isTTY) return readLine();
  const first = await askHidden(`${prompt}: `);
  if (await askHidden('once more: ') !== first) throw new CommandFailure(EXIT.refused, 'password: the two are not the same');
  return first;
}

async function readLine(): Promise<string> {
  let text = '';
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    text += String(chunk);
    if (text.includes('\n') || text.length > LINE_MAX) break;
  }
  const line = text.split(/\r?\n/, 1)[0]!;
  if (line === '') throw new CommandFailure(EXIT.usage, 'password: missing, expected it on standard input, or a terminal to ask at');
  return line;
}

function askHidden(prompt: string): Promise<string> {
  process.stderr.write(prompt);
  // What is typed goes nowhere.
  const lines = createInterface({ input: process.stdin, terminal: true });
  return new Promise((resolve, reject) => {
    lines.once('line', (line) => {
      tell('');
      lines.close();
      resolve(line);
    });
    lines.once('SIGINT', () => {
      lines.close();
      reject(new CommandFailure(EXIT.usage, 'password: nothing was changed'));
    });
  });
}
