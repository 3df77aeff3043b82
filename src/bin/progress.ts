import { SingleBar } from 'cli-progress';
import type { Output, Terminal } from './terminal.ts';

interface Progress {
  update(value: number, total: number): void;
  stop(): void;
}

/** Without a terminal, a line is printed at most once in this time, ms. */
const LINE_EVERY_MS = 1_000;

/** A bar on stderr for a terminal, a line a second otherwise. */
export function bar({ stderr }: Terminal, title: string, unit: string): Progress {
  if (!stderr.isTTY) return lines(stderr, title, unit);
  let single: SingleBar | undefined;
  return {
    update(value, total) {
      if (!single) {
        single = new SingleBar({ format: `${title} {bar} {percentage}%  {value}/{total} ${unit}`, stream: stderr, hideCursor: true, clearOnComplete: false });
        single.start(total, value);
      } else single.update(value);
    },
    stop: () => single?.stop(),
  };
}

function lines(stderr: Output, title: string, unit: string): Progress {
  let next = 0;
  let last = '';
  let printed = '';
  const print = () => {
    if (last === printed) return;
    stderr.write(`${last}\n`);
    printed = last;
  };
  return {
    update(value, total) {
      last = `${title} ${value}/${total} ${unit}`;
      if (Date.now() < next) return;
      next = Date.now() + LINE_EVERY_MS;
      print();
    },
    stop: print,
  };
}
