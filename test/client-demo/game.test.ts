import { expect, test } from 'vitest';
import { Game } from '../../client-demo/src/game.ts';
import { welcomeOf } from '../support/servers/scriptedGateway.ts';
import { NOW, scriptClient, snapshot } from './scriptedClient.ts';

/** A game of a user who plays the first round. */
function script() {
  const { client, calls: made, emit } = scriptClient();
  const calls = Object.assign(made, { played: [] as string[] });
  const game = new Game({
    client,
    rainId: 'round-1',
    random: () => 0,
    onRain: (rainId) => calls.played.push(rainId),
    verify: () => new Promise(() => {}),
  });
  emit('link', { link: 'up' });
  emit('welcome', welcomeOf('ann', NOW));
  emit('rain', snapshot('round-1'));
  return { game, calls, emit };
}

test('a player whose rain is over joins the next rain shortly before its start; a player who can still play does not', () => {
  const { game, calls, emit } = script();
  emit('rain', snapshot('round-2', { title: 'Second round', state: 'loaded', opensAt: NOW + 35_000 }));
  game.tick();
  expect([game.face(), game.view().ahead]).toEqual(['open', undefined]);
  emit('result', {
    type: 'result',
    rainId: 'round-1',
    code: '0',
    reason: 'won',
    redPacketId: 'p',
    amount: '1.00',
    ref: '1',
  });
  game.tick();
  expect([game.face(), game.view().ahead]).toEqual(['won', { title: 'Second round', seconds: 35 }]);
  calls.now += 26_900;
  game.tick();
  expect(calls.left).toEqual([]);
  calls.now += 200;
  game.tick();
  emit('rain', snapshot('round-2', { title: 'Second round', state: 'loaded', opensAt: NOW + 35_000 }));
  expect([game.face(), game.view().title, calls.left, calls.played.at(-1), calls.joined.at(-1)]).toEqual([
    'scheduled',
    'Second round',
    ['round-1'],
    'round-2',
    'round-2',
  ]);
});

test('a win that only its receipt brings back is shown as an old one; of a rain that the server has lost, as written down', () => {
  const shown = { rainId: 'round-1', redPacketId: 'p', amount: '1.00' };
  for (const [status, win] of [
    ['busy', undefined],
    ['not_genuine', undefined],
    ['known', { redPacketId: 'p', amount: '1.00', credited: false, old: true }],
    ['restored', { redPacketId: 'p', amount: '1.00', credited: false, old: true }],
    ['recorded', { redPacketId: 'p', amount: '1.00', credited: false, old: true, recorded: true }],
  ] as const) {
    const { game, emit } = script();
    emit('result', { type: 'result', rainId: 'round-1', code: '-8', reason: 'no_such_rain' });
    emit('receipt', { ...shown, rainId: 'other', status });
    emit('receipt', { ...shown, status });
    expect([game.face(), game.view().win], status).toEqual([win ? 'won' : 'unknown_rain', win]);
  }
});

test('a receipt takes nothing back: a win that is credited stays credited, and another packet that was won meanwhile stays', () => {
  const { game, emit } = script();
  emit('credited', { type: 'credited', rainId: 'round-1', redPacketId: 'p', amount: '1.00' });
  emit('receipt', { rainId: 'round-1', redPacketId: 'p', amount: '1.00', status: 'recorded' });
  emit('receipt', { rainId: 'round-1', redPacketId: 'q', amount: '2.00', status: 'restored' });
  expect(game.view().win).toEqual({ redPacketId: 'p', amount: '1.00', credited: true });
});
