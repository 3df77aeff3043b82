import { expect, test } from 'vitest';
import { veil } from '../../../client-demo/src/sky/veil.ts';

test.each([[300], [600], [1_200]])(
  'in a sky of %d pixels pictures are invisible at the edges, visible in the middle, and fade gradually',
  (height) => {
    for (const wordy of [true, false]) {
      expect([
        veil(-50, height, wordy),
        veil(0, height, wordy),
        veil(height, height, wordy),
        veil(height + 50, height, wordy),
      ]).toEqual([0, 0, 0, 0]);
      expect([veil(height / 2, height, wordy), veil(height * 0.8, height, wordy)]).toEqual([1, 1]);
    }
    expect(veil(height * 0.05, height, false)).toBeGreaterThan(0);
    expect(veil(height * 0.05, height, true)).toBe(0);
  },
);
