import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { API } from '../../src/console/contract/api.ts';
import { createRain } from '../../src/operator/create.ts';
import { loadRain } from '../../src/operator/load.ts';
import { addOperator, issueToken } from '../../src/operator/staff/staff.ts';
import { CLIENT_MESSAGES } from '../../src/protocol/messages.ts';
import { createSale } from '../../src/operator/sale/create.ts';
import { openSale } from '../../src/operator/sale/open.ts';
import { redisNow } from '../../src/store/rains.ts';
import { startCli, type CliProcess } from '../support/cli.ts';
import { dial, SECRET, tokenFor, type Client } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/freePort.ts';
import { openTestContext, type TestContext } from '../support/operatorContext.ts';
import { costOf, openAsker, processorUs, tableOf, usPerKilobyte, type Cost } from './measure.ts';

/**
 * Nothing that a gateway is sent may cost more than so many grabs, per kilobyte. Many routes of the console do; see
 * docs/reference/security.md.
 */
const GRABS_MAX = 20;
/** Limits of what is dear, beside those of the address and of the user. */
const LIMITS: Readonly<Record<string, string>> = {
  'POST /api/console/session': 'one password at a time, two of an address, five failures of a name',
};
const ANSWER_MS_MAX = 30_000;
const USERS = 40;
const ROUNDS = 8;

let context: TestContext;
const processes: CliProcess[] = [];
let gatewayUrl: string;
let consoleUrl: string;
let token: string;

/** Until the server answers. */
async function start(words: string[], port: number, env: Record<string, string>): Promise<number> {
  const process = startCli(words, {
    REDIS_URL: context.redisUrl,
    DATABASE_URL: context.databaseUrl,
    JWT_SECRET: SECRET,
    LOG_LEVEL: 'warn',
    TRUSTED_PROXIES: '1',
    ...env,
  });
  processes.push(process);
  const isUp = () =>
    fetch(`http://127.0.0.1:${port}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    );
  await eventually(async () => expect(await isUp(), process.stderr()).toBe(true), { timeoutMs: 60_000 });
  return process.child.pid!;
}

let pids: { gateway: number; console: number };
beforeAll(async () => {
  context = await openTestContext();
  const now = await redisNow(context.redis);
  for (let round = 0; round < ROUNDS; round++) {
    expect(
      await createRain(context, {
        id: `rain-${round}`,
        plan: { budget: '100.00', packets: 100 },
        opensAt: now - 1_000,
        closesAt: now + 600_000,
      }),
    ).toMatchObject({ ok: true });
    expect(await loadRain(context, `rain-${round}`)).toMatchObject({ ok: true });
  }
  expect(
    await createSale(context, {
      id: 'sale',
      opensAt: now - 1_000,
      closesAt: now + 600_000,
      holdMs: 600_000,
      items: [{ sku: 'tee', units: 1_000, price: '19.90', perUserMax: ROUNDS * 2 }],
    }),
  ).toMatchObject({ ok: true });
  expect(await openSale(context, 'sale')).toMatchObject({ ok: true });
  expect(await addOperator(context, 'opal', 'operator', 'correct horse battery')).toMatchObject({ ok: true });
  const issued = await issueToken(context, 'opal', 'cost');
  if (!issued.ok) throw new Error(JSON.stringify(issued));
  token = issued.token;
  const [gatewayPort, consolePort] = [await freePort(), await freePort()];
  [gatewayUrl, consoleUrl] = [`http://127.0.0.1:${gatewayPort}`, `http://127.0.0.1:${consolePort}`];
  pids = {
    gateway: await start(['gateway'], gatewayPort, {
      GATEWAY_PORT: String(gatewayPort),
      GATEWAY_FAIR_START_MS: '0',
      GATEWAY_MESSAGES_PER_USER_PER_SECOND: '10000',
    }),
    console: await start(['console'], consolePort, {
      CONSOLE_PORT: String(consolePort),
      GATEWAY_PUBLIC_URL: 'ws://127.0.0.1:8687/v1',
    }),
  };
}, 180_000);
afterAll(async () => {
  for (const { child } of processes) child.kill('SIGTERM');
  await Promise.all(processes.map(({ done }) => done));
  await context?.stop();
});

/** Processor time that the process takes by itself, µs for each ms. */
async function idleOf(pid: number): Promise<number> {
  const [since, before] = [performance.now(), processorUs(pid)];
  await eventually(() => expect(performance.now() - since).toBeGreaterThan(2_000));
  return (processorUs(pid) - before) / (performance.now() - since);
}

