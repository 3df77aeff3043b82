import { expect, test } from 'vitest';
import { createCampaign } from '../../../src/operator/campaign/create.ts';
import { createSale } from '../../../src/operator/sale/create.ts';
import { openSale } from '../../../src/operator/sale/open.ts';
import { saleKeys } from '../../../src/store/saleKeys.ts';
import { openSaleStage } from './saleStage.ts';

const stage = await openSaleStage();
const { context } = stage;

async function openRound(campaign: string, round: number): Promise<string> {
  const { id: _, ...request } = await stage.request('', {
    items: [{ sku: 'tee', units: 500, price: '1.00' }],
    perUserMax: 1000,
    campaign: { id: campaign, round },
  });
  expect(await createSale(context, request)).toMatchObject({ ok: true });
  expect(await openSale(context, `${campaign}.${round}`)).toMatchObject({ ok: true });
  return `${campaign}.${round}`;
}

const codes = async (id: string, ...purchases: Parameters<typeof stage.buy>[1][]) =>
  (await stage.buy(id, ...purchases)).map(({ code }) => code);
const bought = (id: string) => context.redis.hgetall(saleKeys(id).bought);

test('what a household bought in earlier sales of the campaign counts after Redis has lost them, and what it gave back does not', async () => {
  await createCampaign(context, { id: 'home', winsPerUserMax: 2 });
  const first = await openRound('home', 1);
  expect(await codes(first, { userId: 'ann', quantity: 2 }, { userId: 'bob', quantity: 2 }, { userId: 'cem' })).toEqual(
    ['0', '0', '0'],
  );
  await stage.write(first);
  await stage.step(first, 1, 'paid');
  await stage.step(first, 2, 'paid');
  await context.redis.flushall();
  const second = await openRound('home', 2);
  expect(await bought(second)).toEqual({ ann: '2', bob: '2', cem: '1' });
  expect(
    await codes(
      second,
      { userId: 'ann' },
      { userId: 'cem', quantity: 2 },
      { userId: 'cem' },
      { userId: 'dee', quantity: 2 },
    ),
  ).toEqual(['-11', '-11', '0', '0']);
  // Redis cannot follow in the sale that it has lost; the next sale counts again.
  await context.ledger.stepOrder(`${first}-2`, 'refunded');
  await openRound('home', 3);
  expect(await bought(second)).toEqual({ ann: '2', bob: '0', cem: '2', dee: '2' });
  expect(await codes(second, { userId: 'bob', quantity: 2 })).toEqual(['0']);
});

test('it is counted right while people buy and give back in another sale of the campaign', async () => {
  expect(await createCampaign(context, { id: 'busy', winsPerUserMax: 100 })).toMatchObject({ ok: true });
  const first = await openRound('busy', 1);
  const users = Array.from({ length: 5 }, (_, n) => `u${n}`);
  const traffic = (async () => {
    for (let n = 1; n <= 20; n++) {
      await stage.buy(first, ...users.map((userId) => ({ userId, ref: `r${n}` })));
      await stage.write(first);
      await stage.step(first, 5 * n, 'cancelled');
    }
  })();
  let isOver = false;
  void traffic.finally(() => {
    isOver = true;
  });
  const second = await openRound('busy', 2);
  let times = 0;
  for (; !isOver; times++) expect(await openSale(context, second)).toMatchObject({ ok: true });
  await traffic;
  expect(times).toBeGreaterThan(3);
  expect(await bought(first)).toEqual({ u0: '20', u1: '20', u2: '20', u3: '20', u4: '0' });
});
