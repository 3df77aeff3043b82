import { getPriority } from 'node:os';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { shardKeys } from '../../src/store/keys.ts';
import { TRACE_STEPS } from '../../src/rain/packet-trace.ts';
import { spanIdOf, traceIdOf } from '../../src/platform/telemetry/traces.ts';
import { buildShippedPage } from '../browser/built-page.ts';
import { rain } from '../support/call.ts';
import { startCli, type CliProcess } from '../support/cli.ts';
import { dial, SECRET, tokenFor } from '../support/client.ts';
import { startCollector, type Collector } from '../support/servers/collector.ts';
import { openTestContext, type TestContext } from '../support/operatorContext.ts';
import { eventually } from '../support/eventually.ts';
import { ask } from '../support/servers/testConsole.ts';
import { proxyDatabase } from '../support/servers/database.ts';
import type { TcpProxy } from '../support/servers/proxy.ts';
import { scrape } from '../support/scrape.ts';

const TICKET_SECRET = 'a-ticket-secret-for-tests-0123456789abcdef';
const PASSWORD = 'a long password';
/**
 * No port, no time and no id looks like these: a rain of two packets, one of five, and a claim that nobody may make.
 */
const [TRACED, TRACED_AMOUNT, BUDGET, AMOUNT, SPOILED] = ['3456.78', '1728.39', '8675.55', '1735.11', '2718.28'];
const STARTED = { timeoutMs: 50_000 };

let context: TestContext;
let collector: Collector;
let line: TcpProxy;
let env: Record<string, string>;
/** Gateway, worker and console, each a process as it is in a deployment. */
const servers = new Map<string, CliProcess>();
/** Secrets that must not be found in a log. */
const secrets: string[] = [
  TRACED,
  TRACED_AMOUNT,
  BUDGET,
  AMOUNT,
  SPOILED,
  '173511',
  '867555',
  SECRET,
  TICKET_SECRET,
  PASSWORD,
  'rain_session',
];

beforeAll(async () => {
  [context, collector] = await Promise.all([openTestContext(), startCollector(), buildShippedPage()]);
  const database = await proxyDatabase(context.databaseUrl);
  line = database.line;
  env = {
    REDIS_URL: context.redisUrl,
    DATABASE_URL: database.url,
    JWT_SECRET: SECRET,
    TICKETS: 'always',
    TICKET_SECRET,
    GATEWAY_PORT: '0',
    CONSOLE_PORT: '0',
    METRICS_PORT: '0',
    LOG_LEVEL: 'info',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    TRACES_ONE_IN: '1',
  };
  for (const words of [['gateway'], ['worker'], ['console', '--guests']]) servers.set(words[0]!, startCli(words, env));
  await Promise.all(
    [...servers.keys()].map((name) =>
      eventually(() => expect(servers.get(name)!.stderr()).toContain(`${name} open`), STARTED),
    ),
  );
});
afterAll(async () => {
  for (const { child } of servers.values()) child.kill('SIGKILL');
  await Promise.all([...servers.values()].map(({ done }) => done));
  await line?.close();
  await Promise.all([collector?.close(), context?.stop()]);
});

const said = () => [...servers.values()].map((server) => server.stderr() + server.stdout()).join('');
const lines = (name: string) =>
  servers
    .get(name)!
    .stderr()
    .split('\n')
    .filter(Boolean)
    .map((text) => JSON.parse(text) as Record<string, unknown>);
const gatewayUrl = () =>
  `ws://127.0.0.1:${String(lines('gateway').find(({ msg }) => msg === 'gateway open')!['port'])}/v1`;
const consoleUrl = () => String(lines('console').find(({ msg }) => msg === 'console open')!['url']);

/** A user who has joined a rain, with the ticket he got. */
async function join(rainId: string, userId: string) {
  const client = await dial(gatewayUrl(), userId);
  client.say({ type: 'join', rainId });
  const { ticket } = (await client.next('ticket')) as { ticket: string };
  secrets.push(ticket);
  return {
    client,
    grab: () => {
      client.say({ type: 'grab', rainId, ticket });
      return client.next('result');
    },
  };
}

