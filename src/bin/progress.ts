import { SingleBar } from 'cli-progress';
import type { Output, Terminal } from './terminal.ts';

export interface Progress<State extends unknown[]> {
  update(...state: State): void;
  stop(): void;
}

/** Without a terminal, a line is printed at most once in this time, ms. */
const LINE_EVERY_MS = 1_000;

/** A bar on stderr for a terminal, a line a second otherwise. */
export function bar({ stderr }: Terminal, title: string, unit: string): Progress<[value: number, total: number]> {
  if (!stderr.isTTY) return lines(stderr, (value, total) => `${title} ${value}/${total} ${unit}`);
  const single = new SingleBar({
    format: `${title} {bar} {percentage}%  {value}/{total} ${unit}`,
    stream: stderr,
    hideCursor: true,
    clearOnComplete: false,
  });
  return {
    update(value, total) {
      if (single.isActive) single.update(value);
      else single.start(total, value);
    },
    stop: () => single.stop(),
  };
}

/** The last state is printed in any case, and no line twice. */
export function lines<State extends unknown[]>(stderr: Output, describe: (...state: State) => string): Progress<State> {
  let next = 0;
  let last = '';
  let printed = '';
  const print = () => {
    if (last === printed) return;
    stderr.write(`${last}\n`);
    printed = last;
  };
  return {
    update(...state) {
      last = describe(...state);
      if (Date.now() < next) return;
      next = Date.now() + LINE_EVERY_MS;
      print();
    },
    stop: print,
  };
}
