import { beforeAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { callCli, rain } from '../support/call.ts';
import { createRain } from '../../src/operator/create.ts';
import { openSaleStage } from '../operator/sale/saleStage.ts';
import { createRangeQueue } from '../../src/credit/queue.ts';
import { connectRedis, untilReady } from '../../src/platform/redis/connect.ts';
import { QUEUE_PREFIX } from '../../src/store/keys.ts';

const stage = await openSaleStage();
const { context } = stage;
let env: Record<string, string>;
beforeAll(() => {
  env = { REDIS_URL: context.redisUrl, DATABASE_URL: context.databaseUrl };
});

const json = (text: string) => JSON.parse(text) as Record<string, unknown>;
const sale = (...words: string[]) => rain(['sale', ...words], env);

test('`rain sale create` as in the manual: two items, on sale in ten seconds; and a dry run that books nothing', async () => {
  const words = [
    'create',
    '--title',
    'New year',
    '--item',
    'tee:100@19.90',
    '--item',
    'mug:50@9.90',
    '--per-user',
    '2',
    '--hold',
    '60s',
    '--start',
    '+10s',
    '--duration',
    '60s',
    '--id',
    'newyear',
    '--load',
  ];
  const tried = await sale(...words, '--dry-run');
  expect(tried).toMatchObject({
    exit: 0,
    stderr: '',
    stdout: expect.stringMatching(
      /^100 tee at 19\.90, 50 mug at 9\.90 would be put into the stock\nthe sale would open at \S+Z and close at \S+Z\ndry run: nothing was changed\n$/,
    ) as string,
  });
  expect(await context.ledger.sale('newyear')).toBeUndefined();
  expect(await sale(...words)).toMatchObject({ exit: 0, stdout: 'newyear\n' });
  expect(await context.ledger.sale('newyear')).toMatchObject({
    title: 'New year',
    perUserMax: 2,
    holdMs: 60_000,
    items: [
      { sku: 'tee', units: 100, price: '19.90' },
      { sku: 'mug', units: 50, price: '9.90' },
    ],
  });
  expect(json((await sale('show', 'newyear', '--json')).stdout)).toMatchObject({
    saleId: 'newyear',
    state: 'loaded',
    items: [
      { sku: 'tee', left: 100 },
      { sku: 'mug', left: 50 },
    ],
  });
  expect((await sale('show', 'newyear')).stdout).toMatch(
    /^sale +newyear {2}New year\nstate +loaded\n[^]*per user +2\n[^]*\nsku +name +price +units +left[^]*\ntee +19\.90 +100 +100/,
  );
});

test('`rain campaign exclude --buyers-of` excludes the buyers of a settled sale; one source at a time', async () => {
  await stage.open('last-year');
  await stage.buy('last-year', { userId: 'ann' });
  await stage.write('last-year');
  await stage.step('last-year', 1, 'paid');
  await context.ledger.settleSale('last-year');
  expect(await rain(['campaign', 'create', '--id', 'season', '--wins-per-user', '2'], env)).toMatchObject({ exit: 0 });
  expect(await rain(['campaign', 'exclude', 'season', '--buyers-of', 'last-year'], env)).toMatchObject({
    exit: 0,
    stdout: '1 excluded, 1 in all\n',
  });
  expect(
    await rain(['campaign', 'exclude', 'season', '--buyers-of', 'last-year', '--winners-of', 'x'], env),
  ).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('expected one of --winners-of, --buyers-of and --list') as string,
  });
  expect(await rain(['campaign', 'exclude', 'season', '--buyers-of', 'nothing'], env)).toMatchObject({
    exit: 1,
    stderr: expect.stringContaining('--buyers-of: there is no sale or campaign with sales nothing') as string,
  });
});

test('a start that has passed is said, as typed, when the sale is still ahead of its end; a price of one decimal is taken', async () => {
  const start = new Date(Date.now() - 600_000).toISOString();
  const tried = await sale('create', '--item', 'tee:100@19.9', '--start', start, '--dry-run');
  expect(tried).toMatchObject({ exit: 0, stdout: expect.stringContaining('100 tee at 19.90 would be put') as string });
  expect(tried.stderr).toBe(
    `--start: ${start} has passed already; the sale opens at once, and closes at ${new Date(Date.parse(start) + 3_600_000).toISOString()}\n`,
  );
});

