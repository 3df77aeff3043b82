import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { createRainClient } from '../../src/client/client.ts';
import type { Gateway } from '../../src/gateway/server.ts';
import type { ResultMessage } from '../../src/protocol/messages.ts';
import { signToken } from '../../src/platform/auth/token.ts';
import { tokenFor } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/freePort.ts';
import { openGateway } from '../support/servers/gateway.ts';
import { testClient, type TestClient } from '../support/rainClient.ts';
import { openRedis, stockRain } from '../support/rain.ts';
import { scriptedGateway, welcomeOf } from '../support/servers/scriptedGateway.ts';

const OTHER_SECRET = 'another-secret-for-tests-0123456789abcd';
const links = (client: TestClient) => client.heard('link').map(({ link }) => link);

describe('at a real gateway', async () => {
  const { server, redis } = await openRedis();
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await openGateway(server.url);
  });
  afterAll(() => gateway.close());

  test('[R9] an invalid token rejects with the reason from the table of codes', async () => {
    const ann = await testClient(gateway.url, 'ann', { token: 'e30.e30.e30' });
    await expect(ann.connect()).rejects.toMatchObject({
      name: 'RainRefused',
      code: 'unauthorized',
      message: 'The token is missing or not valid.',
    });
    expect(ann.heard('link')).toEqual([{ link: 'connecting' }, { link: 'refused', code: 'unauthorized' }]);
  });

  test('a wrong address, a token with invalid characters, and no token reject, each with its reason', async () => {
    const elsewhere = await testClient(gateway.url.replace('/v1', '/elsewhere'), 'ann');
    await expect(elsewhere.connect()).rejects.toMatchObject({ code: 'not_found' });
    const unsayable = await testClient(gateway.url, 'ann', { token: 'not a token' });
    await expect(unsayable.connect()).rejects.toMatchObject({ code: 'bad_token' });
    const nobody = await testClient(gateway.url, 'ann', { token: async () => undefined });
    await expect(nobody.connect()).rejects.toMatchObject({ code: 'no_token' });
    expect(nobody.link).toBe('no_token');
  });

  test('[R10] more rains than a socket may join are refused by the reason for it', async () => {
    const narrow = await openGateway(server.url, { limits: { joinsPerSocketMax: 1 } });
    onTestFinished(() => narrow.close());
    for (const rainId of ['one', 'two']) await stockRain(redis, { rainId, amounts: ['1.00'] });
    const ann = await testClient(narrow.url, 'ann');
    await ann.connect();
    expect(await ann.join('one')).toMatchObject({ kind: 'joined' });
    expect(await ann.join('two')).toMatchObject({ kind: 'refused', code: 'not_allowed' });
  });

  test('after a refusal the same client can connect with a better token', async () => {
    const tokens = ['e30.e30.e30', await tokenFor('ann')];
    const ann = await testClient(gateway.url, 'ann', { token: async () => tokens.shift() });
    await expect(ann.connect()).rejects.toMatchObject({ code: 'unauthorized' });
    expect(await ann.connect()).toMatchObject({ userId: 'ann' });
  });

  test('[R9] an expired token is replaced automatically, and the user stays the same', async () => {
    await stockRain(redis, { rainId: 'refreshed', amounts: ['1.00'] });
    let fetched = 0;
    const ann = await testClient(gateway.url, 'ann', { token: () => tokenFor('ann', fetched++ === 0 ? 2 : 3_600) });
    await ann.connect();
    await ann.join('refreshed');
    await eventually(() => ann.heard('welcome').length === 2);
    expect(fetched).toBe(2);
    expect(ann.userId).toBe('ann');
    expect(await ann.grab('refreshed')).toMatchObject({ kind: 'won' });
  });

  test('a token that ran out while the line was down is replaced rather than refused', async () => {
    const port = await freePort();
    const first = await openGateway(server.url, { port });
    onTestFinished(() => first.close());
    const tokens = [await tokenFor('ann'), await signToken(OTHER_SECRET, { sub: 'ann', expiresInSeconds: 3_600 })];
    let fetched = 0;
    const ann = await testClient(first.url, 'ann', { token: async () => tokens[fetched++] });
    await ann.connect();
    await first.close();
    // Its successor knows the first token no more: as if it had run out.
    const second = await openGateway(server.url, { port, token: { secret: OTHER_SECRET } });
    onTestFinished(() => second.close());
    await eventually(() => ann.heard('welcome').length === 2);
    expect(fetched).toBe(2);
    expect(links(ann)).not.toContain('refused');
  });

  test('after a goodbye the client reconnects at the requested time, not before, and reports no fault', async () => {
    await stockRain(redis, { rainId: 'restarted', amounts: ['1.00'] });
    const port = await freePort();
    const first = await openGateway(server.url, {
      port,
      limits: { reconnectMsMin: 700, reconnectWindowMsMin: 100, reconnectWindowMsMax: 100 },
    });
    const ann = await testClient(first.url, 'ann');
    await ann.connect();
    await ann.join('restarted');
    const [told, back] = await reconnect(ann, async () => {
      await first.close();
      const second = await openGateway(server.url, { port });
      onTestFinished(() => second.close());
    });
    const asked = ann.heard('goodbye')[0]!.reconnectInMs;
    expect(asked).toBeGreaterThanOrEqual(700);
    expect(back - told).toBeGreaterThanOrEqual(asked - 5);
    expect(links(ann)).toEqual(['connecting', 'up', 'away', 'up']);
    expect(await ann.grab('restarted')).toMatchObject({ kind: 'won' });
  });
});

