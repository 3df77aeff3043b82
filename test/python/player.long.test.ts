import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { GatewayOptions } from '../../src/gateway/options.ts';
import { shardKeys } from '../../src/store/keys.ts';
import { redisNow } from '../../src/store/rains.ts';
import { createRain } from '../../src/operator/create.ts';
import { loadRain } from '../../src/operator/load.ts';
import { startRain } from '../../src/operator/schedule.ts';
import { SECRET, tokenFor } from '../support/client.ts';
import { openTestContext, type TestContext } from '../support/operatorContext.ts';
import { eventually } from '../support/eventually.ts';
import { openGateway } from '../support/servers/gateway.ts';
import { TcpProxy } from '../support/servers/proxy.ts';
import { scriptedGateway, welcomeOf } from '../support/servers/scriptedGateway.ts';
import { openWorker } from '../support/servers/worker.ts';

const PLAYER = fileURLToPath(new URL('player.py', import.meta.url));
/**
 * As the set-up has found it; Debian's packages belong to its own Python, which need not be the first one of the path.
 */
const PYTHON = [process.env['PYTHON'], '/usr/bin/python3', 'python3'].find(
  (python) => python !== undefined && spawnSync(python, ['-c', 'import websockets']).status === 0,
);
if (PYTHON === undefined)
  console.warn(
    'a client in Python is skipped, for want of its package websockets (apt-get install python3-websockets)',
  );

interface Told {
  event: string;
  [more: string]: unknown;
}

let context: TestContext;
let worker: Awaited<ReturnType<typeof openWorker>>;
beforeAll(async () => {
  context = await openTestContext();
  worker = await openWorker(context);
});
afterAll(async () => {
  await worker?.close();
  await context?.stop();
});

async function plan(id: string, opensInMs: number, packets = 1): Promise<void> {
  const now = await redisNow(context.redis);
  const created = await createRain(context, {
    id,
    plan: { budget: `${packets * 5}.00`, packets, split: { method: 'even' } },
    opensAt: now + opensInMs,
    closesAt: now + 600_000,
  });
  if (!created.ok) throw new Error(JSON.stringify(created.refusals));
  await loadRain(context, id);
}

/** Python takes its time to start, a busy machine more: it rains a while after the player is there, and knows when. */
async function startFor(player: Awaited<ReturnType<typeof play>>, id: string, inMs: number): Promise<void> {
  await player.has('joined');
  expect(await startRain(context, id, { inMs })).toMatchObject({ ok: true });
  await player.has('moved');
}

async function gatewayWith(options: Partial<GatewayOptions> = {}): Promise<string> {
  const gateway = await openGateway(context.redisUrl, options);
  onTestFinished(() => gateway.close());
  return gateway.url;
}

/** Begins to play; what it tells comes in as it is told. */
async function play(url: string, rainId: string, userId: string, ...args: string[]) {
  const child = spawn(PYTHON!, [PLAYER, url, rainId, ...args], {
    env: { ...process.env, RAIN_TOKEN: await tokenFor(userId) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const told: Told[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => told.push(JSON.parse(line) as Told));
  return {
    told,
    has: (event: string) =>
      eventually(() => expect(told.map((one) => one.event)).toContain(event), { timeoutMs: 30_000 }),
    ended: once(child, 'close').then(([code]) => code as number),
  };
}

describe.skipIf(PYTHON === undefined)('a client in Python that knows nothing but docs/reference/protocol.md', () => {
  test('joins before the start, grabs, and has the money', async () => {
    await plan('py-plain', 60_000);
    const player = await play(await gatewayWith(), 'py-plain', 'pia');
    await startFor(player, 'py-plain', 500);
    expect(await player.ended, JSON.stringify(player.told)).toBe(0);
    expect(player.told.at(-1)).toEqual({ event: 'end', won: '5.00', credited: true, why: null });
    expect(player.told[0]).toEqual({ event: 'welcome', userId: 'pia' });
    expect(await context.ledger.balance('pia')).toBe(500n);
  });

  test('[R6] whose line was cut before the answer reconnects, hears the first answer, and has the money once', async () => {
    await plan('py-cut', 60_000, 3);
    const line = await TcpProxy.open(Number(new URL(await gatewayWith()).port));
    onTestFinished(() => line.close());
    const player = await play(`ws://127.0.0.1:${line.port}/v1`, 'py-cut', 'quin', '--browser');
    await startFor(player, 'py-cut', 2_000);
    line.blackhole('toClient');
    await eventually(async () => expect(await context.redis.hlen(shardKeys('py-cut', 0).claimed)).toBe(1), {
      timeoutMs: 30_000,
    });
    line.pass();
    expect(await player.ended, JSON.stringify(player.told)).toBe(0);
    expect(player.told.filter(({ event }) => event === 'welcome')).toHaveLength(2);
    // Told by the join, by asking again, or by the credit, whichever was first; the first answer never arrived.
    expect(
      player.told.find(({ event, code }) => event === 'credited' || code === '1'),
      JSON.stringify(player.told),
    ).toBeDefined();
    expect(player.told.filter(({ event, code }) => event === 'result' && code !== '1')).toEqual([]);
    expect(player.told.at(-1)).toMatchObject({ won: '5.00', credited: true });
    expect(await context.ledger.balance('quin')).toBe(500n);
  });

  test('gets its ticket for a challenge, and wins with it', async () => {
    await plan('py-ticket', 60_000);
    const url = await gatewayWith({
      challenges: { tickets: 'always', proofOfWork: 'always', secret: SECRET, proofOfWorkTries: 50 },
    });
    const player = await play(url, 'py-ticket', 'rex');
    await startFor(player, 'py-ticket', 500);
    expect(await player.ended, JSON.stringify(player.told)).toBe(0);
    expect(player.told.map(({ event }) => event)).toContain('ticket');
    expect(await context.ledger.balance('rex')).toBe(500n);
  });

  test('obeys the pause of a code that it does not know, and ends with the words of one that has none', async () => {
    const codes = [
      { code: '-99', reason: 'queued', retryInMs: 20 },
      { code: '-98', reason: 'too_windy' },
    ];
    const gateway = await scriptedGateway(
      ({ say }) => say(welcomeOf('vic')),
      (message, { say }) => {
        if (message.type === 'join')
          say(
            JSON.stringify({
              type: 'rain',
              rainId: 'windy',
              state: 'open',
              opensAt: 1_000,
              closesAt: 9_000_000_000_000,
              packets: 1,
              left: 1,
              serverTime: Date.now(),
            }),
          );
        if (message.type === 'grab')
          say(JSON.stringify({ type: 'result', rainId: 'windy', ref: message.ref, ...codes.shift() }));
      },
    );
    const player = await play(gateway.url, 'windy', 'vic');
    expect(await player.ended).toBe(1);
    expect(player.told.filter(({ event }) => event === 'result').map(({ code }) => code)).toEqual(['-99', '-98']);
    expect(player.told.at(-1)).toMatchObject({ why: 'too_windy' });
  });

  test('stops where nothing is left, and where its token is not taken', async () => {
    await plan('py-late', -1_000);
    const url = await gatewayWith();
    expect(await (await play(url, 'py-late', 'sue')).ended).toBe(0);
    const late = await play(url, 'py-late', 'tom');
    expect(await late.ended).toBe(1);
    expect(late.told.at(-1)).toMatchObject({ why: 'nothing_left' });
    const stranger = await play(await gatewayWith({ token: { secret: `${SECRET}!` } }), 'py-late', 'una');
    expect(await stranger.ended).toBe(1);
    expect(stranger.told.at(-1)).toMatchObject({ why: 'refused with 401' });
  });
});
