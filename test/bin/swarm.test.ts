import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Gateway } from '../../src/gateway/server.ts';
import { SECRET } from '../support/client.ts';
import { callCli, rain } from '../support/call.ts';
import { freePort } from '../support/freePort.ts';
import { openGateway } from '../support/servers/gateway.ts';
import { openRedis } from '../support/rain.ts';

const { server } = await openRedis();
let gateway: Gateway;
beforeAll(async () => {
  gateway = await openGateway(server.url);
});
afterAll(() => gateway.close());

const swarm = (url: string, rainId: string, env: Record<string, string> = {}) =>
  rain(['swarm', '--url', url, '--rain', rainId, '--users', '3', '--json'], { JWT_SECRET: SECRET, ...env });
const refusal = (stdout: string) => JSON.parse(stdout) as unknown;

describe('[R12] a swarm that cannot play reports it in one sentence', () => {
  test('without a gateway: exit 3, before the bots give up', async () => {
    const at = `127.0.0.1:${await freePort()}`;
    const url = `ws://${at}/v1`;
    const sentence = `${url}: the gateway cannot be reached: connect ECONNREFUSED ${at}`;
    const run = await swarm(url, 'any');
    expect(refusal(run.stdout)).toEqual({ ok: false, exit: 3, reasons: [sentence] });
    expect(run.stderr.trim().split('\n').at(-1)).toBe(`rain: ${sentence}`);
    expect(run.exit).toBe(3);
  });

  test('where something else listens: exit 3', async () => {
    const web = createServer((_, response) => response.writeHead(200).end()).listen(0, '127.0.0.1');
    onTestFinished(() => {
      web.close();
    });
    await once(web, 'listening');
    const url = `ws://127.0.0.1:${(web.address() as AddressInfo).port}/v1`;
    expect(await swarm(url, 'any')).toMatchObject({
      exit: 3,
      stderr: expect.stringContaining(
        `rain: ${url}: the gateway cannot be reached: answered with HTTP 200\n`,
      ) as string,
    });
  });

  test('with rejected tokens: exit 1, and the message names the secret', async () => {
    const run = await swarm(gateway.url, 'any', { JWT_SECRET: 'another-secret-for-tests-0123456789abcdef' });
    expect(run.stderr).toContain(
      `rain: ${gateway.url}: the gateway rejects every user: answered with HTTP 401 unauthorized; has it the same JWT_SECRET?\n`,
    );
    expect(run.exit).toBe(1);
  });

  test('with an unknown rain: exit 1, like all other commands', async () => {
    const run = await swarm(gateway.url, 'nope');
    expect(refusal(run.stdout)).toEqual({
      ok: false,
      exit: 1,
      reasons: [
        '--rain: the gateway does not know the rain nope: it does not exist, it is not loaded yet, or it was settled long ago',
      ],
    });
    expect(run.exit).toBe(1);
    expect(run.stderr, 'no progress of a wave that never began').toBe(
      'rain: --rain: the gateway does not know the rain nope: it does not exist, it is not loaded yet, or it was settled long ago\n',
    );
  });

  test('with an unknown rain, before thousands of users connect', async () => {
    const before = gateway.sockets();
    const run = callCli(
      ['swarm', '--url', gateway.url, '--rain', 'nope', '--users', '2000', '--connects', '1', '--json'],
      { JWT_SECRET: SECRET },
      { isTTY: true },
    );
    expect(await run.done).toMatchObject({ exit: 1, stderr: expect.not.stringContaining('answered') as string });
    expect(gateway.sockets()).toBe(before);
  });

  test.each(['http://127.0.0.1:8687', '127.0.0.1:8687', 'ws:/'])(
    'when the address is %s: bad usage, exit 2, naming the option',
    async (url) => {
      const run = await swarm(url, 'any');
      expect(run.stderr).toMatch(/--url.*expected ws:\/\/host:port or wss:\/\/…/);
      expect(run.exit).toBe(2);
    },
  );
});
