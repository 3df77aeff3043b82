import { expect, test } from 'vitest';
import { COUNTDOWN_MS, inTurn, remoteVerbs } from '../../client-console/src/screens/remote/choose.ts';
import type { RainState } from '../../client-console/src/state/responses.ts';

const NOW = Date.UTC(2026, 11, 31, 20);
const rain = (rainId: string, state: RainState, inMs: number) => ({
  rainId,
  state,
  opensAt: new Date(NOW + inMs).toISOString(),
});

test('what runs comes first, then what comes next; what is over, or lost, is not shown', () => {
  const rains = [
    rain('later', 'loaded', 90_000),
    rain('over', 'settled', -90_000),
    rain('held', 'paused', 60_000),
    rain('open', 'open', -5_000),
    rain('paused', 'paused', -9_000),
    rain('soon', 'loaded', 20_000),
    rain('closed', 'closed', -1),
    rain('lost', 'lost', 9_000),
  ];
  expect(inTurn(rains, NOW).map(({ rainId }) => rainId)).toEqual(['paused', 'open', 'soon', 'held', 'later']);
});

test('only what is possible now is offered', () => {
  const verbs = (state: RainState, inMs: number) => remoteVerbs(rain('one', state, inMs), NOW);
  expect(verbs('loaded', COUNTDOWN_MS + 1)).toEqual(['start', 'pause']);
  expect(verbs('loaded', COUNTDOWN_MS), 'a start would come later than the opening').toEqual(['pause']);
  expect(verbs('open', -1)).toEqual(['pause', 'close']);
  expect(verbs('paused', -1)).toEqual(['resume', 'close']);
  expect(verbs('paused', 60_000), 'what has not begun is not ended by a thumb').toEqual(['resume']);
  for (const state of ['draft', 'closed', 'settled', 'lost'] as const) expect(verbs(state, 60_000), state).toEqual([]);
});
