import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { PlayerOptions } from '../../../src/console/player/routes.ts';
import { startConsole, type Console } from '../../../src/console/server.ts';
import { createLog } from '../../../src/platform/telemetry/log.ts';
import { signToken } from '../../../src/platform/auth/token.ts';
import { createTokenReader } from '../../../src/platform/auth/tokenReader.ts';
import { placeText, type WalletStatement } from '../../../src/wallet/walletStatement.ts';
import { SECRET, tokenFor } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';

let pageFolder: string;
let testConsole: Console | undefined;
beforeAll(() => {
  pageFolder = mkdtempSync(join(tmpdir(), 'rain-test-page-'));
  writeFileSync(join(pageFolder, 'index.html'), '<!doctype html>');
});
afterAll(() => rmSync(pageFolder, { recursive: true, force: true }));
afterEach(() => testConsole?.close());

const WALLET: WalletStatement = { userId: 'ann', wallet: '1.00', pending: '0.00', packets: [], settled: true };
let asked: unknown[][] = [];

async function start(options: Partial<PlayerOptions> = {}): Promise<string> {
  asked = [];
  testConsole = await startConsole({
    host: '127.0.0.1',
    port: 0,
    gatewayUrl: 'ws://127.0.0.1:8687/v1',
    pageFolder,
    log: createLog('console', 'silent'),
    player: {
      readToken: createTokenReader({ secret: SECRET }, Date.now),
      allowedOrigins: ['https://shop.example'],
      openWalletStatement: async (...question) => {
        asked.push(question);
        return { ...WALLET, userId: question[0] };
      },
      leaderboard: async (rainId) => (rainId === 'gone' ? undefined : { rainId, luckiest: [], final: false }),
      ...options,
    },
  });
  return testConsole.url;
}
const ask = async (url: string, userId: string, path = '/api/me', headers: Record<string, string> = {}) =>
  fetch(url + path, { headers: { authorization: `Bearer ${await tokenFor(userId)}`, ...headers } });

describe('the wallet of a player', () => {
  test('[R9] is sent to the bearer of the token, is never cached, and the user comes from the token only', async () => {
    const answer = await ask(await start(), 'ann');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(await answer.json()).toEqual(WALLET);
    expect(asked).toEqual([['ann', undefined, 20]]);
  });

  test.each([
    ['no token', async () => undefined],
    ['a token of another secret', () => signToken(`${SECRET}!`, { sub: 'ann', expiresInSeconds: 60 })],
    ['a token that has run out', () => signToken(SECRET, { sub: 'ann', expiresInSeconds: 60 }, Date.now() - 120_000)],
    ['a token that names nobody', () => signToken(SECRET, { sub: '', expiresInSeconds: 60 })],
    ['a token of a megabyte', async () => 'x'.repeat(10_000)],
  ])('[R9] is told to nobody with %s', async (_what, tokenOf) => {
    const url = await start();
    const token = await tokenOf();
    const answer = await fetch(`${url}/api/me`, {
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    expect(await answer.json()).toEqual({ code: 'no_token', reason: expect.any(String) });
    expect(asked).toEqual([]);
  });

  test('comes in pages of any size', async () => {
    const url = await start();
    const cursor = placeText({ postedAt: 1_795_000_000_123, redPacketId: 'r 1-7' });
    expect((await ask(url, 'ann', `/api/me?limit=100&cursor=${cursor}`)).status).toBe(200);
    expect(asked).toEqual([['ann', { postedAt: 1_795_000_000_123, redPacketId: 'r 1-7' }, 100]]);
  });

  test.each([
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=x', 'limit'],
    ['cursor=', 'cursor'],
    ['cursor=Zm9v', 'cursor'],
    [`cursor=${'a'.repeat(900)}`, 'cursor'],
    ['userId=bob', 'request'],
  ])('[R12] ?%s is refused, by name', async (query, field) => {
    const answer = await ask(await start(), 'ann', `/api/me?${query}`);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toEqual({
      code: 'bad_request',
      reason: expect.stringContaining(field),
      refusals: [{ field, reason: expect.any(String) }],
    });
    expect(asked).toEqual([]);
  });

  test('[R10] a user with too many requests is refused for a while, other users of the address are not', async () => {
    const url = await start({ perMinutePerUser: 5 });
    const statuses: number[] = [];
    for (let i = 0; i < 7; i++) statuses.push((await ask(url, 'ann')).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429]);
    const refused = await ask(url, 'ann');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await refused.json()).toMatchObject({ code: 'too_often' });
    expect((await ask(url, 'bob')).status).toBe(200);
  });

  test('[R10] a request above the limit is told to retry, and is served when the others are done', async () => {
    const working: (() => void)[] = [];
    const url = await start({
      answersAtOnceMax: 1,
      openWalletStatement: (userId) =>
        new Promise((resolve) => {
          working.push(() => resolve({ ...WALLET, userId }));
        }),
    });
    const first = ask(url, 'ann');
    await eventually(() => expect(working).toHaveLength(1));
    const second = await ask(url, 'bob');
    expect([second.status, await second.json()]).toMatchObject([503, { code: 'busy' }]);
    expect(Number(second.headers.get('retry-after'))).toBeGreaterThan(0);
    working[0]!();
    expect(await (await first).json()).toMatchObject({ userId: 'ann' });
    const third = ask(url, 'bob');
    await eventually(() => expect(working).toHaveLength(2));
    working[1]!();
    expect(await (await third).json()).toMatchObject({ userId: 'bob' });
  });

  test('is "unavailable" without the ledger, with a time to retry and without the error\'s text', async () => {
    const answer = await ask(
      await start({ openWalletStatement: () => Promise.reject(new Error('password of the database')) }),
      'ann',
    );
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('2');
    expect(await answer.json()).toEqual({ code: 'unavailable', reason: expect.not.stringContaining('password') });
  });
});