test.each([
  ['gateway', 'rain_gateway_sockets'],
  ['worker', 'rain_redis_problems{problem="replica"}'],
  ['console', 'rain_console_login_failures_total{why="wrong"}'],
])('rain %s tells its figures where METRICS_PORT says, says where that is, and is ready', async (name, figure) => {
  const url = /"url":"(http:\/\/127\.0\.0\.1:\d+)\/metrics"/.exec(servers.get(name)!.stderr())![1]!;
  await eventually(async () => expect((await scrape(url)).get(figure)).toBe(0));
  expect((await scrape(url)).get('process_start_time_seconds')).toBeGreaterThan(0);
  await eventually(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200));
});

test('a worker runs below the priority of the gateway and the console', () => {
  const priorityOf = (name: string) => getPriority(servers.get(name)!.child.pid);
  expect(priorityOf('worker')).toBeGreaterThan(priorityOf('gateway'));
  expect(priorityOf('console')).toBe(priorityOf('gateway'));
});

test('a win is one trace from its socket to the ledger and back, over processes that exchange no trace ids', async () => {
  expect(
    await rain(
      [
        'create',
        '--id',
        't1',
        '--budget',
        TRACED!,
        '--packets',
        '2',
        '--split',
        'even',
        '--start',
        '+0s',
        '--duration',
        '600s',
        '--load',
      ],
      env,
    ),
  ).toMatchObject({ exit: 0 });
  const players = [await join('t1', 'ann'), await join('t1', 'bob'), await join('t1', 'eve')] as const;
  const ids: string[] = [];
  for (const { grab } of players) {
    const result = await grab();
    if (result.code === '0') ids.push(String(result.redPacketId));
  }
  expect(ids).toHaveLength(2);
  await Promise.all([players[0].client.next('credited'), players[1].client.next('credited')]);

  await eventually(() => expect(collector.heard).toHaveLength(2 * TRACE_STEPS.length));
  for (const id of ids) {
    const of = `t1/${id}`;
    const spans = TRACE_STEPS.map((name) =>
      collector.heard.find((one) => one.traceId === traceIdOf(of) && one.name === name)!,
    );
    expect(
      spans.map(({ name, service, spanId, parentSpanId }) => [name, service, spanId, parentSpanId || undefined]),
    ).toEqual([
      ['grab', 'rain-gateway', spanIdOf(of, 'grab'), undefined],
      ['relay', 'rain-worker', spanIdOf(of, 'relay'), spanIdOf(of, 'grab')],
      ['credit', 'rain-worker', spanIdOf(of, 'credit'), spanIdOf(of, 'relay')],
      ['announce', 'rain-worker', spanIdOf(of, 'announce'), spanIdOf(of, 'credit')],
      ['told', 'rain-gateway', spanIdOf(of, 'told'), spanIdOf(of, 'announce')],
    ]);
    for (const { attributes, startTimeUnixNano, endTimeUnixNano } of spans) {
      expect(attributes).toMatchObject({ 'rain.id': 't1', 'rain.red_packet_id': id });
      expect(endTimeUnixNano).toBeGreaterThanOrEqual(startTimeUnixNano);
    }
    // Milliseconds of two clocks: a step may seem to begin a little before the one before it has ended, never before it
    // began.
    spans.reduce((before, span) => {
      expect(span.endTimeUnixNano + 2_000_000n).toBeGreaterThan(before.startTimeUnixNano);
      return span;
    });
  }
  // Amounts, the users, and what opens doors.
  for (const text of collector.raw)
    expect(text).not.toMatch(/1728\.39|3456\.78|"(ann|bob|eve)"|eyJ|for-tests|redis:|postgres:/);
  await Promise.all(players.map(({ client }) => client.leave()));
});

