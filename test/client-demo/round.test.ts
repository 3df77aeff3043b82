import { describe, expect, test } from 'vitest';
import {
  answered,
  requested,
  credited,
  faceOf,
  gaveUp,
  newRound,
  seen,
  type Face,
  type Round,
} from '../../client-demo/src/round.ts';
import type { RainSnapshot, ResultMessage } from '../../src/protocol/messages.ts';
import { OUTCOMES, type OutcomeCode } from '../../src/protocol/outcomes.ts';

const snapshot = (change: Partial<RainSnapshot> = {}): RainSnapshot => ({
  type: 'rain',
  rainId: 'spring',
  title: 'Spring',
  state: 'loaded',
  opensAt: 1_000,
  closesAt: 2_000,
  packets: 10,
  left: 10,
  serverTime: 0,
  ...change,
});
const result = (code: OutcomeCode, packet?: { redPacketId: string; amount: string }): ResultMessage => ({
  type: 'result',
  rainId: 'spring',
  code,
  reason: OUTCOMES[code].reason,
  ...packet,
});
const PACKET = { redPacketId: 'spring-7', amount: '12.21' };
const round = seen(newRound('spring'), snapshot());

describe('what the screen shows', () => {
  test.each<[string, Round, number, Face]>([
    ['before the first snapshot', newRound('spring'), 1_500, 'connecting'],
    ['[R7] a millisecond before the start', round, 999, 'scheduled'],
    ['[R7] at the start, although no message has come', round, 1_000, 'open'],
    ['[R7] at the end, although no message has come', round, 2_000, 'too_late'],
    ['a rain that was open in a snapshot, after its end', seen(round, snapshot({ state: 'open' })), 2_000, 'too_late'],
    ['a paused rain', seen(round, snapshot({ state: 'paused' })), 1_500, 'paused'],
    ['a rain closed early', seen(round, snapshot({ state: 'closed' })), 1_500, 'too_late'],
    ['a settled rain', seen(round, snapshot({ state: 'settled' })), 1_500, 'too_late'],
    ['a rain that is not loaded yet', seen(round, snapshot({ state: 'draft' })), 500, 'scheduled'],
    ['an open rain without packets', seen(round, snapshot({ state: 'open', left: 0 })), 1_500, 'gone'],
    ['a tap under way', requested(round), 1_500, 'asking'],
    ['a tap without an answer', gaveUp(requested(round)), 1_500, 'open'],
    ['a packet', answered(requested(round), result('0', PACKET)), 1_500, 'won'],
    ['a packet, after the end', answered(requested(round), result('0', PACKET)), 3_000, 'won'],
    ['the packet of an earlier tap', answered(round, result('1', PACKET)), 1_500, 'won'],
    ['no packet left', answered(requested(round), result('-1')), 1_500, 'missed'],
    ['a tap after the end', answered(requested(round), result('-3')), 1_500, 'too_late'],
    ['a tap during a pause that was not announced yet', answered(requested(round), result('-4')), 1_500, 'paused'],
    ['a user who has won in other rounds', answered(requested(round), result('-11')), 1_500, 'win_limit_reached'],
    ['a blocked user', answered(requested(round), result('-6')), 1_500, 'blocked'],
    ['a rain that does not exist', answered(newRound('spring'), result('-8')), 1_500, 'unknown_rain'],
    [
      'a rain that was created a moment after it was requested',
      seen(answered(newRound('spring'), result('-8')), snapshot()),
      1_500,
      'open',
    ],
    [
      'a snapshot after the user has missed',
      seen(answered(requested(round), result('-1')), snapshot({ state: 'open', left: 0 })),
      1_500,
      'missed',
    ],
  ])('%s', (_what, value, now, face) => {
    expect(faceOf(value, now)).toBe(face);
  });

  test('a resumed rain can be tapped', () => {
    const paused = answered(requested(round), result('-4'));
    expect(faceOf(seen(paused, snapshot({ state: 'open' })), 1_500)).toBe('open');
  });
});

describe('a win', () => {
  test('[R6] reported again after its credit stays credited', () => {
    const done = credited(answered(round, result('0', PACKET)), { type: 'credited', rainId: 'spring', ...PACKET });
    expect(answered(done, result('1', PACKET)).win).toEqual({ ...PACKET, credited: true });
  });

  test('reported by the join of a new page is old, and stays old when it is credited; any other is new', () => {
    const told = answered(round, result('1', PACKET), true);
    expect(told.win).toEqual({ ...PACKET, credited: false, old: true });
    expect(
      answered(credited(told, { type: 'credited', rainId: 'spring', ...PACKET }), result('1', PACKET)).win,
    ).toEqual({ ...PACKET, credited: true, old: true });
    for (const news of [
      answered(round, result('1', PACKET)),
      answered(requested(round), { ...result('0', PACKET), ref: '1' }, true),
    ])
      expect(news.win).toEqual({ ...PACKET, credited: false });
  });

  test('[R6] whose answer was lost is shown by its credit', () => {
    const done = credited(requested(round), { type: 'credited', rainId: 'spring', ...PACKET });
    expect(faceOf(done, 1_500)).toBe('won');
    expect(done.win).toEqual({ ...PACKET, credited: true });
  });

  test('is not shown as credited before the credit message', () => {
    expect(answered(requested(round), result('0', PACKET)).win).toEqual({ ...PACKET, credited: false });
  });
});
