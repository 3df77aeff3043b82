import { createServer } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { explain } from '../../src/bin/exit.ts';
import { identify, isAlive, type ProcessIdentity } from '../../src/platform/process/processIdentity.ts';
import { SERVER_DEADLINE_MS } from '../../src/platform/process/shutdown.ts';
import { checkMoney } from '../../src/loadtest/report/verdict.ts';
import { runWave } from '../../src/loadtest/wave.ts';
import { startCli, type CliProcess } from '../support/cli.ts';
import { dial, SECRET, tokenFor, type Client } from '../support/client.ts';
import { claimLog } from '../support/operatorContext.ts';
import { eventually } from '../support/eventually.ts';
import { openRedis, stockRain } from '../support/rain.ts';
import { scrape } from '../support/scrape.ts';

const { server, redis } = await openRedis();

interface Gateways {
  cli: CliProcess;
  url: string;
  metricsUrl: string;
  children: ProcessIdentity[];
}

const started: CliProcess[] = [];
afterAll(() => {
  for (const { child } of started) child.kill('SIGKILL');
});

function start(processes: number, env: Record<string, string> = {}): CliProcess {
  const cli = startCli(['gateway', '--processes', String(processes)], {
    REDIS_URL: server.url,
    JWT_SECRET: SECRET,
    GATEWAY_PORT: '0',
    METRICS_PORT: '0',
    ...env,
  });
  started.push(cli);
  return cli;
}

async function open(processes: number, env: Record<string, string> = {}): Promise<Gateways> {
  const cli = start(processes, env);
  const lines = () =>
    cli
      .stderr()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as { msg: string; url: string; pids: number[] });
  const ready = await eventually(() => lines().find(({ msg }) => msg === 'all gateway processes open') ?? false, {
    timeoutMs: 40_000,
  });
  expect(
    lines().filter(({ msg }) => msg === 'gateway open'),
    'ready only when all listen',
  ).toHaveLength(processes);
  const metricsUrl = lines()
    .find(({ msg }) => msg === 'metrics open')!
    .url.replace('/metrics', '');
  return { cli, url: ready.url, metricsUrl, children: ready.pids.map((pid) => identify(pid)!) };
}

const figures = async (url: string, name: string, labels = '') =>
  [...(await scrape(url))].filter(([key]) => key.startsWith(`${name}{${labels}`)).map(([, value]) => value);
const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);

let three: Gateways;
beforeAll(async () => {
  three = await open(3);
});

test('connections are distributed evenly, and one page has the metrics of all processes, with a label for each', async () => {
  await stockRain(redis, { rainId: 'shared', amounts: ['1.00', '1.00'] });
  const { url, metricsUrl } = three;
  // One after the other: of those that come at once, a process that is slow takes fewer.
  const players: Client[] = [];
  for (let i = 0; i < 60; i++) players.push(await dial(url, `user-${i}`));
  const sockets = await figures(metricsUrl, 'rain_gateway_sockets');
  expect(sockets).toHaveLength(3);
  expect(sum(sockets)).toBe(60);
  expect(Math.min(...sockets)).toBeGreaterThanOrEqual(18);
  for (const player of players) player.say({ type: 'grab', rainId: 'shared' });
  await Promise.all(players.map((player) => player.next('result')));
  expect(sum(await figures(metricsUrl, 'rain_gateway_grabs_total', 'code="0"'))).toBe(2);
  expect(sum(await figures(metricsUrl, 'rain_gateway_grabs_total'))).toBe(60);
  const told = await scrape(metricsUrl);
  expect(told.get('rain_gateway_processes{process="parent"}')).toBe(3);
  const answered = (series: string) =>
    figures(metricsUrl, `rain_gateway_answer_seconds_${series}`, series === 'bucket' ? 'le="+Inf"' : '');
  expect(await answered('bucket'), 'a histogram of each process').toEqual(await answered('count'));
  expect([(await answered('count')).length, sum(await answered('count')) > 0]).toEqual([3, true]);
  expect((await fetch(`${metricsUrl}/readyz`)).status).toBe(200);
  expect(
    ['parent', '1', '2', '3'].filter((process) => told.get(`process_start_time_seconds{process="${process}"}`)! > 0),
  ).toHaveLength(4);
  await Promise.all(players.map((player) => player.leave()));
});