describe('the luckiest', () => {
  test('[R10] rains that one phone invents keep its hall from none that is there', async () => {
    const url = await start({
      leaderboard: async (rainId) => (rainId === 'spring' ? { rainId, luckiest: [], final: false } : undefined),
    });
    const askFor = async (rainId: string) => (await fetch(`${url}/api/rains/${rainId}/luckiest`)).status;
    const invented = Array.from({ length: 100 }, (_, n) => askFor(`invented-${n}`));
    await Promise.all(invented.slice(0, 70));
    expect(await askFor('spring')).toBe(200);
    expect(new Set(await Promise.all(invented))).toEqual(new Set([404]));
  });

  test('a crowd behind one address that asks for one hidden rain keeps nobody from the others', async () => {
    const url = await start({
      leaderboard: async (rainId) => (rainId === 'spring' ? { rainId, luckiest: [], final: false } : undefined),
    });
    const askFor = async (rainId: string) => (await fetch(`${url}/api/rains/${rainId}/luckiest`)).status;
    expect(new Set(await Promise.all(Array.from({ length: 70 }, () => askFor('hidden'))))).toEqual(new Set([404]));
    expect(await askFor('spring')).toBe(200);
  });

  test('[R10] look-ups of one address that wait for their turn keep no place of a wallet', async () => {
    let finish = () => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const asking = new Set<string>();
    const url = await start({
      answersAtOnceMax: 5,
      leaderboard: async (rainId) => {
        asking.add(rainId);
        await finished;
        return undefined;
      },
    });
    const invented = Array.from({ length: 50 }, (_, n) => fetch(`${url}/api/rains/invented-${n}/luckiest`));
    await eventually(() => expect(asking.size).toBe(4));
    for (let i = 0; i < 20; i++) await fetch(`${url}/healthz`);
    expect((await ask(url, 'ann')).status).toBe(200);
    expect(asking.size).toBe(4);
    finish();
    expect(new Set((await Promise.all(invented)).map(({ status }) => status))).toEqual(new Set([404]));
  });

  test('are public', async () => {
    const answer = await fetch(`${await start()}/api/rains/spring/luckiest`);
    expect(answer.headers.get('cache-control')).toBe('public, max-age=1');
    expect(await answer.json()).toEqual({ rainId: 'spring', luckiest: [], final: false });
  });

  test('[R12] of an unknown rain or an invalid id are refused', async () => {
    const url = await start();
    const gone = await fetch(`${url}/api/rains/gone/luckiest`);
    expect([gone.status, gone.headers.get('cache-control'), await gone.json()]).toEqual([
      404,
      'no-store',
      { code: 'no_such_rain', reason: expect.any(String) },
    ]);
    const odd = await fetch(`${url}/api/rains/a.b/luckiest`);
    expect([odd.status, await odd.json()]).toEqual([
      400,
      {
        code: 'bad_request',
        reason: expect.stringContaining('rainId'),
        refusals: [{ field: 'rainId', reason: expect.any(String) }],
      },
    ]);
  });
});

describe('pages of other origins', () => {
  const preflight = (url: string, origin: string) =>
    fetch(`${url}/api/me`, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'GET', 'access-control-request-headers': 'authorization' },
    });

  test('that are allowed may send requests, with a token and without cookies', async () => {
    const url = await start();
    const before = await preflight(url, 'https://shop.example');
    expect(before.status).toBe(204);
    expect(before.headers.get('access-control-allow-origin')).toBe('https://shop.example');
    expect(before.headers.get('access-control-allow-headers')).toBe('authorization');
    const answer = await ask(url, 'ann', '/api/me', { origin: 'https://shop.example' });
    expect(answer.headers.get('access-control-allow-origin')).toBe('https://shop.example');
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
    // Refusals are readable, too, so that a page can show the reason.
    const refused = await fetch(`${url}/api/me`, { headers: { origin: 'https://shop.example' } });
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([401, 'https://shop.example']);
  });

  test('that are not allowed cannot read the answer, and no cache mixes the origins up', async () => {
    const url = await start();
    for (const answer of [
      await preflight(url, 'https://evil.example'),
      await ask(url, 'ann', '/api/me', { origin: 'https://evil.example' }),
    ]) {
      expect(answer.headers.get('access-control-allow-origin')).toBeNull();
      expect(answer.headers.get('vary')).toBe('origin');
    }
  });
});

test('a console without a ledger has none of it', async () => {
  testConsole = await startConsole({
    host: '127.0.0.1',
    port: 0,
    gatewayUrl: 'ws://127.0.0.1:8687/v1',
    pageFolder,
    log: createLog('console', 'silent'),
  });
  expect((await fetch(`${testConsole.url}/api/me`)).status).toBe(404);
});
