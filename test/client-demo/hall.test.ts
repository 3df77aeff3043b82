import { expect, test } from 'vitest';
import { Hall } from '../../client-demo/src/hall/hall.ts';
import { welcomeOf } from '../support/servers/scriptedGateway.ts';
import { NOW, scriptClient, snapshot } from './scriptedClient.ts';

const PLAN = { budget: '88.00', packets: 10, split: { method: 'double-mean' } } as const;

/** The screen of a hall, connected, with these rains announced. */
function open(rains: ReturnType<typeof snapshot>[] = [], rainId?: string) {
  const scripted = scriptClient();
  const hall = new Hall({ client: scripted.client, rainId, random: () => 0 });
  scripted.emit('link', { link: 'up' });
  scripted.emit('welcome', { ...welcomeOf('screen', NOW), rains });
  return { hall, ...scripted };
}

test('without a rain it is quiet; one that is announced is watched, and never grabbed', () => {
  const { hall, calls, emit } = open();
  expect(hall.view()).toEqual({ stage: 'quiet', lost: false, names: [] });
  const round = snapshot('round-1', { state: 'loaded', opensAt: NOW + 75_000 });
  emit('rain', round);
  expect([hall.view().stage, calls.joined]).toEqual(['connecting', ['round-1']]);
  emit('rain', round);
  expect(hall.view()).toMatchObject({ stage: 'before', title: 'round-1', seconds: 75, packets: 10, left: 10 });
});

test('through a rain: the countdown, what is left, who has won, the end and what was given; figures of other rains change nothing', () => {
  const { hall, calls, emit } = open([snapshot('round-1', { state: 'loaded', opensAt: NOW + 5_000 })]);
  emit('rain', snapshot('round-1', { state: 'loaded', opensAt: NOW + 5_000 }));
  expect(hall.view()).toMatchObject({ stage: 'before', seconds: 5 });
  calls.now += 5_000;
  expect(hall.view().stage, 'by the clock').toBe('raining');
  emit('rain', snapshot('round-1', { left: 4 }));
  emit('rain', snapshot('another', { left: 1 }));
  emit('winners', { type: 'winners', rainId: 'another', winners: [{ user: 'x•••x', amount: '9.00' }] });
  emit('winners', { type: 'winners', rainId: 'round-1', winners: [{ user: 'a•••n', amount: '1.00' }, { user: 'b•••b', amount: '2.00' }] });
  emit('winners', { type: 'winners', rainId: 'round-1', winners: [{ user: 'c•••l', amount: '3.00' }] });
  expect(hall.view()).toMatchObject({ stage: 'raining', left: 4, names: [{ user: 'c•••l' }, { user: 'b•••b' }, { user: 'a•••n' }] });
  emit('rain', snapshot('round-1', { state: 'paused', left: 4 }));
  expect(hall.view().stage).toBe('paused');
  emit('rain', snapshot('round-1', { left: 0 }));
  expect(hall.view()).toMatchObject({ stage: 'gone', left: 0 });
  expect(hall.view().given, 'only once the plan is published').toBeUndefined();
  emit('rain', snapshot('round-1', { state: 'settled', left: 0, plan: PLAN }));
  expect(hall.view()).toMatchObject({ stage: 'after', given: '88.00' });
  emit('rain', snapshot('round-1', { state: 'settled', left: 0, plan: PLAN, topUps: [{ commitment: 'c', packets: 2 }] }));
  expect(hall.view().given, 'the plan does not know what was added').toBeUndefined();
});

test('the next rain is told after the end, and on the screen before it starts, or at once when it is open; a screen for one rain stays', () => {
  const over = snapshot('round-1', { state: 'closed', left: 2 });
  const next = snapshot('round-2', { title: 'Second round', state: 'loaded', opensAt: NOW + 35_000 });
  for (const [fixed, wait] of [[undefined, true], [undefined, false], ['round-1', true]] as const) {
    const { hall, calls, emit } = open([snapshot('round-1')], fixed);
    emit('rain', over);
    emit('rain', wait ? next : { ...next, state: 'open', opensAt: NOW });
    if (fixed === undefined) expect(hall.view().next).toEqual({ title: 'Second round', ...(wait && { seconds: 35 }) });
    hall.tick();
    expect(calls.joined.at(-1)).toBe(wait ? 'round-1' : 'round-2');
    calls.now += 30_000;
    hall.tick();
    expect([calls.joined.at(-1), calls.left]).toEqual(fixed === undefined ? ['round-2', ['round-1']] : ['round-1', []]);
  }
});

test('a rain that does not exist, a lost connection and a refusal are told', () => {
  const { hall, emit } = open([], 'none');
  emit('result', { type: 'result', rainId: 'none', code: '-8', reason: 'no_such_rain' });
  expect(hall.view().stage).toBe('unknown_rain');
  emit('link', { link: 'lost' });
  expect(hall.view().lost).toBe(true);
  emit('link', { link: 'no_token' });
  expect(hall.view().stage).toBe('no_token');
});
