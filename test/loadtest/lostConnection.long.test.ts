import { once } from 'node:events';
import { connect as dialTcp, createServer, type AddressInfo, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Gateway } from '../../src/gateway/server.ts';
import { shardKeys } from '../../src/store/keys.ts';
import { checkMoney } from '../../src/loadtest/report/verdict.ts';
import { runWave } from '../../src/loadtest/wave.ts';
import { tokenFor } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/freePort.ts';
import { openGateway } from '../support/servers/gateway.ts';
import { openRedis, stockRain } from '../support/rain.ts';

const SEED = '1057'.repeat(16);
const RETRY_POLICY = { backoffMsMin: 20, backoffMsMax: 200 };
const amounts = (count: number) => Array.from({ length: count }, () => '2.50');

const { server, redis } = await openRedis();

interface Tunnel {
  url: string;
  /** How often a line was treated badly. */
  hurt(): number;
  close(): Promise<void>;
}

/**
 * A TCP tunnel to the gateway; `meddle` sees what the gateway says and may cut the line or swallow it instead of
 * passing it on.
 */
async function tunnel(port: number, meddle: (said: string) => 'pass' | 'cut' | 'swallow'): Promise<Tunnel> {
  const open = new Set<Socket>();
  let hurt = 0;
  const listener = createServer((near) => {
    const far = dialTcp(port, '127.0.0.1');
    let deaf = false;
    for (const socket of [near, far]) {
      open.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        open.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    near.on('data', (data) => far.write(data));
    far.on('data', (data) => {
      if (deaf) return;
      const what = meddle(data.toString('latin1'));
      if (what === 'pass') return void near.write(data);
      hurt++;
      deaf = true;
      if (what === 'cut') near.destroy();
    });
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  return {
    url: `ws://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    hurt: () => hurt,
    async close() {
      const closed = once(listener, 'close');
      listener.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

describe('a lost line', () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await openGateway(server.url);
  });
  afterAll(() => gateway.close());

  test.each(['cut', 'swallow'] as const)(
    '[R6] the answer to a grab is lost (%s): the bot asks again and learns of the packet he has',
    async (how) => {
      await stockRain(redis, { rainId: `lost-${how}`, amounts: amounts(20) });
      let left = 25;
      const socket = await tunnel(gateway.port, (said) =>
        said.includes('"type":"result"') && left-- > 0 ? how : 'pass',
      );
      try {
        const report = await runWave({
          url: socket.url,
          rainId: `lost-${how}`,
          users: 40,
          tokenFor,
          seed: SEED,
          connectsPerSecond: 1_000,
          reactionMs: { min: 100, max: 300 },
          // Silence is noticed by patience alone.
          retryPolicy: { ...RETRY_POLICY, answerMs: how === 'cut' ? 10_000 : 2_000 },
        });
        const claimed = await redis.hgetall(shardKeys(`lost-${how}`, 0).claimed);
        expect(socket.hurt()).toBe(25);
        expect(report).toMatchObject({ winners: 20, told: '50.00', faults: 0 });
        expect(report.lostLines).toBeGreaterThanOrEqual(25);
        expect(report.dials).toBeGreaterThanOrEqual(65);
        // The bot noticed it himself: the gateway's heartbeat would have taken half a minute.
        expect(report.durationMs).toBeLessThan(20_000);
        expect(Object.keys(claimed)).toHaveLength(20);
        const count = (name: string) => report.outcomes.find((outcome) => outcome.name === name)?.count ?? 0;
        expect(count('won') + count('already_claimed')).toBe(20);
        expect(count('already_claimed')).toBeGreaterThan(0);
        expect(count('nothing_left')).toBe(20);
        expect(checkMoney(report).balanced).toBe(true);
        // The user who lost his answer waited longer than any single answer took.
        expect(report.latencyMs.tap.max).toBeGreaterThan(report.latencyMs.ask.max);
      } finally {
        await socket.close();
      }
    },
  );

  test('[R10] a line that is cut again and again ends in giving up', async () => {
    await stockRain(redis, { rainId: 'torn', amounts: amounts(3) });
    const socket = await tunnel(gateway.port, (said) => (said.includes('"type":"rain"') ? 'cut' : 'pass'));
    try {
      const report = await runWave({
        url: socket.url,
        rainId: 'torn',
        users: 2,
        tokenFor,
        seed: SEED,
        retryPolicy: { ...RETRY_POLICY, dialsMax: 4 },
      });
      expect(report).toMatchObject({
        outcomes: [{ name: 'gave_up: closed with 1006', count: 2 }],
        dials: 8,
        winners: 0,
      });
      // The rain is also announced to everybody who comes, so that some lines are cut before their welcome has been
      // read.
      expect(report.lostLines + report.failedDials).toBe(8);
    } finally {
      await socket.close();
    }
  });

  test('a packet that was won stays won, though the gateway is gone before the credit', async () => {
    await stockRain(redis, { rainId: 'gone', amounts: amounts(3) });
    const socket = await tunnel(gateway.port, () => 'pass');
    let won = 0;
    const finished = runWave({
      url: socket.url,
      rainId: 'gone',
      users: 3,
      tokenFor,
      seed: SEED,
      creditWaitMs: 30_000,
      retryPolicy: { ...RETRY_POLICY, dialsMax: 3 },
      onProgress: (progress) => {
        won = progress.won;
      },
    });
    try {
      await eventually(() => won === 3);
    } finally {
      await socket.close();
    }
    expect(await finished).toMatchObject({
      outcomes: [{ name: 'won', count: 3 }],
      winners: 3,
      credited: 0,
      told: '7.50',
      lostLines: 3,
      failedDials: 6,
    });
  });
});

test('a gateway that restarts while everybody waits for the rain gets them all back', async () => {
  const port = await freePort();
  await stockRain(redis, { rainId: 'restart', amounts: amounts(10), opensInMs: 3_000 });
  let gateway = await openGateway(server.url, { port });
  try {
    let connected = 0;
    const finished = runWave({
      url: gateway.url,
      rainId: 'restart',
      users: 25,
      tokenFor,
      seed: SEED,
      connectsPerSecond: 1_000,
      reactionMs: { min: 0, max: 300 },
      retryPolicy: RETRY_POLICY,
      onProgress: (progress) => {
        connected = progress.connected;
      },
    });
    await eventually(() => connected === 25);
    await gateway.close();
    gateway = await openGateway(server.url, { port });
    const report = await finished;
    expect(report.outcomes).toEqual([
      { name: 'nothing_left', count: 15 },
      { name: 'won', count: 10 },
    ]);
    expect(report).toMatchObject({ lostLines: 25, winners: 10, told: '25.00', faults: 0 });
  } finally {
    await gateway.close();
  }
});
