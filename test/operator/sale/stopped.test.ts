import { expect, test } from 'vitest';
import { settleSale } from '../../../src/maintenance/settleSale.ts';
import { repairSale } from '../../../src/operator/sale/repair.ts';
import { showSale } from '../../../src/operator/sale/show.ts';
import { endDryRun } from '../../../src/operator/sale/transitions.ts';
import { writeOffSale } from '../../../src/operator/sale/writeOff.ts';
import { callCli } from '../../support/call.ts';
import { openSaleStage } from './saleStage.ts';

const stage = await openSaleStage();
const { context } = stage;
const send = async () => {};
const rain = (...words: string[]) =>
  callCli(words, { REDIS_URL: context.redisUrl, DATABASE_URL: context.databaseUrl }).done;

test('a held sale does not add up for the audit, is shown with the way out, and the repair lets it go', async () => {
  const keys = await stage.open('held');
  await context.redis.hset(keys.state, 'held', 'gone fishing');
  expect((await stage.buy('held', { userId: 'ann' }))[0]!.code).toBe('-7');
  const why =
    'somebody has written "gone fishing" as "held" of the sale, so nothing is sold in it; a worker ends that when its audit finds nothing else, or do it now with: rain sale audit held --repair';
  expect(await stage.audit('held')).toMatchObject({
    report: { balanced: false },
    problems: [why],
    tampering: [],
    hold: { reason: 'gone fishing', isNeedless: true },
  });
  expect((await rain('sale', 'show', 'held')).stdout).toContain(`held          ${why}`);
  expect(await repairSale(context, 'held', send, true)).toMatchObject({ ok: true, released: true });
  expect(await context.redis.hget(keys.state, 'held')).toBe('gone fishing');
  expect(await rain('sale', 'audit', 'held', '--repair')).toMatchObject({
    exit: 0,
    stderr: 'held: 0 reservations were sent again\nheld: the hold was ended, and it sells again\n',
  });
  expect((await stage.buy('held', { userId: 'ann' }))[0]!.code).toBe('0');
  expect(await repairSale(context, 'held', send, true)).toMatchObject({ ok: true, released: false });
});

test('wrong counts and a hold are put right by one repair; a hold beside a forged entry stays', async () => {
  const keys = await stage.open('both');
  await context.redis.multi().hset(keys.state, 'held', 'x').hset(keys.stock, 'tee:booked', 4).exec();
  expect(await repairSale(context, 'both', send)).toMatchObject({
    ok: true,
    counts: [{ field: 'tee:booked', found: '4', right: 0 }],
    released: true,
  });
  await context.redis.multi().hset(keys.state, 'held', 'x').lpush(keys.reservations, 'gold').exec();
  expect(await repairSale(context, 'both', send)).toMatchObject({ ok: true, released: false });
  expect(await context.redis.hget(keys.state, 'held')).toBe('x');
});

test('a held sale that is given up is settled all the same', async () => {
  const keys = await stage.open('given-up');
  await context.redis.hset(keys.state, 'held', 'x');
  await context.redis.lpush(keys.reservations, 'gold');
  expect(await writeOffSale(context, 'given-up', 'why not')).toMatchObject({ ok: true, state: 'closed' });
  expect(await settleSale(context, 'given-up', { title: '' }, {})).toEqual({ outcome: 'settled' });
});

test('counts of the stock that are no numbers are named, those of the ledger are shown, and the repair puts them right, also when they are gone', async () => {
  const keys = await stage.open('damaged');
  await stage.buy('damaged', { userId: 'ann', quantity: 2 });
  await stage.write('damaged');
  await stage.step('damaged', 1, 'paid');
  await context.redis.hset(keys.stock, 'tee:units', 'many', 'tee:booked', '2e1');
  await context.redis.hdel(keys.stock, 'tee:sold');
  const damage =
    'Redis has no whole number as tee:units, tee:booked of the stock: somebody has changed it; see rain sale audit damaged, and put it right with --repair';
  expect(await showSale(context, 'damaged')).toMatchObject({
    damaged: damage,
    items: [
      { sku: 'tee', units: 10, booked: 2, left: 8 },
      { sku: 'mug', left: 5 },
    ],
  });
  expect((await rain('sale', 'show', 'damaged')).stdout).toContain(`damaged       ${damage}`);
  expect(await endDryRun(context, 'damaged')).toEqual({ ok: false, refusals: [{ field: 'id', reason: damage }] });
  expect(await repairSale(context, 'damaged', send)).toMatchObject({
    ok: true,
    counts: [
      { field: 'tee:units', found: 'many', right: 10 },
      { field: 'tee:booked', found: '2e1', right: 2 },
      { field: 'tee:sold', found: '', right: 2 },
    ],
  });
  expect(await stage.audit('damaged')).toMatchObject({ problems: [], report: { balanced: true } });
  expect(await showSale(context, 'damaged')).not.toHaveProperty('damaged');
});
