import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { shardKeys } from '../../../src/store/keys.ts';
import { readTold } from '../../../src/store/told.ts';
import type { Client } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { claimLog } from '../../support/operatorContext.ts';
import { openRedis, stockRain } from '../../support/rain.ts';
import { openGateway } from '../../support/servers/gateway.ts';
import { signer } from '../../support/signer.ts';
import { enter } from '../sales/stage.ts';

const { server, redis } = await openRedis();
const NEVER_MS = 600_000;

async function grab(client: Client, rainId: string): Promise<{ code: string; redPacketId?: string }> {
  client.say({ type: 'grab', rainId });
  return client.next('result');
}

/**
 * Takes the win out of Redis before any relay carries it, and puts its packet back, so that everything adds up: as
 * somebody with a shell there can.
 */
async function takeOut(rainId: string, userId: string): Promise<void> {
  const { claimed, claims, packets } = shardKeys(rainId, 0);
  const [entry] = await redis.lrange(claims, 0, 0);
  const { redPacketId, amount, mac } = JSON.parse(entry!) as Record<string, string>;
  await redis
    .multi()
    .lpop(claims)
    .hdel(claimed, userId)
    .rpush(packets, JSON.stringify({ redPacketId, amount, mac }))
    .exec();
}

test('[R14] a told win that somebody has taken out of Redis before it was carried is put back, and nobody else gets its packet', async () => {
  const gateway = await openGateway(server.url, { secondLookMs: 200 });
  onTestFinished(() => gateway.close());
  await stockRain(redis, { rainId: 'taken', amounts: ['1.00'] });
  const [ann, bob] = [await enter(gateway.url, 'ann'), await enter(gateway.url, 'bob')];
  const { redPacketId } = await grab(ann, 'taken');
  await takeOut('taken', 'ann');
  await eventually(async () =>
    expect(await claimLog({ redis }, 'taken')).toMatchObject([{ userId: 'ann', redPacketId }]),
  );
  expect((await grab(bob, 'taken')).code).toBe('-1');
  expect(await grab(ann, 'taken')).toMatchObject({ code: '1', redPacketId });
});

test.each<[string, (rainId: string) => Promise<unknown>, (rainId: string) => Promise<unknown>]>([
  [
    'a number of shards that no rain has',
    (rainId) => redis.hset(shardKeys(rainId, 0).state, 'shards', 1_000_000_000),
    async () => {},
  ],
  [
    'a key of another type, for a while',
    (rainId) => redis.set(shardKeys(rainId, 0).restored, 'x'),
    (rainId) => redis.del(shardKeys(rainId, 0).restored),
  ],
])('[R14] nor is it kept out by %s', async (what, harm, undo) => {
  const gateway = await openGateway(server.url, { secondLookMs: 200 });
  onTestFinished(() => gateway.close());
  const rainId = what.startsWith('a key') ? 'typed' : 'wide';
  await stockRain(redis, { rainId, amounts: ['1.00', '2.00'] });
  const [ann, bob] = [await enter(gateway.url, 'ann'), await enter(gateway.url, 'bob')];
  await harm(rainId);
  await grab(ann, rainId);
  await takeOut(rainId, 'ann');
  // Another one has its packet, so that it is looked for everywhere.
  await grab(bob, rainId);
  await sleep(1_000);
  await undo(rainId);
  await eventually(async () =>
    expect((await claimLog({ redis }, rainId)).map(({ userId }) => userId).sort()).toEqual(['ann', 'bob']),
  );
  // Nor does it keep the gateway from looking for those of another rain.
  await stockRain(redis, { rainId: `beside-${rainId}`, amounts: ['1.00'] });
  await grab(ann, `beside-${rainId}`);
  await takeOut(`beside-${rainId}`, 'ann');
  await eventually(async () => expect(await claimLog({ redis }, `beside-${rainId}`)).toHaveLength(1));
});

