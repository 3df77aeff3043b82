import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { campaignKeys, shardKeys } from '../../../src/store/keys.ts';
import { createSigner } from '../../../src/store/signer.ts';
import { createLog, type Logger } from '../../../src/platform/telemetry/log.ts';
import { announceChange } from '../../../src/store/transitions.ts';
import { dial, type Client } from '../../support/client.ts';
import { openGateway } from '../../support/servers/gateway.ts';
import { openRedis, stockRain } from '../../support/rain.ts';
import { laterSigner, signer } from '../../support/signer.ts';

const { server, redis } = await openRedis();
const errors: { facts: object; message: string }[] = [];
const log = createLog('gateway', 'silent');
log.error = ((facts: object, message: string) => {
  errors.push({ facts, message });
}) as Logger['error'];
beforeEach(() => {
  errors.length = 0;
});

const FORGED = '{"redPacketId":"made-up","amount":"50.00","mac":"abcdefghijklmnop"}';

async function open(userId: string, options: Parameters<typeof openGateway>[1] = {}) {
  const gateway = await openGateway(server.url, { log, ...options });
  const client = await dial(gateway.url, userId);
  onTestFinished(async () => {
    await client.leave();
    await gateway.close();
  });
  return { gateway, client };
}

function grab(client: Client, rainId: string) {
  client.say({ type: 'grab', rainId });
  return client.next('result');
}

/** All that comes after a join, up to the pong that follows it. */
async function resultOfJoin(client: Client, rainId: string): Promise<string | undefined> {
  client.say({ type: 'join', rainId });
  await client.next('rain');
  const result = client.next('result').then(({ code }) => code);
  result.catch(() => {});
  await new Promise((resolve) => setTimeout(resolve, 100));
  return Promise.race([result, Promise.resolve(undefined)]);
}

describe('[R14] a packet that nobody signed is never told', () => {
  test.each([
    ['made up', () => FORGED],
    [
      'raised',
      (rainId: string) =>
        `{"redPacketId":"${rainId}-0","amount":"99.00","mac":"${signer.packetMac(rainId, `${rainId}-0`, '1.00')}"}`,
    ],
    [
      'of another rain',
      () => `{"redPacketId":"other-0","amount":"9.00","mac":"${signer.packetMac('other', 'other-0', '9.00')}"}`,
    ],
    ['unsigned', () => '{"redPacketId":"made-up","amount":"50.00"}'],
  ])('%s: it is set aside, and its user gets the next one', async (how, element) => {
    const rainId = `list-${how.replaceAll(' ', '-')}`;
    await stockRain(redis, { rainId, amounts: ['1.00', '2.00'] });
    const { packets, spoiled, claimed } = shardKeys(rainId, 0);
    await redis.rpush(packets, element(rainId), element(rainId));
    const { gateway, client } = await open('ann');
    expect(await grab(client, rainId)).toMatchObject({ code: '0', redPacketId: `${rainId}-0`, amount: '1.00' });
    expect(await grab(client, rainId)).toMatchObject({ code: '1', redPacketId: `${rainId}-0` });
    expect(
      (await redis.lrange(spoiled, 0, -1)).map((entry) => (JSON.parse(entry) as { redPacketId: string }).redPacketId),
    ).toEqual(Array(2).fill((JSON.parse(element(rainId)) as { redPacketId: string }).redPacketId));
    expect(await redis.llen(packets)).toBe(1);
    expect(JSON.parse((await redis.hget(claimed, 'ann'))!)).toMatchObject({
      redPacketId: `${rainId}-0`,
      amount: '1.00',
    });
    expect(gateway.counters.spoiled).toBe(2);
    expect(errors).toEqual([
      {
        facts: expect.objectContaining({ rainId, forged: 1 }) as object,
        message: expect.stringContaining('not signed') as string,
      },
    ]);
  });

  test('[R10] a list full of them: "busy" after a few, and the win when they are gone', async () => {
    await stockRain(redis, { rainId: 'full', amounts: ['1.00'] });
    await redis.rpush(shardKeys('full', 0).packets, ...Array<string>(12).fill(FORGED));
    const { client } = await open('ann');
    expect(await grab(client, 'full')).toMatchObject({ code: '-7' });
    expect(await grab(client, 'full')).toMatchObject({ code: '0', redPacketId: 'full-0' });
    expect(await redis.llen(shardKeys('full', 0).spoiled)).toBe(12);
  });

  test('a made-up entry of the dedupe hash: neither a join nor a grab tells it, and the user may still win', async () => {
    await stockRain(redis, { rainId: 'entry', amounts: ['1.00'] });
    const { claimed, spoiled } = shardKeys('entry', 0);
    const entry = (userId: string) =>
      JSON.stringify({ rainId: 'entry', redPacketId: 'entry-9', amount: '50.00', userId, at: '1795000000000' });
    await redis.hset(claimed, { ann: entry('ann'), bob: entry('bob') });
    const { gateway, client: ann } = await open('ann');
    expect(await resultOfJoin(ann, 'entry')).toBeUndefined();
    expect(await redis.hexists(claimed, 'ann')).toBe(0);
    const bob = await dial(gateway.url, 'bob');
    expect(await grab(bob, 'entry')).toMatchObject({ code: '0', redPacketId: 'entry-0', amount: '1.00' });
    expect(await redis.llen(spoiled)).toBe(2);
    await bob.leave();
  });

  test('in a round of a campaign a forged win does not count', async () => {
    await stockRain(redis, { rainId: 'spring.2', amounts: ['1.00'], winsMax: 1 });
    await redis.rpush(shardKeys('spring.2', 0).packets, FORGED);
    const { wins } = campaignKeys('spring.2', 0);
    const { client } = await open('ann');
    expect(await grab(client, 'spring.2')).toMatchObject({ code: '0', redPacketId: 'spring.2-0' });
    expect(await redis.hgetall(wins)).toEqual({ ann: ',2,' });
  });
});

