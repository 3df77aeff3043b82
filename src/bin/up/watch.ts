import { MultiBar, type SingleBar } from 'cli-progress';
import { setTimeout as sleep } from 'node:timers/promises';
import { isUnavailable } from '../../platform/redis/unavailable.ts';
import { lines, type Progress } from '../progress.ts';
import type { Terminal } from '../terminal.ts';

/** How long the settlement may take after the end before a round counts as unfinished, ms. */
export const SETTLE_MS_MAX = 60_000;
const POLL_MS = 250;
/** How long simulated users may take after the settlement, ms. */
const LEAVE_MS_MAX = 5_000;

interface Watching<View> {
  look: () => Promise<View>;
  /** Until the last moment at which anything is due, without the settlement. */
  withinMs: number;
  signal: AbortSignal;
  progress: Progress<[View]> | undefined;
}

/** @returns false: it was not settled in time */
export async function untilSettled<View extends { state: string }>({
  look,
  withinMs,
  signal,
  progress,
}: Watching<View>): Promise<boolean> {
  const deadline = performance.now() + withinMs + SETTLE_MS_MAX;
  try {
    for (;;) {
      // A server that is replaced meanwhile is asked again.
      const view = await look().catch((error: unknown) => {
        if (!isUnavailable(error)) throw error;
      });
      if (view) progress?.update(view);
      if (view?.state === 'settled') return true;
      if (performance.now() > deadline) return false;
      await sleep(POLL_MS, undefined, { signal });
    }
  } finally {
    progress?.stop();
  }
}

/** The result of the simulated users, who are sent home when they do not leave by themselves. */
export function soon<Result>(playing: Promise<Result>, wave: AbortController, signal: AbortSignal): Promise<Result> {
  return Promise.race([
    playing,
    sleep(LEAVE_MS_MAX, undefined, { signal, ref: false }).then(() => {
      wave.abort();
      return playing;
    }),
  ]);
}

type Figure<View> = [name: string, value: (view: View) => number];

/** Bars on a terminal, a line a second otherwise. */
export function progressOf<View extends { state: string }>(
  { stderr }: Terminal,
  total: number,
  figures: readonly Figure<View>[],
): Progress<[View]> {
  if (!stderr.isTTY)
    return lines(
      stderr,
      (view) => `${view.state}: ${figures.map(([name, value]) => `${value(view)} ${name}`).join(', ')}`,
    );
  const multi = new MultiBar({
    format: '{name} {bar} {value}/{total}',
    stream: stderr,
    hideCursor: true,
    clearOnComplete: false,
  });
  const width = Math.max(...figures.map(([name]) => name.length));
  const bars = figures.map(([name]): SingleBar => multi.create(total, 0, { name: name.padEnd(width) }));
  return {
    update: (view) => figures.forEach(([, value], i) => bars[i]!.update(value(view))),
    stop: () => multi.stop(),
  };
}