/** All users send one message each, and each waits for what comes next. */
function messageOf(users: readonly Client[], message: (round: number) => unknown) {
  return async (round: number): Promise<{ answer: string; bytes: number }> => {
    const frame = JSON.stringify(message(round));
    const answers = users.map(async ({ socket }) => {
      const [data] = (await once(socket, 'message', { signal: AbortSignal.timeout(ANSWER_MS_MAX) }).catch(() => {
        throw new Error(`nothing was answered to ${frame}`);
      })) as [unknown];
      const heard = JSON.parse(String(data)) as { type: string; code?: string };
      return heard.code === undefined ? heard.type : `${heard.type} ${heard.code}`;
    });
    for (const { socket } of users) socket.send(frame);
    const heard = new Set(await Promise.all(answers));
    // Head and mask of the frame of a client.
    return { answer: [...heard].join(' / '), bytes: Buffer.byteLength(frame) + (frame.length > 125 ? 8 : 6) };
  };
}

async function gatewayCosts(idle: number): Promise<Cost[]> {
  const users = await Promise.all(
    Array.from({ length: USERS }, async (_, n) => dial(gatewayUrl.replace('http', 'ws') + '/v1', `user-${n}`)),
  );
  await Promise.all(users.map((user) => user.next('welcome')));
  const each = async (what: string, message: (round: number) => unknown, rounds = ROUNDS) => {
    const cost = await costOf(what, pids.gateway, idle, rounds, messageOf(users, message));
    return { ...cost, us: cost.us / USERS, count: rounds * USERS };
  };
  const ref = (round: number) => `r${round}`;
  // Compiled first: the first hundred of each kind cost several times as much.
  await each('ping', () => ({ type: 'ping', t: 1 }), 40);
  const costs = [
    await each('grab', (round) => ({ type: 'grab', rainId: `rain-${round}`, ref: ref(round) })),
    await each('grab again', (round) => ({ type: 'grab', rainId: `rain-${round}`, ref: ref(round) })),
    await each('grab of an unknown rain', (round) => ({ type: 'grab', rainId: `unknown-${round}`, ref: ref(round) })),
    await each('ping', () => ({ type: 'ping', t: 1_234_567 })),
    await each('receipt, forged', (round) => ({
      type: 'receipt',
      rainId: `rain-${round}`,
      redPacketId: `rain-${round}-99`,
      amount: '1.00',
      receipt: 'A'.repeat(22),
    })),
    await each(
      'solution, made up',
      (round) => ({
        type: 'solution',
        rainId: `rain-${round}`,
        challenge: { parameters: {}, signature: 'a' },
        solution: { counter: 1, derivedKey: 'aa' },
      }),
      4,
    ),
    await each('buy', (round) => ({ type: 'buy', saleId: 'sale', sku: 'tee', ref: ref(round) })),
    await each('buy of an unknown sale', (round) => ({
      type: 'buy',
      saleId: `unknown-${round}`,
      sku: 'tee',
      ref: ref(round),
    })),
    await each('cancel of an unknown reservation', (round) => ({
      type: 'cancel',
      saleId: 'sale',
      reservationId: `sale-${900 + round}`,
    })),
    await each('join of an unknown rain', (round) => ({ type: 'join', rainId: `unknown-${round}` })),
    await each('join', (round) => ({ type: 'join', rainId: `rain-${round}` })),
    await each('visit of an unknown sale', (round) => ({ type: 'visit', saleId: `unknown-${round}` })),
    await each('visit', () => ({ type: 'visit', saleId: 'sale' })),
    await each('a message that is none', () => ({ type: 'give me all' }), 4),
  ];
  await Promise.all(users.map((user) => user.leave()));
  return costs;
}

let addresses = 0;
/** Each kind of request comes from an address of its own, below the limits of one. */
async function requestCost(
  origin: string,
  pid: number,
  idle: number,
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: unknown,
  { what = `${method} ${path}`, count = 10 } = {},
): Promise<Cost> {
  const asker = openAsker(origin);
  try {
    const address = `10.0.${Math.floor(++addresses / 250)}.${addresses % 250}`;
    return await costOf(what, pid, idle, count, async () => {
      const { status, bytes } = await asker.ask(
        method,
        path,
        { 'x-forwarded-for': address, ...headers },
        body === undefined ? undefined : JSON.stringify(body),
      );
      return { answer: String(status), bytes };
    });
  } finally {
    asker.close();
  }
}

