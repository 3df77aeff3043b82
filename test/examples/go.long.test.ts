import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { GatewayOptions } from '../../src/gateway/options.ts';
import { createRain } from '../../src/operator/create.ts';
import { loadRain } from '../../src/operator/load.ts';
import { startRain } from '../../src/operator/schedule.ts';
import { shardKeys } from '../../src/store/keys.ts';
import { redisNow } from '../../src/store/rains.ts';
import { SECRET, tokenFor } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { openTestContext, type TestContext } from '../support/operatorContext.ts';
import { openGateway } from '../support/servers/gateway.ts';
import { TcpProxy } from '../support/servers/proxy.ts';
import { scriptedGateway, welcomeOf } from '../support/servers/scriptedGateway.ts';
import { openWorker } from '../support/servers/worker.ts';

const SOURCE = fileURLToPath(new URL('../../examples/go', import.meta.url));
const WITHOUT_GO = spawnSync('go', ['version']).status !== 0;
if (WITHOUT_GO) console.warn('the example in Go is skipped, for want of the program go (apt-get install golang-go)');

let context: TestContext;
let worker: Awaited<ReturnType<typeof openWorker>>;
let folder: string;
let program: string;
beforeAll(async () => {
  if (WITHOUT_GO) return;
  folder = mkdtempSync(join(tmpdir(), 'rain-go-'));
  program = join(folder, 'rain');
  const built = spawnSync('go', ['build', '-o', program, '.'], {
    cwd: SOURCE,
    env: { ...process.env, GOCACHE: join(folder, 'cache'), GOFLAGS: '-mod=mod', GOPROXY: 'off' },
    encoding: 'utf8',
  });
  expect(built.status, built.stderr).toBe(0);
  context = await openTestContext();
  worker = await openWorker(context);
}, 180_000);
afterAll(async () => {
  await worker?.close();
  await context?.stop();
  if (folder) rmSync(folder, { recursive: true, force: true });
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

async function gatewayWith(options: Partial<GatewayOptions> = {}): Promise<string> {
  const gateway = await openGateway(context.redisUrl, options);
  onTestFinished(() => gateway.close());
  return gateway.url;
}

/** Begins to play; what it prints comes in as it is printed. */
async function play(url: string, rainId: string, userId: string) {
  const child = spawn(program, [url, rainId], {
    env: { RAIN_TOKEN: await tokenFor(userId) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const printed = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => {
    printed.stdout += String(chunk);
  });
  child.stderr.on('data', (chunk) => {
    printed.stderr += String(chunk);
  });
  return {
    printed,
    logs: (text: string) => eventually(() => expect(printed.stderr).toContain(text), { timeoutMs: 30_000 }),
    ended: once(child, 'close').then(([code]) => code as number),
  };
}

describe.skipIf(WITHOUT_GO)('the example in Go', () => {
  test('joins before the start, grabs, and has the money', async () => {
    await plan('go-plain', 60_000);
    const player = await play(await gatewayWith(), 'go-plain', 'gil');
    await player.logs('the rain is loaded');
    expect(await startRain(context, 'go-plain', { inMs: 500 })).toMatchObject({ ok: true });
    expect(await player.ended, player.printed.stderr).toBe(0);
    expect(player.printed.stdout).toBe('won 5.00\ncredited 5.00\n');
    expect(await context.ledger.balance('gil')).toBe(500n);
  });

  test('[R6] whose line was cut before the answer reconnects, hears the first answer, and has the money once', async () => {
    await plan('go-cut', 60_000, 3);
    const line = await TcpProxy.open(Number(new URL(await gatewayWith()).port));
    onTestFinished(() => line.close());
    const player = await play(`ws://127.0.0.1:${line.port}/v1`, 'go-cut', 'hal');
    await player.logs('the rain is loaded');
    expect(await startRain(context, 'go-cut', { inMs: 2_000 })).toMatchObject({ ok: true });
    await player.logs('the rain has moved');
    line.blackhole('toClient');
    await eventually(async () => expect(await context.redis.hlen(shardKeys('go-cut', 0).claimed)).toBe(1), {
      timeoutMs: 30_000,
    });
    line.pass();
    expect(await player.ended, player.printed.stderr).toBe(0);
    expect(player.printed.stdout).toBe('won 5.00\ncredited 5.00\n');
    expect(player.printed.stderr).toContain('connecting again in');
    expect(await context.ledger.balance('hal')).toBe(500n);
  });

  test('solves the challenge for its ticket, and wins with it', async () => {
    await plan('go-ticket', 60_000);
    const player = await play(
      await gatewayWith({
        challenges: { tickets: 'always', proofOfWork: 'always', secret: SECRET, proofOfWorkTries: 50 },
      }),
      'go-ticket',
      'ida',
    );
    await player.logs('the rain is loaded');
    expect(await startRain(context, 'go-ticket', { inMs: 500 })).toMatchObject({ ok: true });
    expect(await player.ended, player.printed.stderr).toBe(0);
    expect(player.printed.stderr).toContain('has a ticket');
    expect(await context.ledger.balance('ida')).toBe(500n);
  });

  test('waits between half and all of 250 ms, doubled at each failure, and starts again after a welcome', async () => {
    const gateway = await scriptedGateway(({ index, say, close }) => {
      if (index === 4) say(welcomeOf('jan'));
      close(index < 6 ? 1011 : 4403);
    });
    const player = await play(gateway.url, 'any', 'jan');
    expect(await player.ended).toBe(1);
    const pauses = gateway.comes.slice(1).map((at, i) => at - gateway.comes[i]!);
    const wanted = [250, 500, 1_000, 2_000, 250, 500];
    expect(pauses).toHaveLength(wanted.length);
    // A busy machine makes it later, never earlier.
    wanted.forEach((most, i) => expect(pauses[i], String(pauses)).toBeGreaterThan(most / 2 - 1));
    const said = [...player.printed.stderr.matchAll(/again in ([\d.]+)(m?s)/g)].map(
      ([, number, unit]) => Number(number) * (unit === 's' ? 1_000 : 1),
    );
    wanted.forEach((most, i) => expect(said[i], player.printed.stderr).toBeLessThanOrEqual(most));
    expect(player.printed.stdout).toContain('4403');
  });

  test('a code that it does not know: obeys its pause, and ends with the words of one that has none', async () => {
    const codes = [
      { code: '-99', reason: 'queued', retryInMs: 20 },
      { code: '-98', reason: 'too_windy' },
    ];
    const gateway = await scriptedGateway(
      ({ say }) => say(welcomeOf('kim')),
      (message, { say }) => {
        // A type and a field that are younger than the program.
        if (message.type === 'join') say(JSON.stringify({ type: 'weather', rainId: 'windy', code: 7 }));
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
              wind: {},
            }),
          );
        if (message.type === 'grab')
          say(JSON.stringify({ type: 'result', rainId: 'windy', ref: message.ref, ...codes.shift() }));
      },
    );
    const player = await play(gateway.url, 'windy', 'kim');
    expect(await player.ended, player.printed.stderr).toBe(1);
    expect(gateway.heard.filter(({ type }) => type === 'grab')).toHaveLength(2);
    expect(player.printed.stdout).toBe('ended: too_windy\n');
  });

  test('stops where nothing is left, and where its token is not taken', async () => {
    await plan('go-late', -1_000);
    const url = await gatewayWith();
    expect(await (await play(url, 'go-late', 'lea')).ended).toBe(0);
    const late = await play(url, 'go-late', 'max');
    expect(await late.ended).toBe(1);
    expect(late.printed.stdout).toBe('ended: nothing_left\n');
    const stranger = await play(await gatewayWith({ token: { secret: `${SECRET}!` } }), 'go-late', 'ned');
    expect(await stranger.ended).toBe(1);
    expect(stranger.printed.stdout).toContain('refused with 401');
  });
});
