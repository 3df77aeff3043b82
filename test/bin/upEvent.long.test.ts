import { rmSync } from 'node:fs';
import { WebSocket } from 'ws';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { lanAddresses } from '../../src/bin/up/event.ts';
import { BEARER_PREFIX, SUBPROTOCOL } from '../../src/protocol/constants.ts';
import { homeAt } from '../../src/platform/process/home.ts';
import { follow } from '../support/client.ts';
import { startEvent } from '../support/evening.ts';
import { memoryFolder } from '../support/runner/memoryFolder.ts';
import { layDatabase } from '../support/servers/pglite.ts';

const [LAN] = lanAddresses();

let home: string;
beforeAll(async () => {
  home = memoryFolder('rain-test-event-');
  // Like the home of an earlier start: creating a database takes longer than everything else.
  await layDatabase(homeAt(home));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

const signIn = (url: string, password: string) =>
  fetch(new URL('/api/console/session', url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'operator', password }),
  });

test.skipIf(LAN === undefined)(
  'phones in the network play as guests, the console stays on this machine, and a restart keeps password and sessions',
  { timeout: 180_000 },
  async () => {
    const first = await startEvent(home);
    expect(first.told).toContain('Annual party');
    expect(new URL(first.page).hostname).toBe(LAN);
    expect(first.told).toMatch(/[█▀▄]{10}/);

    const config = (await (await fetch(new URL('/api/config', first.page))).json()) as { gatewayUrl: string };
    expect(config).toEqual({
      gatewayUrl: expect.stringContaining(`ws://${LAN}:`) as string,
      currency: 'CNY',
      guests: 'device',
      event: 'Annual party',
    });
    const guest = (await (await fetch(new URL('/api/guest', first.page), { method: 'POST' })).json()) as {
      token: string;
      userId: string;
    };
    const phone = follow(new WebSocket(config.gatewayUrl, [SUBPROTOCOL, BEARER_PREFIX + guest.token]));
    expect(await phone.next('welcome')).toMatchObject({ userId: guest.userId });
    await phone.leave();

    for (const path of ['/console/', '/api/console/session', '/console/queues/'])
      expect((await fetch(new URL(path, first.page))).status, path).toBe(404);
    const { hostname, port } = new URL(first.console);
    expect(hostname).toBe('127.0.0.1');
    await expect(fetch(`http://${LAN}:${port}/healthz`)).rejects.toThrow('fetch failed');

    const signedIn = await signIn(first.console, first.password!);
    expect(await signedIn.json()).toMatchObject({ name: 'operator', playerPage: first.page });
    const cookie = signedIn.headers.getSetCookie()[0]!.split(';')[0]!;
    await first.end();

    const second = await startEvent(home);
    expect(second.password).toBeUndefined();
    expect(second.told).toContain('with the password of the first start');
    expect((await fetch(new URL('/api/console/session', second.console), { headers: { cookie } })).status).toBe(200);
    expect((await signIn(second.console, first.password!)).status).toBe(200);
  },
);

test.skipIf(LAN === undefined)(
  'asked for, the console can be opened from other devices, and a sentence says what plain HTTP means',
  { timeout: 180_000 },
  async () => {
    const event = await startEvent(home, '--console-on-lan');
    expect(event.told).toContain('over plain HTTP');
    expect(new URL(event.console).hostname).toBe(LAN);
    expect((await fetch(event.console)).status).toBe(200);
  },
);
