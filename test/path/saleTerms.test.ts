import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { WorkerProcess } from '../../src/bin/servers/worker.ts';
import type { Gateway } from '../../src/gateway/server.ts';
import { rain } from '../support/call.ts';
import { dial, type Client } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { openTestContext, type TestContext } from '../support/operatorContext.ts';
import { openGateway } from '../support/servers/gateway.ts';
import { openWorker } from '../support/servers/worker.ts';

let context: TestContext;
let gateway: Gateway;
let worker: WorkerProcess;
beforeAll(async () => {
  context = await openTestContext();
  [gateway, worker] = await Promise.all([openGateway(context.redisUrl), openWorker(context)]);
});
afterAll(async () => {
  await worker?.close();
  await gateway?.close();
  await context?.stop();
});

const cli = (...words: string[]) => rain(words, { REDIS_URL: context.redisUrl, DATABASE_URL: context.databaseUrl });
const json = async (...words: string[]) =>
  JSON.parse((await cli(...words, '--json')).stdout) as Record<string, unknown>;

async function enter(userId: string): Promise<Client> {
  const client = await dial(gateway.url, userId);
  onTestFinished(() => client.leave());
  return client;
}

async function buy(client: Client, saleId: string, quantity = 1, ref = `${saleId}-${quantity}`) {
  client.say({ type: 'buy', saleId, sku: 'tee', quantity, ref });
  for (;;) {
    const order = await client.next('order');
    if (order.ref === ref && order.saleId === saleId) return order;
  }
}

test('[R2] a household limit over several sales: two units in all of them, and what is given back can be bought again in any', async () => {
  await cli('campaign', 'create', '--id', 'autumn', '--wins-per-user', '2');
  const drop = ['--item', 'tee:10@19.90', '--per-user', '5', '--load'];
  expect((await cli('sale', 'create', '--campaign', 'autumn', ...drop)).stdout).toBe('autumn.1\n');
  expect(
    (
      await cli(
        'campaign',
        'add-round',
        'autumn',
        '--budget',
        '2.00',
        '--packets',
        '2',
        '--start',
        '+1h',
        '--duration',
        '1m',
      )
    ).stdout,
  ).toBe('autumn.2\n');
  expect((await cli('sale', 'create', '--campaign', 'autumn', ...drop)).stdout).toBe('autumn.3\n');
  const [ann, bob] = [await enter('ann'), await enter('bob')];
  const first = await buy(ann, 'autumn.1');
  expect(first).toMatchObject({ code: '0' });
  expect((await buy(ann, 'autumn.3', 2)).code).toBe('-11');
  expect((await buy(ann, 'autumn.3', 1)).code).toBe('0');
  expect((await buy(ann, 'autumn.1', 1, 'more')).code).toBe('-11');
  expect((await buy(bob, 'autumn.3', 2)).code).toBe('0');

  // Cancelled in one sale, bought in the other.
  ann.say({ type: 'cancel', saleId: 'autumn.1', reservationId: first.reservationId });
  await eventually(async () =>
    expect(await json('sale', 'show', 'autumn.1')).toMatchObject({ items: [{ left: 10, reserved: 0, booked: 0 }] }),
  );
  expect((await buy(ann, 'autumn.3', 1, 'instead')).code).toBe('0');
  expect((await buy(ann, 'autumn.3', 1, 'another')).code).toBe('-11');

  await eventually(async () =>
    expect(await json('campaign', 'show', 'autumn')).toMatchObject({
      rounds: [{ rainId: 'autumn.2' }],
      sales: [{ saleId: 'autumn.1' }, { saleId: 'autumn.3', orders: 3 }],
      buyers: { users: 2, units: 4, beyond: 0 },
      winners: { users: 0 },
    }),
  );
  const { stdout } = await cli('campaign', 'show', 'autumn');
  expect(stdout).toMatch(
    /buyers +2, with 4 units; at most 2 each\n[^]*\nautumn\.1 +Sale autumn\.1 +open [^]*\nautumn\.3 .* 10 +6 +4 +0$/m,
  );
  for (const id of ['autumn.1', 'autumn.3']) expect(await json('sale', 'audit', id)).toMatchObject({ balanced: true });
});

test('[R12] a rain and a sale never share an id; a rehearsal is no round of a campaign', async () => {
  await cli('campaign', 'create', '--id', 'winter', '--wins-per-user', '1');
  const asRain = ['--budget', '1.00', '--packets', '1', '--start', '+1h', '--duration', '1m'];
  await cli('create', '--campaign', 'winter', '--round', '1', ...asRain);
  await cli('create', '--id', 'storm', ...asRain);
  expect(await cli('sale', 'create', '--campaign', 'winter', '--round', '1', '--item', 'tee:1@1')).toMatchObject({
    exit: 1,
    stderr: 'rain: --campaign: winter.1 is a rain already, expected another round\n',
  });
  expect(await cli('sale', 'create', '--id', 'storm', '--item', 'tee:1@1')).toMatchObject({
    exit: 1,
    stderr: 'rain: --id: storm is a rain already, expected another id\n',
  });
  await cli('sale', 'create', '--id', 'shop', '--item', 'tee:1@1');
  expect(await cli('create', '--id', 'shop', ...asRain)).toMatchObject({
    exit: 1,
    stderr: 'rain: --id: shop is a sale already, expected another id\n',
  });
  expect(await cli('sale', 'create', '--campaign', 'winter', '--rehearsal', '--item', 'tee:1@1')).toMatchObject({
    exit: 1,
    stderr: expect.stringContaining('--rehearsal: ') as string,
  });
  expect(await context.ledger.sales(10, { campaignId: 'winter' })).toEqual([]);
});

test('a rehearsal is sold like a sale; buyers, orders and audit say what it is', async () => {
  const id = (
    await cli('sale', 'create', '--item', 'tee:3@19.90', '--rehearsal', '--hold', '1s', '--load')
  ).stdout.trim();
  const ann = await enter('cem');
  ann.say({ type: 'visit', saleId: id });
  expect(await ann.next('sale')).toMatchObject({ saleId: id, rehearsal: true });
  expect(await buy(ann, id)).toMatchObject({ code: '0', price: '19.90' });
  await eventually(async () =>
    expect(await json('sale', 'audit', id)).toMatchObject({ orders: 1, balanced: true, rehearsal: true }),
  );
  expect((await cli('sale', 'show', id)).stdout).toContain('(rehearsal)');
  await cli('sale', 'end', id);
  await eventually(
    async () =>
      expect(await json('sale', 'show', id)).toMatchObject({ state: 'settled', items: [{ returned: 3, sold: 0 }] }),
    { timeoutMs: 15_000 },
  );
  expect((await cli('sale', 'audit', id)).stdout).toContain('It was a rehearsal: nothing is shipped.');
});
