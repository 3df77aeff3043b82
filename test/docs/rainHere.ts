import { explain } from '../../src/bin/answer.ts';
import { openProgram } from '../../src/bin/program.ts';

export interface Run {
  exit: number;
  /** What it printed, on both ways. */
  said: string;
}

/** Runs a command of `rain` in this process, as its entry does. What it reads of the environment is this process's. */
export async function rainHere(words: readonly string[]): Promise<Run> {
  let said = '';
  const writes = [process.stdout, process.stderr].map((stream) => ({ stream, write: stream.write }));
  const { exitCode } = process;
  process.exitCode = 0;
  for (const { stream } of writes) {
    stream.write = ((text: string | Uint8Array, ...rest: unknown[]) => {
      said += String(text);
      // A writer of rows waits for the callback.
      const written = rest.at(-1);
      if (typeof written === 'function') queueMicrotask(() => { (written as () => void)(); });
      return true;
    }) as typeof stream.write;
  }
  try {
    await (await openProgram(words[1])).parseAsync(words.slice(1), { from: 'user' });
    return { exit: Number(process.exitCode), said };
  } catch (error) {
    const { exit, reasons } = explain(error);
    return { exit, said: `${said}${reasons.join('\n')}` };
  } finally {
    for (const { stream, write } of writes) stream.write = write;
    process.exitCode = exitCode;
  }
}