test('`rain sale create --item seat:500@0` makes a ticket drop: one each, for nothing', async () => {
  const created = json((await sale('create', '--item', 'seat:500@0', '--load', '--json')).stdout);
  const id = created['saleId'] as string;
  expect(created).toMatchObject({ state: 'loaded' });
  expect(await context.ledger.sale(id)).toMatchObject({
    title: `Sale ${id}`,
    perUserMax: 1,
    items: [{ sku: 'seat', units: 500, price: '0.00' }],
  });
  expect((await sale('show', id)).stdout).toMatch(/\nto be paid +nothing: free items are the buyer's at once\n/);
  expect((await stage.buy(id, { userId: 'ann', sku: 'seat' })).map(({ code }) => code)).toEqual(['0']);
});

test('items come from a JSON file, too, with everything that an item may have', async () => {
  const items = [
    {
      sku: 'tee',
      name: 'A tee',
      description: 'Cotton.\n纯棉',
      units: 3,
      price: '19.90',
      listPrice: '29.90',
      picture: '/tee.png',
      perOrderMax: 2,
      perUserMax: 2,
    },
  ];
  expect(await rain(['sale', 'create', '--items', '-', '--id', 'listed'], env, JSON.stringify(items))).toMatchObject({
    exit: 0,
    stdout: 'listed\n',
  });
  expect((await context.ledger.sale('listed'))!.items).toEqual(items);
  expect(JSON.parse((await rain(['sale', 'show', 'listed', '--json'], env)).stdout)).toMatchObject({
    items: [{ sku: 'tee', description: 'Cotton.\n纯棉', picture: '/tee.png' }],
  });
  // As an editor on Windows writes it.
  expect(
    await rain(
      ['sale', 'create', '--items', '-', '--id', 'windows'],
      env,
      `\ufeff${JSON.stringify(items, null, 2).replaceAll('\n', '\r\n')}\r\n`,
    ),
  ).toMatchObject({ exit: 0, stdout: 'windows\n' });
  expect(await rain(['sale', 'create', '--items', '-'], env, '{}')).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('--items: - is not a JSON list; expected [') as string,
  });
  expect(await rain(['sale', 'create', '--items', '-'], env, '[{"sku":"tee","units":0,"price":"1"}]')).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('--items: items.0.units: expected a whole number from 1') as string,
  });
});

test('`rain show` and `rain audit` of a sale name the command for it, and the other way round', async () => {
  await stage.open('either');
  const now = Date.now();
  await createRain(context, {
    id: 'rainy',
    plan: { budget: '1.00', packets: 1, split: { method: 'even' } },
    opensAt: now + 60_000,
    closesAt: now + 120_000,
  });
  for (const verb of ['show', 'audit', 'load']) {
    expect(await rain([verb, 'either'], env)).toMatchObject({
      exit: 1,
      stderr: 'rain: id: there is no rain either; it is a sale, see rain sale show either or rain sale audit either\n',
    });
    expect(await sale(verb, 'rainy')).toMatchObject({
      exit: 1,
      stderr: 'rain: id: there is no sale rainy; it is a rain, see rain show rainy or rain audit rainy\n',
    });
  }
});