test('`rain console` shows players their wallet, and accepts an operator that the command line has added', async () => {
  const asAnn = { authorization: `Bearer ${await tokenFor('ann')}` };
  await eventually(async () =>
    expect(await ask(consoleUrl(), 'GET', '/api/me', undefined, asAnn)).toMatchObject({
      status: 200,
      body: { wallet: TRACED_AMOUNT, settled: true },
    }),
  );
  expect(await ask(consoleUrl(), 'GET', '/api/rains/t1/luckiest')).toMatchObject({
    body: { luckiest: [{ amount: TRACED_AMOUNT }, { amount: TRACED_AMOUNT }], final: false },
  });
  expect(await rain(['operator', 'add', 'carol'], env, `${PASSWORD}\n`)).toMatchObject({ exit: 0 });
  const signedIn = await ask(consoleUrl(), 'POST', '/api/console/session', { name: 'carol', password: PASSWORD });
  expect(signedIn).toMatchObject({ status: 200, body: { name: 'carol', role: 'operator' } });
  const cookie = signedIn.headers.get('set-cookie')!.split(';')[0]!;
  secrets.push(cookie.split('=')[1]!);
  expect(await ask(consoleUrl(), 'GET', '/api/console/system', undefined, { cookie })).toMatchObject({
    status: 200,
    body: { redis: { up: true }, database: { up: true } },
  });
  expect([200, 503]).toContain((await ask(consoleUrl(), 'GET', '/console/')).status);
});

test('no log of a whole rain, with all that may go wrong in it, holds an amount, a token or a secret; what went wrong is named by its packet', async () => {
  expect(
    await rain(
      [
        'create',
        '--id',
        'l1',
        '--budget',
        BUDGET!,
        '--packets',
        '5',
        '--split',
        'even',
        '--start',
        '+0s',
        '--duration',
        '300s',
        '--load',
      ],
      env,
    ),
  ).toMatchObject({ exit: 0 });
  secrets.push(...(await Promise.all(['ann', 'bob', 'eve'].map((name) => tokenFor(name)))));
  const won: string[] = [];
  const play = async (userId: string) => {
    const { client, grab } = await join('l1', userId);
    await eventually(
      async () => {
        const result = await grab();
        expect(['0', '1']).toContain(result.code);
        won.push(String(result.redPacketId));
      },
      { everyMs: 250 },
    );
    return client;
  };
  // A database that is away, so that attempts fail, and entries that no book takes.
  line.refuse();
  const ann = await play('ann');
  await eventually(() =>
    expect(lines('worker').some(({ msg }) => msg === 'crediting failed, will try again')).toBe(true),
  );
  line.pass();
  const bob = await play('bob');
  await context.redis.lpush(
    shardKeys('l1', 0).claims,
    JSON.stringify({ rainId: 'another', redPacketId: 'alien-7', amount: SPOILED, userId: 'eve', at: '1700000000000' }),
    `{"amount":"${SPOILED}"`,
  );
  ann.say({ type: 'grab', rainId: 'l1', ticket: 'not.a.ticket' });
  const guest = await ask(consoleUrl(), 'POST', '/api/guest', {});
  expect(guest.status).toBe(200);
  secrets.push((guest.body as { token: string }).token);
  await eventually(
    () => expect(lines('worker').some(({ msg }) => String(msg).startsWith('claims given up'))).toBe(true),
    { timeoutMs: 30_000 },
  );
  await Promise.all([ann, bob].map((client) => client.leave()));
  for (const { child } of servers.values()) child.kill('SIGTERM');
  expect((await Promise.all([...servers.values()].map(({ done }) => done))).map(({ exit }) => exit)).toEqual([0, 0, 0]);

  const named = lines('worker').flatMap(({ redPacketIds }) => (redPacketIds ?? []) as string[]);
  expect(named).toEqual(expect.arrayContaining(['alien-7', won[0]]));
  const password = new URL(context.databaseUrl).password;
  for (const secret of [
    ...secrets,
    ...secrets
      .filter((text) => text.includes('.'))
      .map((text) => text.split('.').at(-1)!)
      .filter((text) => text.length > 8),
    ...(password ? [`:${password}@`] : []),
  ]) {
    expect(
      said()
        .split('\n')
        .filter((text) => text.includes(secret)),
      secret,
    ).toEqual([]);
  }
  expect(said()).not.toMatch(/eyJ[\w-]{10}/);
}, 120_000);
