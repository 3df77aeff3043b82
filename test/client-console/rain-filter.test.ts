import { expect, test } from 'vitest';
import { runningFirst } from '../../client-console/src/screens/rain-filter.ts';
import type { RainState } from '../../client-console/src/state/responses.ts';

test('a rain that runs is on top of the list; the others keep their order', () => {
  const rains = (['loaded', 'settled', 'open', 'draft', 'paused', 'closed'] satisfies RainState[]).map(
    (state, number) => ({ state, number }),
  );
  expect(runningFirst(rains).map(({ number }) => number)).toEqual([2, 4, 0, 1, 3, 5]);
});
