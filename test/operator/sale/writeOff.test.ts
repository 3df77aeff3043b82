import { expect, onTestFinished, test } from 'vitest';
import { startSaleSettler } from '../../../src/maintenance/saleSettler.ts';
import { acknowledgeSaleTampering } from '../../../src/operator/sale/audit/acknowledgeTampering.ts';
import { findLostSales } from '../../../src/operator/sale/lost.ts';
import { endSale } from '../../../src/operator/sale/transitions.ts';
import { writeOffSale } from '../../../src/operator/sale/writeOff.ts';
import { createLog } from '../../../src/platform/telemetry/log.ts';
import { heldBy } from '../../../src/store/sales.ts';
import { callCli } from '../../support/call.ts';
import { eventually } from '../../support/eventually.ts';
import { openSaleStage } from './saleStage.ts';

const stage = await openSaleStage();
const { context } = stage;

/** ann has paid for two tees, bob's order waits, cem's reservation has no order. */
async function sold(id: string) {
  const keys = await stage.open(id);
  await stage.buy(id, { userId: 'ann', quantity: 2 }, { userId: 'bob' });
  await stage.write(id);
  await stage.step(id, 1, 'paid');
  await stage.buy(id, { userId: 'cem' });
  return keys;
}

function settling(): void {
  const settler = startSaleSettler({ context, log: createLog('settler', 'silent'), everyMs: 10, tidyMs: 10 });
  onTestFinished(() => settler.close());
}

const settledAt = async (id: string) => (await context.ledger.sale(id))!.settledAt;
const places = async (id: string) => (await context.ledger.stock(id)).map(({ accounts }) => accounts);

test('a sale that Redis has lost whole is given up: its orders stay, the rest goes back to the shop when no order waits, and it is settled', async () => {
  await sold('flushed');
  await context.redis.flushall();
  expect(await findLostSales(context)).toEqual(['flushed']);
  const way = 'give it up with: rain sale write-off flushed --reason "…"';
  expect(await endSale(context, 'flushed')).toEqual({
    ok: false,
    refusals: [{ field: 'id', reason: expect.stringContaining(way) }],
  });
  expect((await stage.audit('flushed')).problems).toEqual([expect.stringContaining(way)]);
  const foretold = {
    ok: true,
    saleId: 'flushed',
    state: 'closed',
    waiting: 1,
    returned: 12,
    problems: [expect.stringContaining('Redis has lost the sale flushed')],
  };
  expect(await writeOffSale(context, 'flushed', 'flushed by mistake', { dryRun: true })).toEqual(foretold);
  expect(await findLostSales(context)).toEqual(['flushed']);
  expect(await writeOffSale(context, 'flushed', 'flushed by mistake')).toEqual(foretold);
  expect(await writeOffSale(context, 'flushed', 'once more')).toEqual(foretold);
  expect((await context.ledger.actions('flushed')).filter(({ verb }) => verb === 'write-off')).toMatchObject([
    { actor: 'test', details: { reason: 'flushed by mistake' } },
  ]);
  expect(await findLostSales(context)).toEqual([]);
  settling();
  await context.ledger.stepOrder('flushed-2', 'timed_out');
  await eventually(async () => expect(await settledAt('flushed')).toBeDefined());
  expect(await places('flushed')).toEqual([
    { shop: -2, available: 0, reserved: 0, sold: 2 },
    { shop: 0, available: 0, reserved: 0, sold: 0 },
  ]);
  expect((await stage.audit('flushed')).report).toMatchObject({
    balanced: true,
    orders: 2,
    items: [
      { units: 10, sold: 2, left: 0, returned: 8 },
      { units: 5, returned: 5 },
    ],
  });
  expect(await writeOffSale(context, 'flushed', 'again')).toMatchObject({ ok: true, state: 'settled' });
});

test('a sale whose log was deleted is told, sells nothing any more once it is given up, and is settled in both stores', async () => {
  const keys = await sold('logless');
  await context.redis.del(keys.reservations);
  expect(await stage.audit('logless')).toMatchObject({
    report: { balanced: false },
    tampering: expect.arrayContaining([
      expect.objectContaining({ kind: 'made' }),
      expect.objectContaining({ kind: 'unlogged' }),
    ]),
  });
  const written = await callCli(['sale', 'write-off', 'logless', '--reason', 'its log is gone', '--json'], {
    REDIS_URL: context.redisUrl,
    DATABASE_URL: context.databaseUrl,
  }).done;
  expect(JSON.parse(written.stdout)).toMatchObject({ saleId: 'logless', state: 'closed', waiting: 1, returned: 12 });
  expect((await stage.buy('logless', { userId: 'dee' }))[0]!.code).toBe('-3');
  await stage.step('logless', 2, 'paid');
  settling();
  await eventually(async () =>
    expect([(await settledAt('logless')) !== undefined, await context.redis.hget(keys.state, 'state')]).toEqual([
      true,
      'settled',
    ]),
  );
  expect(await places('logless')).toEqual([
    { shop: -3, available: 0, reserved: 0, sold: 3 },
    { shop: 0, available: 0, reserved: 0, sold: 0 },
  ]);
});