test('[R1][R6] kill -9 of one of them under sockets: its users come back to the others and learn their result, and another takes its place', async () => {
  const { url, metricsUrl, children } = three;
  await stockRain(redis, { rainId: 'struck', amounts: Array.from({ length: 100 }, () => '1.00'), opensInMs: 1_500 });
  let answered = 0;
  const playing = runWave({
    url,
    rainId: 'struck',
    users: 300,
    tokenFor,
    seed: '9111'.repeat(16),
    connectsPerSecond: 1_000,
    reactionMs: { min: 0, max: 2_000 },
    onProgress: (progress) => {
      ({ answered } = progress);
    },
  });
  await eventually(() => answered > 30, { timeoutMs: 20_000 });
  expect(answered, 'in full swing').toBeLessThan(200);
  process.kill(children[0]!.pid, 'SIGKILL');
  const report = await playing;
  expect(report.lostLines).toBeGreaterThan(10);
  expect(
    report.outcomes.filter(({ name }) => name !== 'won' && name !== 'already_claimed' && name !== 'nothing_left'),
  ).toEqual([]);
  expect(report.winners).toBe(100);
  expect(await claimLog({ redis }, 'struck')).toHaveLength(100);
  expect(checkMoney(report)).toMatchObject({ balanced: true });
  await eventually(
    async () => expect((await scrape(metricsUrl)).get('rain_gateway_processes{process="parent"}')).toBe(3),
    { timeoutMs: 20_000 },
  );
});

test('SIGTERM of the parent: the players of all processes, also of a replaced one, are asked to reconnect, exit 0', async () => {
  const { cli, url, metricsUrl } = three;
  // One by one: of many at once a busy process takes fewer, and here each is to have some.
  const players = [];
  for (let i = 0; i < 30; i++) players.push(await dial(url, `later-${i}`));
  const sockets = await figures(metricsUrl, 'rain_gateway_sockets');
  expect(sockets).toHaveLength(3);
  expect(Math.min(...sockets)).toBeGreaterThanOrEqual(4);
  cli.child.kill('SIGTERM');
  expect(new Set(await Promise.all(players.map(({ closed }) => closed)))).toEqual(new Set([1012]));
  // Its own clock cuts it off at the deadline, with another code.
  const { exit, stderr } = await cli.done;
  expect([exit, stderr.includes('not everything was closed')]).toEqual([0, false]);
});

test('[R12] a fault at the start is reported once, as with one process, and no process is left running', async () => {
  const taken = createServer();
  const port = await new Promise<number>((resolve) =>
    taken.listen(0, '127.0.0.1', () => resolve((taken.address() as { port: number }).port)),
  );
  onTestFinished(() => void taken.close());
  const { exit, stderr } = await start(3, { GATEWAY_PORT: String(port) }).done;
  expect(exit).toBe(1);
  expect(stderr).toContain(`gateway process 1 did not start: port ${port} of 127.0.0.1 is in use`);
  expect(stderr).not.toContain('process 2');
  expect(
    explain(
      new Error(
        'gateway process 1 did not start: Redis cannot be reached at 127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1',
      ),
    ),
  ).toMatchObject({ exit: 3 });
});

test('with JWT_SECRET alone all processes issue tickets that each of them accepts; kill -9 of the parent drains them', async () => {
  await stockRain(redis, { rainId: 'ticketed', amounts: ['1.00', '2.00'], opensInMs: -10_000 });
  const { cli, url, metricsUrl, children } = await open(2, { TICKETS: 'always' });
  const players = await Promise.all(Array.from({ length: 6 }, () => dial(url, 'ann')));
  const [first, ...others] = players;
  first!.say({ type: 'join', rainId: 'ticketed' });
  const { ticket } = await first!.next('ticket');
  // Before anybody wins: the join may still be reading whether this user has won, and would report it.
  first!.say({ type: 'grab', rainId: 'ticketed' });
  expect(await first!.next('result')).toMatchObject({ code: '-9' });
  for (const other of others) other.say({ type: 'grab', rainId: 'ticketed', ticket });
  const codes = (await Promise.all(others.map((other) => other.next('result')))).map(({ code }) => code);
  expect(codes.sort()).toEqual(['0', '1', '1', '1', '1']);
  expect(
    Math.min(...(await figures(metricsUrl, 'rain_gateway_sockets'))),
    'his sockets are at both processes',
  ).toBeGreaterThan(0);
  expect(sum(await figures(metricsUrl, 'rain_gateway_issued_total', 'what="ticket"'))).toBe(1);

  cli.child.kill('SIGKILL');
  expect(new Set(await Promise.all(players.map(({ closed }) => closed)))).toEqual(new Set([1012]));
  await eventually(() => children.every((child) => !isAlive(child)), { timeoutMs: SERVER_DEADLINE_MS });
});