test('a sale from its start to its end, in the words of the commands', async () => {
  await sale('create', '--item', 'tee:5@19.90', '--id', 'walk', '--start', '+1h', '--per-user', '2');
  expect((await sale('load', 'walk')).stdout).toBe('walk: loaded, 5 units\n');
  expect((await sale('start', 'walk')).stdout).toMatch(/^walk: open, from \S+Z to \S+Z\n$/);
  expect((await sale('pause', 'walk')).stdout).toMatch(/^walk: paused, from /);
  expect(json((await sale('resume', 'walk', '--json')).stdout)).toMatchObject({ saleId: 'walk', state: 'open' });
  await stage.buy('walk', { userId: 'ann', quantity: 2 }, { userId: 'bob' }, { userId: '=cem' });
  await stage.write('walk');
  await stage.step('walk', 1, 'paid');
  expect(await sale('audit', 'walk', '--json')).toMatchObject({
    exit: 0,
    stdout:
      '{"saleId":"walk","items":[{"sku":"tee","units":5,"sold":2,"reserved":2,"pending":0,"left":1,"returned":0}],"orders":3,"buyers":3,"balanced":true}\n',
  });
  expect((await sale('audit', 'walk')).stdout).toMatch(
    /^sku +sold +reserved +pending +left +returned +units\ntee +2 +2 +0 +1 +0 +5\nThe units add up: 3 orders of 3 buyers\.\n$/,
  );
  expect((await sale('cancel', 'walk-2', '--reason', 'asked', '--dry-run')).stdout).toBe(
    'walk-2: would be cancelled, 1 tee of bob\ndry run: nothing was changed\n',
  );
  expect((await sale('cancel', 'walk-2', '--reason', 'asked')).stdout).toBe('walk-2: cancelled, 1 tee of bob\n');
  expect((await sale('refund', 'walk-1', '--reason', 'broken')).stdout).toBe('walk-1: refunded, 2 tee of ann\n');
  expect((await sale('refund', 'walk-1', '--reason', 'broken')).stdout).toBe(
    'walk-1: was refunded before, 2 tee of ann\n',
  );
  await stage.follow('walk');
  expect((await sale('orders', 'walk')).stdout).toMatch(
    /^orderId,userId,sku,name,quantity,price,amount,status,reservedAt,payBy,changedAt,ref\nwalk-1,ann,tee,,2,19\.90,39\.80,refunded,[^]*\nwalk-3,'=cem,tee,,1,19\.90,19\.90,created,/,
  );
  expect((await sale('orders', 'walk', '--csv')).stdout.startsWith('\ufefforderId,')).toBe(true);
  expect(json((await sale('orders', 'walk', '--user', 'bob', '--json')).stdout)).toMatchObject({
    orderId: 'walk-2',
    userId: 'bob',
    status: 'cancelled',
  });
  expect(json((await sale('orders', 'walk', '--status', 'created', '--json')).stdout)).toMatchObject({
    orderId: 'walk-3',
  });
  expect((await callCli(['sale', 'orders', 'walk', '--order', 'walk-1'], env, { isTTY: true }).done).stdout).toMatch(
    /walk-1 +ann +tee +2 +19\.90 +39\.80 +refunded/,
  );
  expect(await sale('top-up', 'walk', '--item', 'tee:4', '--id', 'walk/a', '--dry-run')).toMatchObject({
    stdout: 'walk would get 4 tee; in total 9\ndry run: nothing was changed\n',
  });
  for (let twice = 0; twice < 2; twice++)
    expect(await sale('top-up', 'walk', '--item', 'tee:4', '--id', 'walk/a')).toMatchObject({
      stdout: 'walk got 4 tee; in total 9\n',
      stderr: 'top-up walk/a\n',
    });
  const replay = await sale('replay', 'walk', '--json');
  expect(replay).toMatchObject({ exit: 0, stderr: 'The log and the orders agree: 3 reservations.\n' });
  expect(
    replay.stdout
      .trim()
      .split('\n')
      .map((line) => json(line))
      .map((row) => [row['reservationId'], row['userId'], row['status']]),
  ).toEqual([
    ['walk-1', 'ann', 'refunded'],
    ['walk-2', 'bob', 'cancelled'],
    ['walk-3', '=cem', 'created'],
  ]);
  expect((await sale('replay', 'walk')).stdout).toMatch(
    /^at,reservationId,userId,sku,quantity,price,ref,payBy,status\n/,
  );
  expect((await sale('end', 'walk', '--dry-run')).stdout).toMatch(
    /^walk: would end now, for good; 8 units that are left would go back to the shop, and 1 reserved ones could still be paid\n/,
  );
  const ended = (await sale('end', 'walk')).stdout;
  expect(ended).toMatch(/^walk: closed, from \S+Z to \S+Z\n$/);
  expect((await sale('list')).stdout).toMatch(/\nwalk +Sale walk +closed /);
  expect(json((await sale('list', '--json', '--limit', '1')).stdout)).toMatchObject({
    sales: [{ saleId: 'walk', state: 'closed' }],
  });
  const { endedAt, closesAt } = json((await sale('show', 'walk', '--json')).stdout) as {
    endedAt: string;
    closesAt: string;
  };
  expect(Math.abs(Date.parse(endedAt) - Date.now())).toBeLessThan(60_000);
  expect(ended).toContain(` to ${endedAt}\n`);
  expect((await sale('show', 'walk')).stdout).toContain(
    `\ncloses        ${endedAt}, ended before its time, ${closesAt}\n`,
  );
  expect((await sale('audit', '--all')).stdout).toMatch(/\nwalk +Sale walk +0 +1 +0 +8 +0 +adds up/);
});