async function gatewayRequestCosts(idle: number): Promise<Cost[]> {
  const bearer = { authorization: `Bearer ${await tokenFor('http-user')}` };
  const of = (method: string, path: string, headers: Record<string, string>, body?: unknown, what?: string) =>
    requestCost(gatewayUrl, pids.gateway, idle, method, path, headers, body, what === undefined ? {} : { what });
  return [
    await of('GET', '/v1/sales/sale', bearer),
    await of('POST', '/v1/sales/sale/buy', bearer, { sku: 'tee' }),
    await of('GET', '/v1/orders/sale-1', bearer),
    await of('POST', '/v1/sales/sale/ticket', bearer, {
      challenge: { parameters: {}, signature: 'a' },
      solution: { counter: 1, derivedKey: 'aa' },
    }),
    await of('GET', '/v1/sales/sale', { authorization: 'Bearer made.up.token' }, undefined, 'gateway: a made-up token'),
    await of('GET', '/healthz', {}, undefined, 'gateway: GET /healthz'),
    await of('GET', '/nothing', {}, undefined, 'gateway: an unknown path'),
  ];
}

async function consoleCosts(idle: number): Promise<Cost[]> {
  const operator = { authorization: `Bearer ${token}` };
  const ids: Record<string, string> = {
    rainId: 'rain-0',
    saleId: 'sale',
    campaignId: 'none',
    orderId: 'sale-1',
    letterId: 'none',
    name: 'ticker',
    kind: 'user',
    who: 'nobody',
  };
  const costs: Cost[] = [];
  const add = async (
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: unknown,
    options: { what?: string; count?: number } = {},
  ) => void costs.push(await requestCost(consoleUrl, pids.console, idle, method, path, headers, body, options));
  await requestCost(consoleUrl, pids.console, idle, 'GET', '/api/console/rains', operator, undefined, { count: 40 });
  for (const { method, path, id } of API) {
    if (id === 'signIn' || id === 'signOut') continue;
    const filled = path.replace(/:(\w+)/g, (_, name: string) => ids[name] ?? 'none');
    await add(method, filled, operator, method === 'GET' || method === 'DELETE' ? undefined : {}, {
      what: `${method} ${path}`,
    });
  }
  await add(
    'POST',
    '/api/console/session',
    {},
    { name: 'nobody', password: 'a guess' },
    { what: 'POST /api/console/session', count: 4 },
  );
  await add('DELETE', '/api/console/session', operator);
  await add('GET', '/api/console/rains', { authorization: `Bearer rop_${'x'.repeat(43)}` }, undefined, {
    what: 'console: a made-up bearer',
  });
  await add('GET', '/api/console/rains', { cookie: `rain_session=${'x'.repeat(43)}` }, undefined, {
    what: 'console: a made-up cookie',
  });
  await add('GET', '/api/console/queues', {}, undefined, { what: 'the queues without sign-in' });
  const player = { authorization: `Bearer ${await tokenFor('wallet-user')}` };
  await add('GET', '/api/me', player);
  await add('GET', '/api/me', { authorization: 'Bearer made.up.token' }, undefined, {
    what: 'GET /api/me with a made-up token',
  });
  await add('GET', '/api/rains/rain-0/luckiest', {});
  await add('GET', '/api/rains/invented/luckiest', {}, undefined, {
    what: 'GET /api/rains/:rainId/luckiest of an invented rain',
  });
  await add('GET', '/api/theme?rain=rain-0', {});
  await add('GET', '/api/theme?rain=invented', {}, undefined, { what: 'GET /api/theme of an invented rain' });
  for (const path of ['/', '/healthz', '/readyz', '/api/config', '/nothing', '/api/theme/files/none.png'])
    await add('GET', path, {});
  await add('POST', '/api/guest', {}, {});
  return costs;
}

test('[R10] nothing that a client may ask of a gateway costs more than 20 grabs a kilobyte; the table shows the console, too', async () => {
  const [gatewayIdle, consoleIdle] = [await idleOf(pids.gateway), await idleOf(pids.console)];
  const messages = await gatewayCosts(gatewayIdle);
  const ofGateway = [...messages, ...(await gatewayRequestCosts(gatewayIdle))];
  const grab = messages[0]!;
  console.log(tableOf([...ofGateway, ...(await consoleCosts(consoleIdle))], grab, LIMITS));
  expect(
    Object.keys(CLIENT_MESSAGES).filter((type) => !messages.some(({ what }) => what.split(/[ ,]/)[0] === type)),
  ).toEqual([]);
  expect(grab.answers).toMatch(/^result/);
  const dear = ofGateway.filter((cost) => usPerKilobyte(cost) > GRABS_MAX * usPerKilobyte(grab));
  expect(dear.map(({ what, us, bytes }) => `${what}: ${us.toFixed(0)} µs, ${bytes.toFixed(0)} bytes`)).toEqual([]);
}, 600_000);
