import { connect as connectTcp } from 'node:net';
import { once } from 'node:events';
import { afterAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { LIVE_RAINS_KEY } from '../../src/store/keys.ts';
import { signToken } from '../../src/platform/auth/token.ts';
import { dial, follow, SECRET, tokenFor, type Client } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { openGateway } from '../support/servers/gateway.ts';
import { dump, openRedis, stockRain } from '../support/rain.ts';

const { server, redis } = await openRedis();
await stockRain(redis, { rainId: 'r1', amounts: ['1.00', '2.00'] });
const gateway = await openGateway(server.url, {
  limits: { heartbeatMs: 300, pongMs: 300, socketsPerUserMax: 3, messagesPerSecondMax: 40 },
  allowedOrigins: ['https://gala.example'],
});
afterAll(() => gateway.close());

let strangers = 0;

/** After any input Redis is unchanged and the gateway still serves. */
async function unharmed(act: (client: Client) => Promise<void>): Promise<void> {
  const before = await dump(redis);
  // A new user each time, with a full token bucket.
  const client = await dial(gateway.url, `ann-${strangers++}`);
  await client.next('welcome');
  await act(client);
  client.socket.terminate();
  await client.closed;
  expect(await dump(redis)).toEqual(before);
  const other = await dial(gateway.url, 'bob');
  other.say({ type: 'ping', t: 1 });
  await other.next('pong');
  await other.leave();
}

describe('[R12] bad input at the socket gets a coded refusal and changes nothing', () => {
  const long = 'x'.repeat(1_000);
  test.each<[string, unknown, string, RegExp]>([
    ['not JSON', 'hello', 'not_json', /JSON/],
    ['an empty frame', '', 'not_json', /JSON/],
    ['an array', '[1,2]', 'not_json', /object/],
    ['a string', '"grab"', 'not_json', /object/],
    ['null', 'null', 'not_json', /object/],
    ['no type', {}, 'unknown_type', /join, grab, visit, buy, cancel, solution, receipt or ping/],
    ['an unknown type', { type: 'steal' }, 'unknown_type', /join, grab, visit, buy, cancel, solution, receipt or ping/],
    [
      'a type of Object.prototype',
      { type: 'constructor' },
      'unknown_type',
      /join, grab, visit, buy, cancel, solution, receipt or ping/,
    ],
    ['a grab without a rain', { type: 'grab' }, 'bad_field', /^rainId: /],
    ['a rain that is a number', { type: 'grab', rainId: 7 }, 'bad_field', /^rainId: .*string/],
    ['a rain that is an object', { type: 'join', rainId: { $ne: '' } }, 'bad_field', /^rainId: .*string/],
    [
      'a rain with braces',
      { type: 'grab', rainId: '{r1/0}:packets' },
      'bad_field',
      /^rainId: expected 1 to 64 letters/,
    ],
    ['a rain of 1,000 letters', { type: 'grab', rainId: long }, 'bad_field', /^rainId: /],
    ['a long ref', { type: 'grab', rainId: 'r1', ref: long }, 'bad_field', /^ref: /],
    ['a ref that is a number', { type: 'grab', rainId: 'r1', ref: 5 }, 'bad_field', /^ref: .*string/],
    ['a user in the message [R9]', { type: 'grab', rainId: 'r1', userId: 'bob' }, 'bad_field', /userId/],
    ['__proto__', '{"type":"grab","rainId":"r1","__proto__":{"userId":"bob"}}', 'bad_field', /__proto__/],
    ['a time that is no number', { type: 'ping', t: 'now' }, 'bad_field', /^t: .*number/],
    ['JSON nested 1,000 deep', '['.repeat(1_000) + ']'.repeat(1_000), 'not_json', /object/],
    ['a binary frame', Buffer.from('{"type":"ping","t":1}'), 'not_text', /text/],
  ])('%s', (_, message, code, reason) =>
    unharmed(async (client) => {
      client.say(message);
      const error = await client.next('error');
      expect(error.code).toBe(code);
      expect(error.reason).toMatch(reason);
      expect(error.reason.length).toBeLessThan(300);
    }),
  );

  test.each<[string, (client: Client) => void, number]>([
    ['1 MB', (client) => client.say('x'.repeat(1_000_000)), 1009],
    ['ids of 10,000 characters', (client) => client.say({ type: 'grab', rainId: 'x'.repeat(10_000) }), 1009],
    ['bad UTF-8', (client) => client.socket.send(Buffer.from([0x22, 0xc3, 0x28, 0x22]), { binary: false }), 1007],
    [
      'a frame with reserved bits',
      (client) =>
        (client.socket as unknown as { _socket: NodeJS.WritableStream })._socket.write(
          Buffer.from([0xf1, 0x80, 0, 0, 0, 0]),
        ),
      1002,
    ],
    [
      'nonsense again and again',
      (client) => {
        for (let i = 0; i < 25; i++) client.say('nonsense');
      },
      4429,
    ],
  ])('%s closes the socket with its code', (_, act, code) =>
    unharmed(async (client) => {
      act(client);
      expect(await client.closed).toBe(code);
    }),
  );

  test('[R10] more messages than tapping can send: a grab is refused as "too fast"', () =>
    unharmed(async (client) => {
      for (let i = 0; i < 60; i++) client.say({ type: 'grab', rainId: 'nowhere', ref: String(i) });
      const codes = [];
      for (let i = 0; i < 60; i++) codes.push((await client.next('result')).code);
      expect(codes.filter((code) => code === '-5').length).toBeGreaterThanOrEqual(1);
      expect(codes.filter((code) => code === '-8').length).toBeGreaterThanOrEqual(40);
    }));
});

describe('[R9] refused at the upgrade, before a socket exists', () => {
  /** HTTP status of the refusal, or `open`. */
  async function attempt(
    protocols: string[],
    headers: Record<string, string> = {},
    path = '/v1',
  ): Promise<number | 'open'> {
    const socket = new WebSocket(gateway.url.replace('/v1', path), protocols, { headers });
    const [status] = await Promise.race([
      once(socket, 'unexpected-response').then(([, response]) => [(response as { statusCode: number }).statusCode]),
      once(socket, 'open').then(() => ['open' as const]),
    ]);
    socket.on('error', () => {});
    socket.terminate();
    return status!;
  }
  const bearer = async (userId = 'eve') => ({ authorization: `Bearer ${await tokenFor(userId)}` });

  test('a native client with Authorization and a browser with bearer.<jwt> are admitted; only rain.v1 is echoed', async () => {
    expect(await attempt(['rain.v1'], await bearer())).toBe('open');
    expect(await attempt(['rain.v1', `bearer.${await tokenFor('eve')}`])).toBe('open');
    const client = await dial(gateway.url, 'eve');
    expect(client.socket.protocol).toBe('rain.v1');
    await client.leave();
  });

  test.each<[string, () => Promise<string>]>([
    ['no token at all', async () => ''],
    ['rubbish', async () => 'a.b.c'],
    ['another secret', () => signToken('another-secret-0123456789-0123456789', { sub: 'eve', expiresInSeconds: 60 })],
    ['an expired token', () => signToken(SECRET, { sub: 'eve', expiresInSeconds: -10 })],
    ['an empty user', () => signToken(SECRET, { sub: '', expiresInSeconds: 60 })],
    ['a user with a newline', () => signToken(SECRET, { sub: 'eve\n', expiresInSeconds: 60 })],
    [
      'alg none',
      async () =>
        `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from('{"sub":"eve","exp":9999999999}').toString('base64url')}.`,
    ],
  ])('%s → 401', async (_, token) => {
    const given = await token();
    expect(await attempt(['rain.v1'], given ? { authorization: `Bearer ${given}` } : {})).toBe(401);
  });

  test('a token in the URL is ignored', async () => {
    expect(await attempt(['rain.v1'], {}, `/v1?token=${await tokenFor('eve')}`)).toBe(401);
  });

  test('another path 404, another subprotocol 400, another origin 403, too many sockets of one user 403', async () => {
    expect(await attempt(['rain.v1'], await bearer(), '/other')).toBe(404);
    expect(await attempt(['chat'], await bearer())).toBe(400);
    expect(await attempt(['rain.v1'], { ...(await bearer()), origin: 'https://evil.example' })).toBe(403);
    expect(await attempt(['rain.v1'], { ...(await bearer()), origin: 'https://gala.example' })).toBe('open');
    const mine = [await dial(gateway.url, 'eve'), await dial(gateway.url, 'eve'), await dial(gateway.url, 'eve')];
    expect(await attempt(['rain.v1'], await bearer())).toBe(403);
    await Promise.all(mine.map((client) => client.leave()));
    await eventually(async () => expect(await attempt(['rain.v1'], await bearer())).toBe('open'));
  });

  test('[R10] a socket watches as many rains as allowed and no more, even if it joins all at once', async () => {
    for (const rainId of ['j1', 'j2', 'j3', 'j4']) await stockRain(redis, { rainId, amounts: ['1.00'] });
    const narrow = await openGateway(server.url, { limits: { joinsPerSocketMax: 2 } });
    const client = await dial(narrow.url, 'eve');
    for (const rainId of ['j1', 'j2', 'j3', 'j4']) client.say({ type: 'join', rainId });
    for (let n = 0; n < 2; n++) expect(await client.next('error')).toMatchObject({ code: 'not_allowed' });
    client.say({ type: 'join', rainId: 'r1' });
    expect(await client.next('error')).toMatchObject({ code: 'not_allowed' });
    await client.leave();
    await narrow.close();
    await redis.del(...(await redis.keys('rain:{j*')));
    await redis.hdel(LIVE_RAINS_KEY, 'j1', 'j2', 'j3', 'j4');
  });

  test('health: alive, ready, and 426 for a plain request', async () => {
    const http = gateway.url.replace('ws:', 'http:').replace('/v1', '');
    expect((await fetch(`${http}/healthz`)).status).toBe(200);
    expect((await fetch(`${http}/readyz`)).status).toBe(200);
    expect((await fetch(`${http}/v1`)).status).toBe(426);
  });
});

describe('heartbeat and expiring tokens', () => {
  test('a peer that no longer answers pings is disconnected', async () => {
    const socket = new WebSocket(gateway.url, ['rain.v1', `bearer.${await tokenFor('mute')}`], { autoPong: false });
    const client = follow(socket);
    expect(await client.closed).toBeOneOf([4408, 1006]);
    await eventually(() => gateway.sockets() === 0);
  });

  test('a socket is closed when its token expires', async () => {
    const socket = new WebSocket(gateway.url, ['rain.v1', `bearer.${await tokenFor('brief', 2)}`]);
    expect(await follow(socket).closed).toBe(4401);
  });

  test('a connection reset during the upgrade does no harm', async () => {
    for (let i = 0; i < 20; i++) {
      const tcp = connectTcp(gateway.port, '127.0.0.1');
      tcp.on('error', () => {});
      await once(tcp, 'connect');
      tcp.write(
        `GET /v1 HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: rain.v1, bearer.${await tokenFor('x')}\r\n\r\n`,
      );
      tcp.resetAndDestroy();
    }
    const client = await dial(gateway.url, 'ann');
    await client.leave();
  });
});
