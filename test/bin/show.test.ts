import { afterAll, beforeAll, expect, test } from 'vitest';
import { sendHeartbeat } from '../../src/store/gatewayHeartbeat.ts';
import { redisNow } from '../../src/store/rains.ts';
import { rain, type CliRun } from '../support/call.ts';
import { untouched } from '../support/everything.ts';
import { openQueueContext, type TestQueueContext } from '../support/queueContext.ts';

let context: TestQueueContext;
let env: Record<string, string>;
const ask = (...args: string[]): Promise<CliRun> => rain(args, env);
const json = (run: CliRun): unknown => JSON.parse(run.stdout);

beforeAll(async () => {
  context = await openQueueContext();
  env = { REDIS_URL: context.redisUrl, DATABASE_URL: context.databaseUrl };
  await context.wonRain('look', 3);
  await context.credit();
});
afterAll(() => context.stop());

const PLAN = ['--budget', '88.88', '--packets', '40'];
const WHEN = ['--start', '+1h', '--duration', '60s'];

test('a rain that is only tried: what would leave the account, how the amounts lie, and nothing is written, in words and in JSON', async () => {
  await untouched(context, async () => {
    const told = await ask('create', ...PLAN, ...WHEN, '--id', 'dry', '--load', '--dry-run');
    expect(told).toMatchObject({ exit: 0, stderr: '' });
    expect(told.stdout).toMatch(
      /^88\.88 would leave the operator's account\nthe rain dry would open at 20.*, its packets would be loaded immediately\n/,
    );
    expect(told.stdout).toMatch(
      /\nbudget +88\.88 in 40 packets\nsmallest +0\.\d\d\nmedian +\d\.\d\d\nmean +2\.22\nlargest +\d+\.\d\d\n/,
    );
    expect(told.stdout).toMatch(/█\n/);
    expect(told.stdout).toMatch(/dry run: nothing was changed\n$/);
    const answer = json(await ask('create', ...PLAN, ...WHEN, '--dry-run', '--json')) as { rainId?: string };
    expect(answer).toMatchObject({
      dryRun: true,
      funded: true,
      preview: { packets: 40, budget: '88.88', mean: '2.22' },
    });
    expect(answer.rainId, 'made up, and gone').toBeUndefined();
  });
});

test('[R12] a dry run refuses with its exit code what the deed refuses', async () => {
  expect(await ask('create', ...PLAN, ...WHEN, '--min', '9.00', '--dry-run')).toMatchObject({
    exit: 1,
    stdout: '',
    stderr: expect.stringContaining('rain: ') as string,
  });
  expect(await ask('audit', 'look', '--dry-run')).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('--dry-run: only with --repair') as string,
  });
});

test('closing, topping up and repairing, only tried', async () => {
  await untouched(context, async () => {
    const closed = await ask('close', 'look', '--dry-run', '--json');
    const more = await ask('top-up', 'look', '--budget', '5.00', '--packets', '5', '--dry-run');
    const repaired = await ask('audit', 'look', '--repair', '--dry-run', '--json');
    expect(json(closed)).toEqual({ dryRun: true, rainId: 'look', state: 'closed', left: 7, unclaimed: '7.00', won: 3 });
    expect(more.stdout).toMatch(/^look would get 5\.00 in 5 packets; in total 15\.00 in 15\n[^]*smallest/);
    expect(json(repaired)).toMatchObject({ dryRun: true, rainId: 'look', repaired: 0, balanced: true });
  });
});

test('a preview contacts no server', async () => {
  const { exit, stdout } = await rain([
    'preview',
    ...PLAN,
    '--tier',
    '1x8.88',
    '--tier',
    '39x2.00',
    '--budget',
    '86.88',
  ]);
  expect(exit).toBe(0);
  expect(stdout).toMatch(/smallest +2\.00\nmedian +2\.00\nmean +2\.17\nlargest +8\.88/);
  expect(await rain(['preview', '--budget', '0.01', '--packets', '2', '--json'])).toMatchObject({
    exit: 1,
    stdout: expect.stringContaining('"ok":false') as string,
  });
});