test('also when only its state is gone, and with a word as state', async () => {
  const keys = await sold('stateless');
  await context.redis.del(keys.state);
  expect(await writeOffSale(context, 'stateless', 'its state is gone')).toMatchObject({
    ok: true,
    state: 'closed',
    waiting: 1,
  });
  const worded = await sold('worded');
  await context.redis.hset(worded.state, 'state', 'open');
  expect(await writeOffSale(context, 'worded', 'its state is no state')).toMatchObject({
    ok: true,
    state: 'closed',
    waiting: 1,
  });
  expect(await context.redis.hget(worded.state, 'state')).toBe('closed');
  for (const id of ['stateless', 'worded']) await context.ledger.stepOrder(`${id}-2`, 'timed_out');
  settling();
  await eventually(async () =>
    expect([await settledAt('stateless'), await settledAt('worded')]).toEqual([expect.any(Number), expect.any(Number)]),
  );
});

test.each(['state', 'buyers', 'reservations'] as const)(
  'and with a key of another type as %s, which the audit tells',
  async (name) => {
    const id = `typed-${name}`;
    const keys = await sold(id);
    await context.redis.del(keys[name]);
    await context.redis.set(keys[name], 'gone fishing');
    expect(await stage.audit(id)).toMatchObject({
      report: { balanced: false },
      problems: [
        expect.stringMatching(
          new RegExp(`^Redis has a string as ${name} of the sale, expected a (hash|list): .*write-off ${id} `),
        ),
      ],
      tampering: [{ kind: 'type' }],
    });
    expect(await acknowledgeSaleTampering(context, id, 'never mind')).toEqual({ ok: true, findings: 0 });
    expect(await writeOffSale(context, id, 'its key is of another type')).toMatchObject({
      ok: true,
      state: 'closed',
      waiting: 1,
    });
    await context.ledger.stepOrder(`${id}-2`, 'timed_out');
    settling();
    await eventually(async () => expect(await settledAt(id)).toBeDefined());
  },
);

test('[R12] a sale that adds up, and one that nobody knows, are not given up, and a reason is needed', async () => {
  await sold('whole');
  expect(await writeOffSale(context, 'whole', 'why not')).toEqual({
    ok: false,
    refusals: [
      {
        field: 'id',
        reason: 'the sale whole adds up; the workers settle it when it is over, or end it with: rain sale end whole',
      },
    ],
  });
  expect(await writeOffSale(context, 'nowhere', 'why not')).toEqual({
    ok: false,
    refusals: [{ field: 'id', reason: 'there is no sale nowhere' }],
  });
  expect(await writeOffSale(context, 'whole', ' ')).toEqual({
    ok: false,
    refusals: [{ field: 'reason', reason: 'expected 1 to 500 characters' }],
  });
});

const cems = async (id: string) => [
  (await heldBy(context.redis, id, 'cem')).map(({ status }) => status),
  (await context.ledger.refusalsAmong([{ reservationId: `${id}-3`, userId: 'cem' }])).map(({ reason, detail }) => [
    reason,
    detail,
  ]),
];
const FAILED = [['failed'], [['lost', 'the sale was given up before this reservation had an order']]];

test('a reservation without an order fails with its sale, and nobody waits for ever; those with an order keep it', async () => {
  const keys = await sold('waiting');
  await context.redis.hincrby(keys.stock, 'tee:booked', 3);
  expect(await writeOffSale(context, 'waiting', 'it never adds up')).toMatchObject({ ok: true, waiting: 1 });
  expect(await cems('waiting')).toEqual(FAILED);
  expect(
    (await context.ledger.orders({ saleId: 'waiting' })).map(({ userId, status }) => `${userId} ${status}`),
  ).toEqual(['ann paid', 'bob created']);
  // Reservations that the worker has by now become no order any more.
  await expect(stage.write('waiting')).rejects.toThrow();
  const logless = await sold('unlogged');
  await context.redis.del(logless.reservations);
  expect(await writeOffSale(context, 'unlogged', 'its log is gone')).toMatchObject({ ok: true });
  expect(await cems('unlogged')).toEqual(FAILED);
});

test('where the write-off was cut, the workers refuse what has no order before they settle', async () => {
  await sold('cut');
  await context.ledger.record({ actor: 'test', verb: 'write-off', rainId: 'cut', details: { reason: 'cut' } });
  await context.ledger.stepOrder('cut-2', 'timed_out');
  settling();
  await eventually(async () => expect(await settledAt('cut')).toBeDefined());
  expect(await cems('cut')).toEqual(FAILED);
});