test('after the secret was replaced, a rain of the former one is played, its receipts count, and what nobody signed is set aside', async () => {
  await stockRain(redis, { rainId: 'former', amounts: ['1.00', '2.00'] });
  await redis.rpush(shardKeys('former', 0).packets, FORGED);
  const { gateway, client } = await open('ann', { signer: laterSigner });
  const won = await grab(client, 'former');
  expect(won).toMatchObject({ code: '0', redPacketId: 'former-0', amount: '1.00' });
  expect(await redis.llen(shardKeys('former', 0).spoiled)).toBe(1);
  const win = { rainId: 'former', redPacketId: 'former-0', amount: '1.00' };
  expect(won.receipt).toBe(laterSigner.receipt({ ...win, userId: 'ann' }));
  for (const { receipt } of [signer, laterSigner]) {
    client.say({ type: 'receipt', ...win, receipt: receipt({ ...win, userId: 'ann' }) });
    expect(await client.next('receipt_status')).toMatchObject({ status: 'known' });
  }
  expect([errors.length, gateway.counters.spoiled]).toEqual([1, 1]);
});

describe('a rain that is signed with another key', () => {
  test('nothing of it is handed out or set aside: "busy", and one line of the log says what to do', async () => {
    await stockRain(redis, { rainId: 'other', amounts: ['1.00'] });
    const { client } = await open('ann', { signer: createSigner('another-signing-secret-of-32-characters') });
    expect([(await grab(client, 'other')).code, (await grab(client, 'other')).code]).toEqual(['-7', '-7']);
    expect(await redis.llen(shardKeys('other', 0).packets)).toBe(1);
    expect(errors.map(({ message }) => message)).toEqual([
      expect.stringContaining('give all processes the same secret'),
    ]);
  });

  test('also when the gateway does not know yet, and when its packets were loaded by an older version', async () => {
    await stockRain(redis, { rainId: 'older', amounts: ['1.00'] });
    const { state, packets, claimed, spoiled } = shardKeys('older', 0);
    const { client } = await open('ann');
    await redis
      .multi()
      .hdel(state, 'signedBy')
      .del(packets)
      .rpush(packets, '{"redPacketId":"older-0","amount":"1.00"}')
      .exec();
    expect((await grab(client, 'older')).code).toBe('-7');
    expect([await redis.exists(spoiled), await redis.hexists(claimed, 'ann')]).toEqual([0, 1]);
    await announceChange(redis, 'older');
    expect(await resultOfJoin(client, 'older')).toBe('-7');
  });
});

test('a user whose entry was deleted is told his first packet again, never a second one', async () => {
  await stockRain(redis, { rainId: 'deleted', amounts: ['1.00', '2.00'] });
  const { client } = await open('ann');
  expect(await grab(client, 'deleted')).toMatchObject({ code: '0', redPacketId: 'deleted-0', amount: '1.00' });
  await redis.hdel(shardKeys('deleted', 0).claimed, 'ann');
  expect(await grab(client, 'deleted')).toMatchObject({ code: '1', redPacketId: 'deleted-0', amount: '1.00' });
  client.say({ type: 'join', rainId: 'deleted' });
  expect(await client.next('result')).toMatchObject({ code: '1', redPacketId: 'deleted-0', amount: '1.00' });
});
