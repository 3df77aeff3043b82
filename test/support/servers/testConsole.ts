import { scryptSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openOrderSending } from '../../../src/bin/queues.ts';
import { createThemeReader } from '../../../src/console/player/theme.ts';
import { startConsole, type Console, type ConsoleOptions } from '../../../src/console/server.ts';
import { createLaterQueue } from '../../../src/credit/queue.ts';
import { QUEUE_PREFIX } from '../../../src/store/keys.ts';
import type { Role } from '../../../src/ledger/staff.ts';
import { connectRedis, untilReady } from '../../../src/platform/redis/connect.ts';
import { createLog } from '../../../src/platform/telemetry/log.ts';
import { openQueueContext, type TestQueueContext } from '../queueContext.ts';

export const PASSWORD = 'correct horse battery';

/**
 * A hash names its cost. This one costs next to nothing, so that tests that sign in hundreds of times spend their time
 * on something else.
 */
const QUICK_HASH = `scrypt$2$8$1$${Buffer.alloc(16).toString('base64url')}$${scryptSync(PASSWORD, Buffer.alloc(16), 32, { N: 2, r: 8, p: 1 }).toString('base64url')}`;

/** Adds an account with PASSWORD, to sign in quickly. */
export async function addAccount(
  { ledger }: Pick<TestQueueContext, 'ledger'>,
  name: string,
  role: Role,
): Promise<void> {
  if (!(await ledger.staff.add({ name, role, passwordHash: QUICK_HASH }, 'test')))
    throw new Error(`there is an account ${name} already`);
}

/**
 * A console with the operator's side, over a real Redis and a real database; `opal` is an operator and `vera` a viewer.
 */
export interface TestConsole extends TestQueueContext {
  url: string;
  /** Somebody signed in. */
  signIn(name: string): Promise<Visitor>;
  /** Another console on the same servers. */
  another(options: Partial<ConsoleOptions>): Promise<Console>;
}

export interface Answered {
  status: number;
  // Each test says which type it expects.
  body: unknown;
  headers: Headers;
}

export interface Visitor {
  cookie: string;
  csrf: string;
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answered>;
}

/** @param own differences in its backend */
export async function openTestConsole(
  options: Partial<ConsoleOptions> = {},
  own: Pick<TestQueueContext, 'approvalAboveCents' | 'timeZone'> = {},
): Promise<TestConsole> {
  const context = await openQueueContext();
  const connection = connectRedis(context.redisUrl, { purpose: 'once', onError: () => {} });
  await untilReady(connection);
  const later = createLaterQueue({ connection, prefix: QUEUE_PREFIX, onError: () => {}, visiting: true });
  const orders = openOrderSending(connection, () => {});
  const folder = mkdtempSync(join(tmpdir(), 'rain-test-console-'));
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>a page</title>');
  const people: [string, Role][] = [
    ['opal', 'operator'],
    ['vera', 'viewer'],
  ];
  for (const [name, role] of people) await addAccount(context, name, role);
  const another = (more: Partial<ConsoleOptions>) =>
    startConsole({
      host: '127.0.0.1',
      port: 0,
      gatewayUrl: 'ws://127.0.0.1:8687/v1',
      pageFolder: folder,
      consoleFolder: folder,
      theme: { themes: createThemeReader(context.ledger), allowedOrigins: [] },
      log: createLog('console', 'silent'),
      backend: {
        redis: context.redis,
        ledger: context.ledger,
        signer: context.signer,
        queues: { ...context.queues, later },
        sendReservations: orders.send,
        ...own,
      },
      pace: { sampleMs: 200, pauseFactor: 1, pauseMsMin: 50 },
      ...options,
      ...more,
    });
  const desks = await another({});
  return {
    ...context,
    url: desks.url,
    another,
    async signIn(name) {
      const answer = await ask(desks.url, 'POST', '/api/console/session', { name, password: PASSWORD });
      if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
      const cookie = answer.headers.get('set-cookie')!.split(';')[0]!;
      const { csrf } = answer.body as { csrf: string };
      return {
        cookie,
        csrf,
        ask: (method, path, body, headers = {}) =>
          ask(desks.url, method, path, body, { cookie, ...(method !== 'GET' && { 'x-csrf-token': csrf }), ...headers }),
      };
    },
    async stop() {
      await desks.close();
      await Promise.all([later.close(), orders.close()]);
      connection.disconnect();
      rmSync(folder, { recursive: true, force: true });
      await context.stop();
    },
  };
}

/** The cookie by which a browser is known after a sign-in. */
export const deviceOf = (headers: Headers): string =>
  headers
    .getSetCookie()
    .find((one) => one.startsWith('rain_device='))!
    .split(';')[0]!;

/** One question, as a browser or a script would ask it. */
export async function ask(
  url: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answered> {
  const answer = await fetch(url + path, {
    method,
    redirect: 'manual',
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  const json = answer.headers.get('content-type')?.includes('application/json');
  return {
    status: answer.status,
    body: json && text !== '' ? (JSON.parse(text) as unknown) : text,
    headers: answer.headers,
  };
}
