import { describe, expect, test } from 'vitest';
import { stateAt, STORED_STATES, type RainWindow } from '../../src/rain/rain.ts';

const WINDOW = { opensAt: 1_000, closesAt: 2_000 };
const at = (state: RainWindow['state'], now: number) => stateAt({ state, ...WINDOW }, now);

describe('the state shown to a viewer', () => {
  test('[R7] a loaded rain opens at its first millisecond and closes at its last', () => {
    expect(at('loaded', 999)).toBe('loaded');
    expect(at('loaded', 1_000)).toBe('open');
    expect(at('loaded', 1_999)).toBe('open');
    expect(at('loaded', 2_000)).toBe('closed');
  });

  test('[R7] a paused rain stays paused inside its window, and still closes at its end', () => {
    expect(at('paused', 999)).toBe('paused');
    expect(at('paused', 1_500)).toBe('paused');
    expect(at('paused', 2_000)).toBe('closed');
  });

  test.each([0, 1_500, 5_000])('[R7] draft, closed and settled never open (at %d)', (now) => {
    for (const state of ['draft', 'closed', 'settled'] as const) expect(at(state, now)).toBe(state);
  });

  test('[R7] no stored state but loaded can show as open', () => {
    expect(STORED_STATES.filter((state) => at(state, 1_500) === 'open')).toEqual(['loaded']);
  });
});
