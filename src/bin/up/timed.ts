import type { Terminal } from '../terminal.ts';

/**
 * Shows at once what is done, and the seconds it took.
 * @param work `say` shows on a line of its own for what it waits
 */
export async function timed<Done>(
  { stderr }: Terminal,
  line: string,
  work: (say: (why: string) => void) => Promise<Done>,
): Promise<Done> {
  const started = performance.now();
  stderr.write(`${line} …`);
  try {
    const done = await work((why) => stderr.write(`\n  waiting: ${why} …`));
    stderr.write(` ${((performance.now() - started) / 1_000).toFixed(1)} s`);
    return done;
  } finally {
    stderr.write('\n');
  }
}
