import { afterAll, expect, test } from 'vitest';
import { shardKeys } from '../../../src/store/keys.ts';
import { draftRain, loadPackets } from '../../../src/store/loadPackets.ts';
import { redisNow } from '../../../src/store/rains.ts';
import type { Terms } from '../../../src/rain/terms.ts';
import { dial } from '../../support/client.ts';
import { openGateway } from '../../support/servers/gateway.ts';
import { openRedis } from '../../support/rain.ts';
import { signer } from '../../support/signer.ts';

const { server, redis } = await openRedis();
const gateway = await openGateway(server.url);
afterAll(() => gateway.close());

async function stock(rainId: string, terms: object): Promise<void> {
  const now = await redisNow(redis);
  await draftRain(redis, signer, {
    rainId,
    title: rainId,
    shards: 1,
    opensAt: now - 1_000,
    closesAt: now + 600_000,
    packets: 1,
    terms: terms as Terms,
  });
  await loadPackets(redis, signer, rainId, 1, BigInt64Array.of(100n), () => {});
}

test('a gateway sends the terms of a rain unchanged, including those of a newer version', async () => {
  const terms = { rehearsal: true, winsMax: 1, colour: { red: 1 } };
  await stock('sent', terms);
  const client = await dial(gateway.url, 'ann');
  client.say({ type: 'join', rainId: 'sent' });
  expect(await client.next('rain')).toMatchObject({ rainId: 'sent', rehearsal: true, terms });
  await client.leave();
});

test('a gateway that is too old for a term grants nothing in that rain, and earlier wins stay won', async () => {
  await stock('newer', { minHeight: 3 });
  const client = await dial(gateway.url, 'bob');
  client.say({ type: 'grab', rainId: 'newer', ref: 'x' });
  expect(await client.next('result')).toMatchObject({
    rainId: 'newer',
    ref: 'x',
    code: '-7',
    retryInMs: expect.any(Number) as number,
  });
  expect(await redis.llen(shardKeys('newer', 0).packets)).toBe(1);
  await redis.hset(
    shardKeys('newer', 0).claimed,
    'bob',
    JSON.stringify({
      rainId: 'newer',
      redPacketId: 'newer-0',
      amount: '1.00',
      userId: 'bob',
      at: String(await redisNow(redis)),
      mac: signer.packetMac('newer', 'newer-0', '1.00'),
    }),
  );
  client.say({ type: 'join', rainId: 'newer' });
  expect(await client.next('result')).toMatchObject({ code: '1', redPacketId: 'newer-0', amount: '1.00' });
  await client.leave();
});

test.each(['torn', '{"winsMax":0}', '[]'])('with unreadable terms, %s, nothing is granted', async (stored) => {
  const rainId = `unread-${stored.length}`;
  await stock(rainId, {});
  await redis.hset(shardKeys(rainId, 0).state, 'terms', stored);
  const client = await dial(gateway.url, 'dan');
  client.say({ type: 'grab', rainId });
  expect(await client.next('result')).toMatchObject({ rainId, code: '-7' });
  expect(await redis.llen(shardKeys(rainId, 0).packets)).toBe(1);
  await client.leave();
});

test('a rain with default terms sends no terms', async () => {
  await stock('usual', {});
  const client = await dial(gateway.url, 'cat');
  client.say({ type: 'join', rainId: 'usual' });
  expect(await client.next('rain')).not.toHaveProperty('terms');
  await client.leave();
});