test('`rain sale show --watch` prints until the sale is settled', async () => {
  await sale('create', '--item', 'tee:5@1', '--id', 'watched');
  const watching = callCli(['sale', 'show', 'watched', '--watch', '--json'], env);
  await eventually(() => watching.stdout().includes('"state":"draft"'));
  await context.ledger.settleSale('watched');
  const { exit, stdout } = await watching.done;
  expect(exit).toBe(0);
  expect(json(stdout.trim().split('\n').at(-1)!)).toMatchObject({
    state: 'settled',
    items: [{ left: 0, returned: 5 }],
  });
});

test('an audit that does not add up exits 1 and says why; `--repair` sends what has no order to the queue, and puts counts right', async () => {
  const keys = await stage.open('mended');
  await stage.buy('mended', { userId: 'ann' }, { userId: 'bob' });
  await context.redis.hincrby(keys.stock, 'tee:booked', 3);
  const wrong = await sale('audit', 'mended', '--json');
  expect(wrong.exit).toBe(1);
  expect(json(wrong.stdout)).toMatchObject({
    balanced: false,
    problems: ['Redis counts 5 tee as booked; by the log and the ledger they are 2'],
  });
  expect(await sale('audit', 'mended')).toMatchObject({
    exit: 1,
    stdout: expect.stringMatching(/^Redis counts 5 tee as booked[^]*THE UNITS DO NOT ADD UP\.\n$/) as string,
  });
  expect(await sale('audit', 'mended', '--repair', '--dry-run')).toMatchObject({
    exit: 1,
    stderr: 'mended: 2 reservations would be sent again\nmended: tee:booked would be set from 5 to 2\n',
  });
  const repairing = callCli(['sale', 'audit', 'mended', '--repair', '--json'], env);
  const connection = connectRedis(context.redisUrl, { purpose: 'queue', onError: () => {} });
  await untilReady(connection);
  const queue = createRangeQueue('orders', { connection, prefix: QUEUE_PREFIX, onError: () => {}, visiting: true });
  const [job] = await eventually(async () => {
    const jobs = await queue.getWaiting();
    return jobs.length > 0 && jobs;
  });
  expect(job!.data).toEqual({
    saleId: 'mended',
    from: 0,
    entries: (await context.redis.lrange(keys.reservations, 0, -1)).reverse(),
  });
  await stage.write('mended');
  const { exit, stdout } = await repairing.done;
  await queue.close();
  connection.disconnect();
  expect(exit).toBe(0);
  expect(json(stdout)).toMatchObject({ balanced: true, orders: 2, repaired: { reservations: 2, counts: 1 } });
});

test('a replay tells what differs, exit 1', async () => {
  const keys = await stage.open('forged');
  await stage.buy('forged', { userId: 'ann' });
  await context.redis.lpush(keys.reservations, 'gold');
  expect(await sale('replay', 'forged')).toMatchObject({
    exit: 1,
    stdout: expect.stringContaining('forged-1,ann') as string,
    stderr: 'entry 1 is not a reservation of this sale: not JSON\nTHE LOG AND THE ORDERS DIFFER: 1 of 2 entries.\n',
  });
});
