import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Gateway } from '../../src/gateway/server.ts';
import type { WorkerProcess } from '../../src/bin/servers/worker.ts';
import { shardKeys } from '../../src/store/keys.ts';
import { METHOD_NAMES } from '../../src/rain/split/methods.ts';
import { acquireLock } from '../../src/platform/process/homeLock.ts';
import { readRunning, writeRunning } from '../../src/platform/process/runningSystem.ts';
import { SECRET } from '../support/client.ts';
import { rain } from '../support/call.ts';
import { openTestContext, type TestContext } from '../support/operatorContext.ts';
import { openGateway } from '../support/servers/gateway.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { openWorker } from '../support/servers/worker.ts';
import { SIGNING_SECRET } from '../support/signer.ts';

let context: TestContext;
let env: Record<string, string>;

beforeAll(async () => {
  context = await openTestContext();
  env = { REDIS_URL: context.redisUrl, DATABASE_URL: context.databaseUrl, JWT_SECRET: SECRET };
});
afterAll(() => context.stop());

const nothing = { jobs: 0, claims: 0 };
const json = (text: string): unknown => JSON.parse(text);

describe('rain, the command', () => {
  test('every command has --help with an example, and --help is no failure', async () => {
    const { stdout, exit } = await rain(['--help']);
    expect(exit).toBe(0);
    const commands = [...stdout.matchAll(/^ {2}([a-z-]+) /gm)]
      .map(([, name]) => name!)
      .filter((name) => name !== 'help');
    expect(commands).toEqual(
      expect.arrayContaining([
        'up',
        'gateway',
        'worker',
        'create',
        'load',
        'list',
        'show',
        'pause',
        'resume',
        'close',
        'write-off',
        'audit',
        'dead',
        'replay',
        'verify',
        'doctor',
        'token',
        'swarm',
      ]),
    );
    for (const help of await Promise.all(commands.map((command) => rain([command, '--help'])))) {
      expect(help.stdout).toMatch(/\nExample:\n {2}.*rain /);
      expect(help.exit).toBe(0);
    }
  });

  test('from create to audit, for people and for machines', async () => {
    const created = await rain(
      [
        'create',
        '--budget',
        '88.88',
        '--packets',
        '100',
        '--start',
        '+1h',
        '--duration',
        '60s',
        '--title',
        '年会',
        '--load',
      ],
      env,
    );
    expect(created).toMatchObject({ exit: 0 });
    const id = created.stdout.trim();
    expect(id).toMatch(/^[a-z0-9]+$/);
    expect(created.stderr).toMatch(/100\/100 packets/);
    expect(json((await rain(['list', '--json'], env)).stdout)).toMatchObject({
      rains: [{ rainId: id, title: '年会', state: 'loaded', budget: '88.88', left: 100 }],
      total: 1,
    });
    expect((await rain(['list'], env)).stdout).toMatch(new RegExp(`${id} +年会 +loaded`));
    expect(json((await rain(['show', id, '--json'], env)).stdout)).toMatchObject({
      rainId: id,
      packets: 100,
      claims: 0,
    });
    expect(json((await rain(['pause', id, '--json'], env)).stdout)).toEqual({ rainId: id, state: 'paused' });
    expect((await rain(['resume', id], env)).stdout).toBe(`${id}: loaded\n`);
    expect(json((await rain(['audit', id, '--json'], env)).stdout)).toEqual({
      rainId: id,
      budget: '88.88',
      credited: '0.00',
      pending: '0.00',
      unclaimed: '88.88',
      recycled: '0.00',
      spoiled: '0.00',
      packets: 100,
      winners: 0,
      balanced: true,
      counts: { budget: 100, credited: 0, pending: 0, unclaimed: 100, recycled: 0, spoiled: 0 },
      told_twice: 0,
      discarded: 0,
      queue: {
        waiting: nothing,
        active: nothing,
        delayed: nothing,
        failed: nothing,
        dead: { count: 0, amount: '0.00' },
        complete: true,
      },
    });
    expect((await rain(['audit', id], env)).stdout).toMatch(/The money adds up: 88\.88 in 100 packets, 0 winners\./);
    expect(json((await rain(['close', id, '--json'], env)).stdout)).toEqual({ rainId: id, state: 'closed' });
    expect(await rain(['resume', id], env)).toMatchObject({
      exit: 1,
      stderr: `rain: state: only a paused rain can be resumed, ${id} is closed\n`,
    });
  });

  test('a limited list reports how many more there are', async () => {
    for (const id of ['cut-1', 'cut-2'])
      await rain(
        ['create', '--id', id, '--budget', '5.00', '--packets', '5', '--start', '+1h', '--duration', '60s'],
        env,
      );
    const total = (await context.ledger.rains()).length;
    const cut = await rain(['list', '--limit', '1'], env);
    expect(cut.stdout).toMatch(new RegExp(`^id .*\ncut-2 .*\n… and ${total - 1} more; --limit lists up to 1000\n$`));
    const asked = json((await rain(['list', '--limit', '1', '--json'], env)).stdout) as {
      rains: unknown[];
      total: number;
    };
    expect(asked).toEqual({ rains: [expect.objectContaining({ rainId: 'cut-2' })], total });
    expect((await rain(['list', '--limit', String(total)], env)).stdout).not.toMatch(/more/);
    expect(await rain(['list', '--limit', '0'], env)).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining('expected a whole number from 1 to 1000') as string,
    });
  });

  test('an audit that does not add up exits 1', async () => {
    const id = (
      await rain(['create', '--budget', '5.00', '--packets', '5', '--start', '+1h', '--duration', '60s', '--load'], env)
    ).stdout.trim();
    await context.redis.rpop(shardKeys(id, 0).packets);
    const audit = await rain(['audit', id, '--json'], env);
    expect(audit.exit).toBe(1);
    expect(json(audit.stdout)).toMatchObject({
      balanced: false,
      problems: [expect.stringContaining('neither won nor left') as string],
    });
  });

  test('tiers, min, max, shards and seed', async () => {
    const created = await rain(
      [
        'create',
        '--budget',
        '2000.00',
        '--packets',
        '50',
        '--tier',
        '1x888.00',
        '--tier',
        '10x88.80',
        '--min',
        '1.00',
        '--max',
        '888.00',
        '--shards',
        '2',
        '--seed',
        'ab'.repeat(32),
        '--start',
        '+1h',
        '--duration',
        '1m',
        '--load',
        '--json',
      ],
      env,
    );
    const { rainId } = json(created.stdout) as { rainId: string };
    const amounts = (
      await Promise.all([0, 1].map((shard) => context.redis.lrange(shardKeys(rainId, shard).packets, 0, -1)))
    )
      .flat()
      .map((element) => (json(element) as { amount: string }).amount);
    expect(amounts.filter((amount) => amount === '888.00')).toHaveLength(1);
    expect(amounts.filter((amount) => amount === '88.80')).toHaveLength(10);
    expect(amounts).toHaveLength(50);
  });

  const create = ['create', '--budget', '5.00', '--packets', '5', '--start', '+1h', '--duration', '60s'];
  const replaced = (option: string, value: string) =>
    create.map((word, i) => (create[i - 1] === option ? value : word));
  test.each<[string, string[], number, RegExp]>([
    ['an unknown command', ['rob'], 2, /unknown command 'rob'/],
    ['an unknown option', ['list', '--all'], 2, /unknown option '--all'/],
    ['a missing argument', ['show'], 2, /missing required argument 'id'/],
    ['a missing option', ['create'], 2, /required option '--budget/],
    ['a start that is no moment', replaced('--start', 'tomorrow'), 2, /--start.*expected \+30s/],
    ['a start without a zone', replaced('--start', '2026-12-31T20:00'), 2, /--start.*with its zone/],
    ['a duration without a unit', replaced('--duration', '60'), 2, /--duration.*expected a duration such as/],
    ['a tier that is no tier', [...create, '--tier', '888'], 2, /--tier.*expected COUNTxAMOUNT/],
    [
      'a split nobody knows',
      [...create, '--split', 'fair'],
      2,
      new RegExp(`--split.*Allowed choices are ${METHOD_NAMES.join(', ')}`),
    ],
    ['a budget with three decimals', replaced('--budget', '5.001'), 1, /budget: /],
    ['half a packet', replaced('--packets', '2.5'), 1, /packets: 2.5 is not a whole number/],
    ['packets that are no number', replaced('--packets', 'many'), 1, /packets: /],
    ['a rain nobody knows', ['show', 'nowhere'], 1, /id: there is no rain nowhere/],
    ['loading it', ['load', 'nowhere'], 1, /id: there is no rain nowhere/],
    ['auditing it', ['audit', 'nowhere'], 1, /id: there is no rain nowhere/],
    ['a user of nothing', ['token', '--user', ''], 2, /--user: expected 1 to 128/],
    [
      'a swarm of nobody',
      ['swarm', '--rain', 'x', '--url', 'ws://127.0.0.1:1', '--users', '0'],
      2,
      /--users.*expected a whole number from 1/,
    ],
    ['a swarm without a gateway', ['swarm', '--rain', 'x'], 2, /--url: missing/],
  ])('[R12] %s: a coded refusal, and nothing is written', async (_, args, exit, sentence) => {
    const before = [await context.redis.dbsize(), (await context.ledger.rains()).length];
    const run = await rain(args, env);
    expect(run.stderr).toMatch(sentence);
    expect(run.stderr).not.toMatch(/\n {4}at /);
    expect(run.exit).toBe(exit);
    expect([await context.redis.dbsize(), (await context.ledger.rains()).length]).toEqual(before);
  });

  test.each<[string, Record<string, string>, number, RegExp]>([
    ['no Redis there', { REDIS_URL: 'redis://127.0.0.1:1' }, 3, /redis:\/\/127\.0\.0\.1:1: Redis cannot be reached/],
    [
      'no database there',
      { DATABASE_URL: 'postgres://rain:secret@127.0.0.1:1/rain' },
      3,
      /postgres:\/\/127\.0\.0\.1:1\/rain: the database cannot be reached/,
    ],
    [
      'addresses that are none',
      { REDIS_URL: 'localhost', DATABASE_URL: 'mysql://x', LOG_LEVEL: 'loud', GATEWAY_PORT: '70000' },
      2,
      /REDIS_URL: .*\n.*DATABASE_URL: .*\n.*GATEWAY_PORT: .*\n.*LOG_LEVEL: /,
    ],
    ['nothing configured', { REDIS_URL: '', DATABASE_URL: '' }, 2, /REDIS_URL: missing.*\n.*DATABASE_URL: missing/],
  ])('%s', async (_, wrong, exit, sentence) => {
    const run = await rain(['list', '--json'], { ...env, ...wrong });
    expect(run.stderr).toMatch(sentence);
    expect(run.stderr).not.toContain('secret');
    expect(run.exit).toBe(exit);
    expect(json(run.stdout)).toMatchObject({ ok: false, exit });
  });

  test('a rain that was only planned is loaded later, and loading it again is harmless', async () => {
    const id = (
      await rain(['create', '--budget', '500.00', '--packets', '100', '--start', '+1h', '--duration', '60s'], env)
    ).stdout.trim();
    for (const time of ['first', 'second'])
      expect(await rain(['load', id, '--json'], env), time).toMatchObject({
        exit: 0,
        stdout: `{"rainId":"${id}","packets":100}\n`,
      });
    expect(new Set(await context.redis.lrange(shardKeys(id, 0).packets, 0, -1)).size).toBe(100);
    expect((await rain(['audit', id], env)).exit).toBe(0);
  });
});

