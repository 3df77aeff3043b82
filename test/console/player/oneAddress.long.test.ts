import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createEntryTokens } from '../../../src/console/entryTokens.ts';
import { createGuestTokens } from '../../../src/console/guests.ts';
import { startConsole, type Console } from '../../../src/console/server.ts';
import type { Gateway } from '../../../src/gateway/server.ts';
import { createLog } from '../../../src/platform/telemetry/log.ts';
import { NO_THEMES } from '../../browser/stage.ts';
import { PLAYER_PAGE } from '../../browser/built-page.ts';
import { SECRET } from '../../support/client.ts';
import { openRedis, stockRain } from '../../support/rain.ts';
import { openGateway } from '../../support/servers/gateway.ts';
import { Phone } from './phone.ts';

const PHONES = 200;
const COUNTDOWN_MS = 15_000;

const { server, redis } = await openRedis();
let gateway: Gateway;
let party: Console;
beforeAll(async () => {
  gateway = await openGateway(server.url);
  party = await startConsole({
    host: '127.0.0.1',
    port: 0,
    gatewayUrl: gateway.url,
    pageFolder: PLAYER_PAGE,
    log: createLog('console', 'silent'),
    theme: NO_THEMES,
    guestsAre: 'device',
    event: 'Annual party',
    entry: {
      guests: createGuestTokens({ secret: SECRET }),
      tokens: createEntryTokens({ secret: SECRET }),
      screens: true,
    },
  });
});
afterAll(async () => {
  await party?.close();
  await gateway?.close();
});

function phones(count: number): Phone[] {
  const all = Array.from({ length: count }, () => new Phone(party.url));
  onTestFinished(() => {
    for (const phone of all) phone.close();
  });
  return all;
}

test('[R10] 200 phones of a party behind one address are all in within the countdown, and each wins its packet; the page loaded again is no new guest', async () => {
  await stockRain(redis, {
    rainId: 'party',
    amounts: Array.from({ length: PHONES }, () => '1.00'),
    opensInMs: COUNTDOWN_MS,
  });
  const hall = phones(PHONES);
  const began = performance.now();
  const players = await Promise.all(
    hall.map(async (phone) => {
      await phone.load();
      // The screen locks, and the page is loaded again.
      for (let loads = 0; loads < 3; loads++) await phone.enter();
      return phone.token === undefined ? undefined : phone.connect(gateway.url);
    }),
  );
  expect(hall.flatMap(({ refused }) => refused)).toEqual([]);
  expect(performance.now() - began).toBeLessThan(COUNTDOWN_MS);
  const outcomes = await Promise.all(
    players.map(async (player) => {
      player!.say({ type: 'join', rainId: 'party' });
      while ((await player!.next('rain')).state !== 'open');
      player!.say({ type: 'grab', rainId: 'party', ref: '1' });
      return (await player!.next('result')).code;
    }),
  );
  expect(outcomes).toEqual(outcomes.map(() => '0'));
  await Promise.all(players.map((player) => player!.leave()));
}, 60_000);

test('[R10] 500 more get in, and open the page again; a flood of invented guests does not, and is told when to come again', async () => {
  const one = phones(1)[0]!;
  const guests = async (count: number, body: object = {}) => {
    const answers = await Promise.all(Array.from({ length: count }, () => one.ask('/api/guest', body)));
    return answers.filter((answer) => answer?.status === 200).length;
  };
  await one.enter();
  expect(await guests(500, { name: 'Anna' })).toBe(500);
  expect(await guests(1_000, { token: one.token })).toBe(1_000);
  expect(await guests(1_000)).toBeLessThan(400);
  expect(one.refused.every(({ status, retryAfter }) => status === 429 && Number(retryAfter) >= 1)).toBe(true);
  expect(await guests(1, { token: one.token }), 'a guest who is known').toBe(1);
  expect((await one.ask('/api/screen', {}))?.status).toBe(200);
});