/** When the goodbye was told, and the next welcome. */
async function reconnect(client: TestClient, restart: () => Promise<void>): Promise<[number, number]> {
  let told = 0;
  const gone = client.on('goodbye', () => {
    told = performance.now();
  });
  const back = new Promise<number>((resolve) => client.on('welcome', () => resolve(performance.now())));
  await restart();
  const at = await back;
  gone();
  return [told, at];
}

test('the clock follows the server, independent of the local clock, right after the first pings', async () => {
  const aheadMs = 3_600_000;
  const gateway = await scriptedGateway(
    ({ say }) => say(welcomeOf('ann', 1)),
    (message, { say }) => {
      if (message.type === 'ping') say({ type: 'pong', t: message.t, serverTime: Date.now() + aheadMs });
    },
  );
  // Our own clock counts from anywhere.
  const ann = await testClient(gateway.url, 'ann', { now: () => performance.now() + 77_000 });
  await ann.connect();
  await eventually(() => Math.abs(ann.serverNow() - Date.now() - aheadMs) < 50);
});

test('a frame that is none of the protocol, and a message of a newer server, disturb nothing', async () => {
  const gateway = await scriptedGateway(({ say }) => {
    for (const frame of ['', 'null', '7', '<html>', '[]', '{"type":"firework"}', '{}']) say(frame);
    say(welcomeOf('ann'));
  });
  const ann = await testClient(gateway.url, 'ann');
  expect(await ann.connect()).toMatchObject({ userId: 'ann' });
  expect(ann.heard('error')).toEqual([]);
});

test('a code of a newer server ends a grab as unknown, with its code and reason', async () => {
  const gateway = await scriptedGateway(
    ({ say }) => say(welcomeOf('ann')),
    (message, { say }) => {
      if (message.type === 'grab')
        say({
          type: 'result',
          rainId: 'r1',
          ref: message.ref!,
          code: '-99' as ResultMessage['code'],
          reason: 'moon_phase',
        });
    },
  );
  const ann = await testClient(gateway.url, 'ann');
  await ann.connect();
  expect(await ann.grab('r1')).toEqual({ kind: 'unknown', code: '-99', reason: 'moon_phase' });
});