test('operator actions, page by page, of one rain or of all', async () => {
  const first = json(await ask('actions', '--rain', 'look', '--limit', '1', '--json')) as {
    actions: { id: string; verb: string }[];
    next: string;
  };
  expect(first.actions).toMatchObject([{ actor: 'test', verb: 'load', rainId: 'look' }]);
  expect(json(await ask('actions', '--rain', 'look', '--before', first.next, '--json'))).toMatchObject({
    actions: [{ verb: 'create', details: { budget: '10.00' } }],
  });
  expect((await ask('actions')).stdout).toMatch(
    /test +create +look +.*budget 10\.00, packets 10.*, commitment [0-9a-f]{8}…\n/,
  );
  expect(await ask('actions', '--rain', 'nowhere')).toMatchObject({
    exit: 1,
    stderr: 'rain: --rain: there is no rain nowhere\n',
  });
  expect(await ask('actions', '--sale', 'look', '--verb', 'pay')).toMatchObject({
    exit: 1,
    stderr: 'rain: --sale: there is no sale look\n',
  });
  expect(await ask('actions', '--before', 'x')).toMatchObject({ exit: 2 });
});

test('operator actions by verb, operator and time; what cannot be one is refused by name', async () => {
  const verbs = async (...filter: string[]) =>
    (json(await ask('actions', '--json', ...filter)) as { actions: { verb: string }[] }).actions.map(
      ({ verb }) => verb,
    );
  expect(await verbs('--rain', 'look', '--verb', 'create')).toEqual(['create']);
  expect(await verbs('--actor', 'test', '--since', '1h', '--rain', 'look')).toEqual(['load', 'create']);
  expect([
    await verbs('--actor', 'nobody'),
    await verbs('--until', '1h'),
    await verbs('--since', '2099-01-01T00:00:00Z'),
  ]).toEqual([[], [], []]);
  expect(await ask('actions', '--verb', 'creates')).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('Allowed choices are create, load, pause') as string,
  });
  expect(await ask('actions', '--since', 'yesterday')).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('expected 30m, 2h, 7d … before now') as string,
  });
  expect(await ask('actions', '--since', '1h', '--until', '2h')).toMatchObject({
    exit: 2,
    stderr: 'rain: --until: expected a time after --since\n',
  });
  expect(await ask('actions', '--rain', 'look', '--sale', 'look')).toMatchObject({
    exit: 2,
    stderr: 'rain: --rain and --sale: expected one of them\n',
  });
});

test('running gateways, and the state of the system', async () => {
  expect((await ask('gateways')).stdout).toBe('no gateway is running; start one with: rain gateway\n');
  const startedAt = await redisNow(context.redis);
  const tell = async () =>
    sendHeartbeat(context.redis, {
      id: 'g',
      address: 'ws://127.0.0.1:1',
      version: '1',
      startedAt,
      at: await redisNow(context.redis),
      sockets: 12,
      screens: 1,
      grabsPending: 0,
      pressed: true,
      answers: { '0': 3 },
    });
  await tell();
  const telling = setInterval(() => void tell(), 500);
  const heard = await ask('gateways', '--json').finally(() => clearInterval(telling));
  expect(json(heard)).toMatchObject({ gateways: [{ id: 'g', sockets: 12, pressed: true, answers: { '0': 3 } }] });
  const seen = await ask('system', '--json');
  expect(json(seen)).toMatchObject({
    redis: { up: true },
    database: { up: true },
    queues: { credit: { waiting: 0 }, later: { waiting: 0 }, dead: 0 },
    workers: 1,
    held: [],
    stores: { behind: [], lost: [] },
  });
  expect((await ask('system')).stdout).toMatch(
    /redis +up, \d+\.\d+[^]*\nheld rains +0\nheld sales +0\nstores +of the same time\n[^]*\nqueue +waiting +active +delayed +failed\ncredit +0/,
  );
});

test('winners: a search, a limited table, and all winners for a spreadsheet', async () => {
  expect((await ask('winners', 'look', '--search', 'user-1')).stdout).toMatch(
    /^packet +user +amount +at +status\nlook-\d+ +user-1 +1\.00 +20\S+ +credited\n$/,
  );
  expect((await ask('winners', 'look', '--search', 'nobody')).stdout).toMatch(/^no such user has won/);
  expect((await ask('winners', 'look', '--limit', '2', '--json')).stdout.trim().split('\n')).toHaveLength(2);
  const sheet = (await ask('winners', 'look', '--csv')).stdout;
  expect(sheet.startsWith('\uFEFFredPacketId,userId,amount,at,localTime,status\r\n')).toBe(true);
  expect(sheet.trim().split('\r\n')).toHaveLength(4);
  expect(await ask('winners', 'look', '--csv', '--limit', '2')).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('--csv: expected either') as string,
  });
});

test('the document of the HTTP API is printed without a server', async () => {
  const { exit, stdout } = await rain(['openapi']);
  expect(exit).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ openapi: '3.1.0', paths: { '/api/console/rains': {} } });
});
