import { expect, onTestFinished, test } from 'vitest';
import { LIVE_RAINS_KEY, shardKeys } from '../../src/store/keys.ts';
import { LIVE_SALES_KEY } from '../../src/store/saleKeys.ts';
import { openRedis, stockRain } from '../support/rain.ts';
import { openGateway } from '../support/servers/gateway.ts';
import { enter, stockSale, tee } from './sales/stage.ts';

const { server, redis } = await openRedis();

test('a gateway that starts when Redis has lost its index says "busy" of what is there, and -8 of what is not', async () => {
  await stockRain(redis, { rainId: 'there', amounts: ['1.00', '2.00'], shards: 2 });
  await stockRain(redis, { rainId: 'over', amounts: ['1.00'] });
  await stockSale(redis, { saleId: 'shop', items: [tee(5)], perUserMax: 1 });
  await redis.hset(shardKeys('over', 0).state, 'state', 'settled');
  await redis.del(LIVE_RAINS_KEY, LIVE_SALES_KEY, shardKeys('there', 0).state);
  const gateway = await openGateway(server.url);
  onTestFinished(() => gateway.close());
  const ann = await enter(gateway.url, 'ann');
  const codes: Record<string, string[]> = {};
  for (const rainId of ['there', 'over', 'nowhere']) {
    for (const type of ['join', 'grab']) {
      ann.say({ type, rainId });
      (codes[rainId] ??= []).push((await ann.next('result')).code);
    }
  }
  for (const saleId of ['shop', 'no-shop']) {
    ann.say({ type: 'visit', saleId });
    (codes[saleId] ??= []).push((await ann.next('order')).code);
    ann.say({ type: 'buy', saleId, sku: 'tee', quantity: 1 });
    codes[saleId]!.push((await ann.next('order')).code);
  }
  expect(codes).toEqual({
    there: ['-7', '-7'],
    over: ['-8', '-8'],
    nowhere: ['-8', '-8'],
    shop: ['-7', '-7'],
    'no-shop': ['-8', '-8'],
  });
});