test('[R9] when another user reconnects, the pending grab and the win of the first user are dropped', async () => {
  const gateway = await scriptedGateway(
    ({ index, say, close }) => {
      say(welcomeOf(index === 0 ? 'ann' : 'bob'));
      if (index === 0) setTimeout(() => close(4408), 50);
    },
    (message, { index, say }) => {
      if (message.type === 'join' && message.rainId === 'had' && index === 0)
        say({
          type: 'result',
          rainId: 'had',
          code: '1',
          reason: 'already_claimed',
          redPacketId: 'had-0',
          amount: '1.00',
        });
      if (message.type === 'grab' && index === 1)
        say({ type: 'result', rainId: message.rainId, ref: message.ref!, code: '-1', reason: 'nothing_left' });
    },
  );
  const client = await testClient(gateway.url, 'ann');
  await client.connect();
  void client.join('had');
  expect(await client.grab('r1')).toEqual({ kind: 'unanswered' });
  expect(client.userId).toBe('bob');
  expect(gateway.heard.filter(({ type }) => type === 'grab')).toHaveLength(1);
  expect(client.heard('won')).toHaveLength(1);
  expect(await client.grab('had')).toEqual({ kind: 'nothing_left' });
});

test('a final close ends everything and reports the reason', async () => {
  const gateway = await scriptedGateway(({ say, close }) => {
    say(welcomeOf('ann'));
    setTimeout(() => close(4403), 50);
  });
  const ann = await testClient(gateway.url, 'ann');
  await ann.connect();
  expect(await ann.grab('r1')).toEqual({ kind: 'unanswered' });
  expect(ann.heard('link').at(-1)).toEqual({ link: 'refused', code: 'blocked' });
  expect(gateway.comes).toHaveLength(1);
});

test('[R10] an unreachable gateway is retried with growing pauses, until the client is closed', async () => {
  let dials = 0;
  class Unreachable extends WebSocket {
    constructor(url: string, protocols: string[]) {
      super(url, protocols);
      dials++;
    }
  }
  const ann = await testClient(`ws://127.0.0.1:${await freePort()}/v1`, 'ann', {
    WebSocket: Unreachable,
    random: () => 0,
  });
  const connected = ann.connect();
  await eventually(() => dials === 3);
  expect(links(ann)).toEqual(['connecting']);
  ann.close();
  await expect(connected).rejects.toMatchObject({ code: 'closed' });
  expect(ann.link).toBe('idle');
});

test('a gateway that has gone silent without a goodbye is dialled anew', async () => {
  let later = 0;
  const silent = await scriptedGateway(({ say }) => say(welcomeOf('ann')));
  const ann = await testClient(silent.url, 'ann', { now: () => performance.now() + later });
  await ann.connect();
  await eventually(() => silent.heard.length > 0);
  later = 11_000;
  await eventually(() => silent.comes.length === 2);
  await eventually(() => expect(links(ann)).toEqual(['connecting', 'up', 'lost', 'up']));
});

test('connecting can be given up, and is then tried no more', async () => {
  const ann = await testClient(`ws://127.0.0.1:${await freePort()}/v1`, 'ann');
  const stop = new AbortController();
  const connected = ann.connect({ signal: stop.signal });
  stop.abort(new Error('never mind'));
  await expect(connected).rejects.toThrow('never mind');
  expect(ann.link).toBe('idle');
});

test('[R12] an invalid address or a missing WebSocket is refused before any connect, by name', () => {
  const options = { token: 'x', WebSocket };
  for (const url of ['', 'rain.example', 'https://rain.example/v1'])
    expect(() => createRainClient({ ...options, url }), url).toThrow(/^url: expected a ws:\/\/ or wss:\/\/ address/);
  vi.stubGlobal('WebSocket', undefined);
  onTestFinished(() => void vi.unstubAllGlobals());
  expect(() => createRainClient({ token: 'x', url: 'ws://rain.example/v1' })).toThrow(/^WebSocket: missing/);
});
