import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { decodeJwt } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createGuestTokens } from '../../src/console/guests.ts';
import { startConsole, type Console, type ConsoleOptions } from '../../src/console/server.ts';
import { createLog } from '../../src/platform/telemetry/log.ts';
import { eventually } from '../support/eventually.ts';

const guests = createGuestTokens({ secret: 'a secret of at least thirty-two characters' });
const PAGE = '<!doctype html><title>a page</title>';
let pageFolder: string;
let testConsole: Console | undefined;

beforeAll(() => {
  pageFolder = mkdtempSync(join(tmpdir(), 'rain-test-page-'));
  mkdirSync(join(pageFolder, 'assets'));
  writeFileSync(join(pageFolder, 'index.html'), PAGE);
  writeFileSync(join(pageFolder, 'assets', 'main-1a2b3c.js'), 'export {};');
});
afterAll(() => rmSync(pageFolder, { recursive: true, force: true }));
afterEach(() => testConsole?.close());

async function start(options: Partial<ConsoleOptions> = {}): Promise<string> {
  testConsole = await startConsole({
    host: '127.0.0.1',
    port: 0,
    gatewayUrl: 'ws://127.0.0.1:8687/v1',
    pageFolder,
    log: createLog('console', 'silent'),
    ...options,
  });
  return testConsole.url;
}

/** So that no limit refills while a busy machine sends requests one after another. */
function stopClock(): void {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
}

const postGuest = (url: string, body?: string, type = 'application/json') =>
  fetch(`${url}/api/guest`, { method: 'POST', ...(body !== undefined && { body, headers: { 'content-type': type } }) });

describe('the page', () => {
  test('is served with headers that restrict it to its own servers', async () => {
    const answer = await fetch(`${await start({ pictureOrigins: ['https://img.example'] })}/?rain=spring`);
    expect(await answer.text()).toBe(PAGE);
    expect(answer.headers.get('content-type')).toMatch(/^text\/html/);
    expect(answer.headers.get('cache-control')).toBe('no-cache');
    const policy = answer.headers.get('content-security-policy')!.split('; ');
    expect(policy).toEqual(
      expect.arrayContaining(["default-src 'none'", "script-src 'self'", "connect-src 'self' ws://127.0.0.1:8687"]),
    );
    expect(policy).toContain("img-src 'self' https://img.example");
    expect(policy.join(' '), 'no scheme alone, which would be every server there is').not.toMatch(
      / (wss?|https?):( |$)/,
    );
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    const other = await fetch(`${testConsole!.url}/healthz`);
    expect(
      other.headers.get('content-security-policy')!.split('; '),
      'only the page of buyers shows pictures of shops',
    ).toContain("img-src 'self'");
  });

  test('has assets that a browser may cache, because their names change with their content', async () => {
    const answer = await fetch(`${await start()}/assets/main-1a2b3c.js`);
    expect(answer.headers.get('content-type')).toMatch(/javascript/);
    expect(answer.headers.get('cache-control')).toContain('immutable');
  });

  test('is sent compressed to whoever takes it so, with the same headers, and plain to others', async () => {
    writeFileSync(join(pageFolder, 'index.html.gz'), gzipSync(PAGE));
    writeFileSync(join(pageFolder, 'assets', 'main-1a2b3c.js.br'), brotliCompressSync('1'));
    const url = await start();
    const [small, plain] = (await Promise.all(
      ['gzip', 'identity'].map((encoding) =>
        fetch(`${url}/?rain=spring`, { headers: { 'accept-encoding': encoding } }),
      ),
    )) as [Response, Response];
    expect([
      await small.text(),
      small.headers.get('content-encoding'),
      await plain.text(),
      plain.headers.get('content-encoding'),
    ]).toEqual([PAGE, 'gzip', PAGE, null]);
    for (const name of [
      'content-security-policy',
      'content-type',
      'cache-control',
      'vary',
      'x-content-type-options',
      'referrer-policy',
    ]) {
      expect(small.headers.get(name), name).not.toBeNull();
      expect(small.headers.get(name), name).toBe(plain.headers.get(name));
    }
    const script = await fetch(`${url}/assets/main-1a2b3c.js`, { headers: { 'accept-encoding': 'gzip, br' } });
    expect([script.headers.get('content-encoding'), script.headers.get('cache-control')]).toEqual([
      'br',
      expect.stringContaining('immutable'),
    ]);
    expect(script.headers.get('content-type')).toMatch(/javascript/);
  });

  test.each(['/../../etc/passwd', '//etc/passwd', '/assets/..%2f..%2fpackage.json', '/index.html%00.css', '/nothing'])(
    'has nothing at %s, and the refusal says no more',
    async (path) => {
      const { port } = new URL(await start());
      const [answer] = (await once(request({ host: '127.0.0.1', port, path }).end(), 'response')) as [IncomingMessage];
      expect([answer.statusCode, await json(answer)]).toEqual([
        404,
        { code: 'not_found', reason: 'Nothing exists at this address.' },
      ]);
    },
  );

  test('[R10] who asks many times without waiting, and hangs up, leaves no file open', async () => {
    writeFileSync(join(pageFolder, 'assets', 'large-1a2b3c.css'), 'a'.repeat(200_000));
    const { port } = new URL(await start());
    const openFiles = () => readdirSync('/proc/self/fd').length;
    await Promise.all([1, 2].map(async () => (await fetch(`${testConsole!.url}/assets/large-1a2b3c.css`)).text()));
    const before = openFiles();
    const sockets = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const socket = connect(Number(port), '127.0.0.1').on('error', () => {});
        await once(socket, 'connect');
        socket.write('GET /assets/large-1a2b3c.css HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'.repeat(60));
        return socket;
      }),
    );
    await Promise.all(sockets.map((socket) => once(socket, 'data')));
    for (const socket of sockets) socket.destroy();
    await eventually(() => expect(openFiles()).toBeLessThan(before + 20), { timeoutMs: 3_000 });
  });

  test('the second request that does not wait for its answer ends the connection after the first', async () => {
    const { port } = new URL(await start());
    const socket = connect(Number(port), '127.0.0.1').on('error', () => {});
    let heard = '';
    socket.on('data', (chunk) => {
      heard += String(chunk);
    });
    socket.write('GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'.repeat(3));
    await once(socket, 'close');
    expect(heard.match(/HTTP\/1.1 200/g)).toHaveLength(1);
    const waiting = connect(Number(port), '127.0.0.1');
    for (let i = 0; i < 3; i++) {
      waiting.write('GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
      expect(
        String(((await once(waiting, 'data')) as [Buffer])[0]),
        'who waits is answered on one connection',
      ).toContain('200 OK');
    }
    waiting.destroy();
  });

  test('a redirect stays below the path at which a proxy serves the console', async () => {
    mkdirSync(join(pageFolder, 'console'), { recursive: true });
    const url = await start({ consoleFolder: join(pageFolder, 'console') });
    const leads = async (from: string, site: string) => {
      const { headers } = await fetch(`${url}/${from}`, { redirect: 'manual' });
      return new URL(headers.get('location')!, site + from).href;
    };
    for (const site of ['http://rain.example/', 'http://example/below/a/path/']) {
      expect(await leads('hall/spring', site)).toBe(`${site}hall?rain=spring`);
      expect(await leads('hall/no%20rain', site)).toBe(`${site}hall`);
      expect(await leads('console', site)).toBe(`${site}console/`);
    }
  });

  test('that is not built is a clear error at start', async () => {
    await expect(start({ pageFolder: join(pageFolder, 'assets') })).rejects.toThrow(/page is not built/);
  });
});

