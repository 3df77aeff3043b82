import { setTimeout as sleep } from 'node:timers/promises';
import { clearScreen, print, REFRESH_MS } from './exit.ts';
import type { Terminal } from './terminal.ts';

export interface ShowOptions {
  json?: boolean;
  watch?: boolean;
}

interface Shown {
  value: unknown;
  text: string;
  /** Nothing will change any more. */
  isLast: boolean;
}

/**
 * Prints what a `show` command reads: once, or every second until nothing will change. Text that goes into a file or a
 * pipe is printed when it has changed.
 */
export async function show(
  terminal: Terminal,
  { json, watch }: ShowOptions,
  read: () => Promise<Shown>,
  rest: () => Promise<unknown> = () => sleep(REFRESH_MS),
): Promise<void> {
  let printed: string | undefined;
  for (;;) {
    const { value, text, isLast } = await read();
    if (json || terminal.stdout.isTTY || text !== printed) {
      if (watch && !json) clearScreen(terminal);
      print(terminal, json, value, text);
      printed = text;
    }
    if (!watch || isLast) return;
    await rest();
  }
}