describe('a swarm over real sockets', () => {
  let gateway: Gateway;
  let worker: WorkerProcess;
  beforeAll(async () => {
    gateway = await openGateway(context.redisUrl);
    worker = await openWorker(context);
  });
  afterAll(async () => {
    await gateway.close();
    await worker.close();
  });

  test('prints outcomes and latencies, and the last line says that the money adds up', async () => {
    const id = (
      await rain(
        ['create', '--budget', '20.00', '--packets', '20', '--start', '+2s', '--duration', '60s', '--load'],
        env,
      )
    ).stdout.trim();
    const run = await rain(['swarm', '--url', gateway.url, '--rain', id, '--users', '80'], env);
    expect(run.stdout.trim().split('\n').at(-1), run.stderr).toBe(
      'The money adds up: 20 winners were told 20.00, each with a different packet, as the audit says, and the rain balances to the cent.',
    );
    expect(run.stdout).toMatch(/p50.*p95.*p99/s);
    expect(run.stdout).toMatch(/60 +nothing_left/);
    expect(run.stderr).toMatch(/answered 80\/80 users/);
    expect(run.exit).toBe(0);
    // The same users asked again are told the same, and it still adds up.
    const again = json(
      (await rain(['swarm', '--url', gateway.url, '--rain', id, '--users', '80', '--json'], env)).stdout,
    );
    expect(again).toMatchObject({ winners: 20, told: '20.00', balanced: true });
  });

  test('does not send its users to the local system when Redis and the database belong to another one', async () => {
    const folder = temporaryFolder();
    const locked = await acquireLock(folder);
    if (!locked.ok) throw new Error('the folder is taken');
    writeRunning(folder, {
      pid: process.pid,
      startedAt: 1,
      redisUrl: 'redis://127.0.0.1:1',
      databaseUrl: 'postgres://127.0.0.1:1/x',
      jwtSecret: SECRET,
      signingSecret: SIGNING_SECRET,
      gatewayUrl: gateway.url,
      consoleUrl: 'http://127.0.0.1:1',
      demo: false,
    });
    expect(readRunning(folder)).toBeDefined();
    const run = await rain(['swarm', '--rain', 'x', '--users', '1'], { ...env, RAIN_HOME: folder });
    expect(run).toMatchObject({ exit: 2, stderr: expect.stringContaining('--url: missing') as string });
    locked.lock.release();
  });

  test('a token lets its bearer in', async () => {
    const { stdout } = await rain(['token', '--user', 'alice', '--ttl', '5m'], env);
    const { WebSocket } = await import('ws');
    const socket = new WebSocket(gateway.url, ['rain.v1', `bearer.${stdout.trim()}`]);
    const welcome = await new Promise<string>((resolve, reject) => {
      socket.once('message', (data) => resolve(String(data)));
      socket.once('error', reject);
    });
    expect(json(welcome)).toMatchObject({ type: 'welcome', userId: 'alice' });
    socket.terminate();
  });
});