describe('the console', () => {
  test('reports its health', async () => {
    expect(await (await fetch(`${await start()}/healthz`)).json()).toEqual({ status: 'ok' });
  });

  test("sends the page the gateway's address and what a guest is, if there are any", async () => {
    const url = await start();
    expect(await (await fetch(`${url}/api/config`)).json()).toEqual({
      gatewayUrl: 'ws://127.0.0.1:8687/v1',
      currency: 'CNY',
    });
    await testConsole!.close();
    expect(
      await (
        await fetch(
          `${await start({ entry: { guests }, guestsAre: 'device', event: 'Party', hidesNames: true, currency: 'EUR' })}/api/config`,
        )
      ).json(),
    ).toMatchObject({ guests: 'device', event: 'Party', hidesNames: true, currency: 'EUR' });
  });

  test('sends a phone in the same network the host name that the phone used', async () => {
    const question = request(`${await start()}/api/config`, { headers: { host: '192.168.1.20:8686' } }).end();
    const [answer] = await once(question, 'response');
    expect(await json(answer)).toMatchObject({ gatewayUrl: 'ws://192.168.1.20:8687/v1' });
  });

  test('a port that is in use is reported as EADDRINUSE', async () => {
    const port = Number(new URL(await start()).port);
    await expect(
      startConsole({
        host: '127.0.0.1',
        port,
        gatewayUrl: 'ws://127.0.0.1/v1',
        pageFolder,
        log: createLog('console', 'silent'),
      }),
    ).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  test('[R10] closing does not wait for a browser that keeps its connection', async () => {
    const url = new URL(await start());
    const socket = connect(Number(url.port), url.hostname);
    socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(socket, 'data');
    const gone = once(socket, 'close');
    await testConsole!.close();
    await gone;
    await expect(fetch(url)).rejects.toThrow();
  });
});

describe('guests', () => {
  test('a demo issues a guest token that is never cached', async () => {
    const answer = await postGuest(await start({ entry: { guests } }));
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const guest = await answer.json();
    expect(guest).toEqual({
      token: expect.any(String),
      userId: expect.stringMatching(/^guest-/),
      expiresAt: expect.any(Number),
    });
    expect(decodeJwt(guest.token)).toMatchObject({ sub: guest.userId, exp: guest.expiresAt / 1000 });
  });

  test('a reloaded page stays the same guest', async () => {
    const url = await start({ entry: { guests } });
    const { token, userId } = await (await postGuest(url)).json();
    expect(await (await postGuest(url, JSON.stringify({ token }))).json()).toMatchObject({ userId });
  });

  test("a name is part of a new guest's id; what cannot be a name is refused, with the field and what was expected", async () => {
    const url = await start({ entry: { guests } });
    expect(await (await postGuest(url, JSON.stringify({ name: '  王小明\u202E ' }))).json()).toMatchObject({
      userId: expect.stringMatching(/^guest-王小明-[\w-]{12}$/),
    });
    for (const name of ['', '…', 'x'.repeat(21), 7]) {
      const answer = await postGuest(url, JSON.stringify({ name }));
      expect([answer.status, await answer.json()]).toEqual([
        400,
        expect.objectContaining({
          code: 'bad_request',
          refusals: [{ field: 'name', reason: expect.stringContaining('expected') }],
        }),
      ]);
    }
  });

  test('[R9] without demo mode no guest token is issued', async () => {
    const answer = await postGuest(await start());
    expect(answer.status).toBe(404);
    expect(await answer.json()).toEqual({ code: 'no_guests', reason: expect.any(String) });
  });

  test('[R10] an address that requests too many guest tokens is refused for a while, other addresses are not', async () => {
    stopClock();
    const url = await start({ entry: { guests } });
    const from = async (localAddress: string): Promise<number> => {
      const question = request(`${url}/api/guest`, { method: 'POST', localAddress }).end();
      const [answer] = await once(question, 'response');
      const body = await json(answer);
      if (answer.statusCode === 429) expect(body).toEqual({ code: 'too_many', reason: expect.any(String) });
      return answer.statusCode;
    };
    const statuses: number[] = [];
    for (let i = 0; i < 70; i++) statuses.push(await from('127.0.0.1'));
    expect(statuses.indexOf(429)).toBe(60);
    expect(statuses.slice(60).every((status) => status === 429)).toBe(true);
    expect(await from('127.0.0.2')).toBe(200);
  });

  test.each([
    ['whatever port the proxy writes to it', (i: number) => `203.0.113.7:${50_000 + i}`],
    ['within its own IPv6 network', (i: number) => `2001:db8:1:2::${i.toString(16)}`],
  ])('[R10] an address is limited as one %s', async (_what, address) => {
    stopClock();
    const url = await start({ entry: { guests }, requestOrigin: { trustedProxies: 1, secureCookies: 'auto' } });
    const ask = async (forwarded: string) =>
      (await fetch(`${url}/api/guest`, { method: 'POST', headers: { 'x-forwarded-for': forwarded } })).status;
    const statuses: number[] = [];
    for (let i = 0; i < 62; i++) statuses.push(await ask(address(i)));
    expect(statuses.indexOf(429)).toBe(60);
    expect(await ask('203.0.113.8')).toBe(200);
  });
});

describe('[R12] bad requests get a refusal with a code, and the console keeps working', () => {
  test.each([
    ['a body that is not JSON', '{', 'application/json', 400, 'bad_request'],
    ['a token that is not text', '{"token":7}', 'application/json', 400, 'bad_request'],
    ['a field nobody knows', '{"userId":"guest-me"}', 'application/json', 400, 'bad_request'],
    ['a prototype', '{"__proto__":{"token":"x"}}', 'application/json', 400, 'bad_request'],
    ['a list', '[]', 'application/json', 400, 'bad_request'],
    ['a form', 'token=x', 'application/x-www-form-urlencoded', 415, 'not_json'],
    ['plain text', '{"token":"x"}', 'text/plain', 415, 'not_json'],
    ['a body of 100 kB', JSON.stringify({ token: 'x'.repeat(100_000) }), 'application/json', 413, 'too_big'],
  ])('%s', async (_what, body, type, status, code) => {
    const url = await start({ entry: { guests } });
    const answer = await postGuest(url, body, type);
    expect(answer.status).toBe(status);
    const { refusals: _fields, ...refusal } = await answer.json();
    expect(refusal).toEqual({ code, reason: expect.any(String) });
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });

  test.each([
    ['an address that does not exist', '/no/such/page', 404, 'not_found'],
    ['a way out of the folder', '/..%2f..%2fetc/passwd', 404, 'not_found'],
    ['an address that cannot be decoded', '/%', 400, 'bad_request'],
    ['a verb that is not offered', '/api/guest', 404, 'not_found'],
  ])('%s', async (_what, path, status, code) => {
    const answer = await fetch((await start({ entry: { guests } })) + path);
    expect(answer.status).toBe(status);
    expect(await answer.json()).toEqual({ code, reason: expect.any(String) });
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  });
});
