import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { randomSource } from '../../../src/rain/fairness.ts';

/** The random choices of one run. The same name gives the same choices. */
export interface Chance {
  /** A whole number from `from` to `to`, both included. */
  between(from: number, to: number): number;
  pick<T>(from: readonly T[]): T;
  /** Waits a random time, ms. */
  pause(from: number, to: number): Promise<void>;
}

export function chance(name: string): Chance {
  const source = randomSource(createHash('sha256').update(name).digest('hex'), 'faults');
  const between = (from: number, to: number) => from + source.belowNumber(to - from + 1);
  return {
    between,
    pick<T>(from: readonly T[]): T {
      return from[between(0, from.length - 1)]!;
    },
    pause: (from, to) => sleep(between(from, to)),
  };
}