test.each<[string, (rainId: string, entry: Record<string, string>) => Promise<unknown>]>([
  [
    'a mark that it is in the log already',
    (rainId, { redPacketId }) => redis.sadd(shardKeys(rainId, 0).restored, `${redPacketId}\nann`),
  ],
  [
    "another user's entry in its place",
    (rainId, entry) => redis.hset(shardKeys(rainId, 0).claimed, 'ann', JSON.stringify({ ...entry, userId: 'bob' })),
  ],
])('[R14] nor is it excused by %s', async (what, excuse) => {
  const gateway = await openGateway(server.url, { secondLookMs: 200 });
  onTestFinished(() => gateway.close());
  const rainId = what.startsWith('a mark') ? 'marked' : 'other';
  await stockRain(redis, { rainId, amounts: ['1.00'] });
  const ann = await enter(gateway.url, 'ann');
  const { redPacketId } = await grab(ann, rainId);
  const [entry] = await claimLog({ redis }, rainId);
  await takeOut(rainId, 'ann');
  await excuse(rainId, entry as unknown as Record<string, string>);
  await eventually(async () =>
    expect(await claimLog({ redis }, rainId)).toMatchObject([{ userId: 'ann', redPacketId }]),
  );
});

test('[R14] a win that somebody has written into Redis, and that its user has only read there, is never written into the log', async () => {
  const gateway = await openGateway(server.url, { secondLookMs: 100 });
  onTestFinished(() => gateway.close());
  await stockRain(redis, { rainId: 'read', amounts: ['9.00'], closesInMs: 1_500 });
  const { claimed, packets } = shardKeys('read', 0);
  const packet = JSON.parse((await redis.lindex(packets, 0))!) as object;
  for (const userId of ['mallory', 'trudy']) {
    await redis.hset(claimed, userId, JSON.stringify({ rainId: 'read', at: String(Date.now()), userId, ...packet }));
    expect((await grab(await enter(gateway.url, userId), 'read')).code).toBe('1');
    await redis.hdel(claimed, userId);
  }
  const ann = await enter(gateway.url, 'ann');
  expect((await grab(ann, 'read')).code).toBe('0');
  // Until the last look at its end.
  await eventually(async () => expect((await grab(ann, 'read')).code).toBe('1'));
  await sleep(2_500);
  expect((await claimLog({ redis }, 'read')).map(({ userId }) => userId)).toEqual(['ann']);
});

test('[R14] one that is taken out later, and whose packet another user has won, is in the log again when the rain closes: the ledger decides, and both are known', async () => {
  const gateway = await openGateway(server.url, { secondLookMs: NEVER_MS });
  onTestFinished(() => gateway.close());
  await stockRain(redis, { rainId: 'later', amounts: ['1.00'], closesInMs: 1_500 });
  const [ann, bob] = [await enter(gateway.url, 'ann'), await enter(gateway.url, 'bob')];
  const { redPacketId } = await grab(ann, 'later');
  await takeOut('later', 'ann');
  expect((await grab(bob, 'later')).redPacketId).toBe(redPacketId);
  await eventually(async () =>
    expect((await claimLog({ redis }, 'later')).map(({ userId, redPacketId: id }) => [userId, id]).sort()).toEqual([
      ['ann', redPacketId],
      ['bob', redPacketId],
    ]),
  );
});

test.each(['nothing', 'a word', 'a win that nobody has signed'])(
  '[R14] one that is taken out of a rain that is settled without it is written down, also where %s stands in its place',
  async (what) => {
    const gateway = await openGateway(server.url, { secondLookMs: NEVER_MS });
    onTestFinished(() => gateway.close());
    const rainId = `settled-${what.length}`;
    await stockRain(redis, { rainId, amounts: ['1.00'] });
    const ann = await enter(gateway.url, 'ann');
    const { redPacketId } = await grab(ann, rainId);
    await takeOut(rainId, 'ann');
    const forged = JSON.stringify({ redPacketId, amount: '9.00', at: 1, receipt: 'A'.repeat(22) });
    if (what !== 'nothing') await redis.hset(shardKeys(rainId, 0).told, 'ann', what === 'a word' ? 'told' : forged);
    await redis.hset(shardKeys(rainId, 0).state, 'state', 'settled');
    await eventually(async () =>
      expect(await readTold(redis, signer, rainId)).toMatchObject([{ userId: 'ann', redPacketId }]),
    );
  },
);
