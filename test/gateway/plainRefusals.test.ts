import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Gateway } from '../../src/gateway/server.ts';
import { dial, tokenFor } from '../support/client.ts';
import { openGateway } from '../support/servers/gateway.ts';
import { openRedis } from '../support/rain.ts';

// Statements of docs/reference/protocol.md for authors of clients that no other test checks.

const { server } = await openRedis();
let gateway: Gateway;
beforeAll(async () => {
  gateway = await openGateway(server.url);
});
afterAll(() => gateway?.close());

async function ask(
  method: string,
  without: string[] = [],
  more: Record<string, string> = {},
): Promise<{ status: number; body: string }> {
  const whole: Record<string, string> = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    'sec-websocket-version': '13',
    'sec-websocket-protocol': 'rain.v1',
    authorization: `Bearer ${await tokenFor('ann')}`,
    ...more,
  };
  const headers = Object.fromEntries(Object.entries(whole).filter(([name]) => !without.includes(name)));
  const sent = request({ host: '127.0.0.1', port: gateway.port, path: '/v1', method, headers, agent: false }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode!, body: await text(response) };
}

test.each<[number, string, Parameters<typeof ask>]>([
  [405, 'another method', ['POST']],
  [400, 'no key', ['GET', ['sec-websocket-key']]],
  [400, 'a version that is none', ['GET', [], { 'sec-websocket-version': '7' }]],
  [426, 'no upgrade', ['GET', ['connection', 'upgrade']]],
  [431, 'a head that is too long', ['GET', [], { 'x-long': 'x'.repeat(17_000) }]],
])('[R12] %i without JSON for %s, as the protocol page says', async (status, _, question) => {
  const answer = await ask(...question);
  expect(answer.status).toBe(status);
  expect(() => JSON.parse(answer.body) as unknown).toThrow();
});

test('[R12] a refusal by the gateway itself is JSON', async () => {
  const answer = await ask('GET', ['authorization']);
  expect(answer.status).toBe(401);
  expect(JSON.parse(answer.body)).toMatchObject({ code: 401, reason: 'unauthorized' });
});

test('a join of an unknown rain is answered by a result, and a ref has at most 64 characters', async () => {
  const ann = await dial(gateway.url, 'ann');
  const welcome = await ann.next('welcome');
  expect(welcome.rains.filter((rain) => 'serverTime' in rain)).toEqual([]);
  ann.say({ type: 'join', rainId: 'nowhere' });
  const result = await ann.next('result');
  expect(result).toMatchObject({ rainId: 'nowhere', code: '-8' });
  expect('ref' in result).toBe(false);
  ann.say({ type: 'grab', rainId: 'nowhere', ref: 'x'.repeat(65) });
  expect(await ann.next('error')).toMatchObject({ code: 'bad_field' });
  ann.say({ type: 'grab', rainId: 'nowhere', ref: 'x'.repeat(64) });
  expect(await ann.next('result')).toMatchObject({ ref: 'x'.repeat(64), code: '-8' });
  await ann.leave();
});
