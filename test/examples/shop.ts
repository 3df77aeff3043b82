import { spawn, type ChildProcess } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { readRunning } from '../../src/platform/process/runningSystem.ts';
import { openPackedClient } from '../client/packedClient.ts';
import { rain } from '../support/call.ts';
import { SECRET } from '../support/client.ts';
import { startCli } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/freePort.ts';
import { startDatabase } from '../support/servers/database.ts';
import { sharedRedis } from '../support/servers/sharedRedis.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const WALLET_SECRET = 'between-workers-and-the-wallet-0123456789';
const ORDER_SECRET = 'between-workers-and-the-shop-0123456789ab';

/** At the head of a test file. @returns opens the shop of examples/express, as its README says, for the running test */
export async function openShops() {
  const { project } = await openPackedClient();
  return async (users: readonly string[]) => {
    const folder = await project({}, ['express', 'jose']);
    for (const name of ['express', 'h5'])
      cpSync(join(ROOT, 'examples', name), join(folder, name), {
        recursive: true,
        filter: (path) => !path.endsWith('node_modules'),
      });
    const [port, file] = [await freePort(), join(folder, 'shop.jsonl')];
    const env = {
      PATH: process.env['PATH'],
      PORT: String(port),
      SHOP_JOURNAL: file,
      SHOP_USERS: users.map((user) => `${user}:open sesame`).join(','),
      JWT_SECRET: SECRET,
      WEBHOOK_SECRET: WALLET_SECRET,
      ORDER_WEBHOOK_SECRET: ORDER_SECRET,
    };
    let child: ChildProcess | undefined;
    const kill = async () => {
      if (child?.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    };
    onTestFinished(kill);
    const url = `http://127.0.0.1:${port}`;
    return {
      url,
      file,
      kill,
      async start({ gatewayUrl, consoleUrl }: Addresses = nowhere) {
        child = spawn(process.execPath, ['src/main.js'], {
          cwd: join(folder, 'express'),
          env: { ...env, GATEWAY_URL: gatewayUrl, CONSOLE_URL: consoleUrl },
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        await once(child.stdout!, 'data');
      },
      /** The events of the journal; its last line may be torn. */
      events: () =>
        existsSync(file)
          ? readFileSync(file, 'utf8')
              .split('\n')
              .slice(0, -1)
              .map((line) => JSON.parse(line) as ShopEvent)
          : [],
      async signIn(name: string) {
        const answer = await fetch(`${url}/session`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ name, password: 'open sesame' }),
        });
        const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? '';
        return (path: string, method = 'GET') => fetch(url + path, { method, headers: { cookie } });
      },
      /** As a worker posts it. */
      post(path: string, request: unknown, secret = WALLET_SECRET) {
        const [body, timestamp] = [JSON.stringify(request), String(Date.now())];
        const signature = `v1=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`;
        return fetch(url + path, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'rain-timestamp': timestamp, 'rain-signature': signature },
          body,
        });
      },
    };
  };
}
export type Shop = Awaited<ReturnType<Awaited<ReturnType<typeof openShops>>>>;

interface ShopEvent {
  type: 'credited' | 'ordered' | 'debited' | 'confirmed' | 'ended';
  claimId?: string;
  userId?: string;
  amount?: string;
  orderId?: string;
}

interface Addresses {
  gatewayUrl: string;
  consoleUrl: string;
}
const nowhere: Addresses = { gatewayUrl: 'ws://127.0.0.1:1/v1', consoleUrl: 'http://127.0.0.1:1' };

/** Gateway, workers and console for the running test, with the settings of the README of examples/express. */
export async function openSystem(shopUrl: string) {
  const [redis, database, home] = [await sharedRedis(), await startDatabase(), temporaryFolder()];
  const settings = {
    RAIN_HOME: home,
    PAYOUT_PROVIDER: 'webhook',
    WEBHOOK_URL: `${shopUrl}/wallet`,
    WEBHOOK_SECRET: WALLET_SECRET,
    WEBHOOK_BATCH_MAX: '20',
    ORDER_SERVICE: 'webhook',
    ORDER_WEBHOOK_URL: `${shopUrl}/orders`,
    ORDER_WEBHOOK_SECRET: ORDER_SECRET,
  };
  const system = startCli(['up', '--no-demo'], {
    ...settings,
    REDIS_URL: redis.url,
    DATABASE_URL: database.url,
    GATEWAY_PORT: '0',
    CONSOLE_PORT: '0',
    LOG_LEVEL: 'warn',
    JWT_SECRET: SECRET,
  });
  onTestFinished(async () => {
    system.child.kill('SIGTERM');
    await system.done;
    await Promise.all([redis.stop(), database.stop()]);
    rmSync(home, { recursive: true, force: true });
  });
  const running = await Promise.race([
    eventually(() => readRunning(home) ?? false, { timeoutMs: 90_000 }),
    system.done.then(({ stderr }) => {
      throw new Error(`rain up has ended: ${stderr}`);
    }),
  ]);
  return {
    gatewayUrl: running.gatewayUrl,
    consoleUrl: running.consoleUrl,
    async rain(...words: string[]) {
      const run = await rain(words, settings);
      if (run.exit !== 0) throw new Error(`rain ${words.join(' ')}: ${run.stderr}`);
      return run.stdout.trim();
    },
  };
}
