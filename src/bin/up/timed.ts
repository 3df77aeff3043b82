import type { Terminal } from '../terminal.ts';

/** Shows at once what is waited for, and on the same line the seconds it took. */
export async function timed<Done>({ stderr }: Terminal, line: string, work: () => Promise<Done>): Promise<Done> {
  const started = performance.now();
  stderr.write(`${line} …`);
  try {
    const done = await work();
    stderr.write(` ${((performance.now() - started) / 1_000).toFixed(1)} s`);
    return done;
  } finally {
    stderr.write('\n');
  }
}
