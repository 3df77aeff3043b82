import { afterAll, beforeEach, expect, test } from 'vitest';
import { LIVE_RAINS_KEY, shardKeys } from '../../src/store/keys.ts';
import { readTold } from '../../src/store/told.ts';
import { packetElement } from '../../src/store/loadPackets.ts';
import { close, settle } from '../../src/store/transitions.ts';
import { HANDLER_LIMITS } from '../../src/gateway/handlers/limits.ts';
import { eventually } from '../support/eventually.ts';
import { listeningLog } from '../support/log.ts';
import { dial, type Client } from '../support/client.ts';
import { claimLog } from '../support/operatorContext.ts';
import { openGateway } from '../support/servers/gateway.ts';
import { openRedis, stockRain } from '../support/rain.ts';
import { signer } from '../support/signer.ts';

const { server, redis } = await openRedis();
/** The earlier one tells the wins; the other knows nothing of them. */
const [gateway, earlier] = await Promise.all([openGateway(server.url), openGateway(server.url)]);
afterAll(() => Promise.all([gateway.close(), earlier.close()]));
beforeEach(() => {
  for (const status of Object.keys(gateway.counters.receipts)) gateway.counters.receipts[status as 'known'] = 0;
});

interface Told {
  rainId: string;
  redPacketId: string;
  amount: string;
  receipt: string;
}

async function win(rainId: string, userId: string, { url } = earlier): Promise<Told> {
  await stockRain(redis, { rainId, amounts: ['1.00', '2.00'] });
  const client = await dial(url, userId);
  client.say({ type: 'grab', rainId });
  const { redPacketId, amount, receipt } = await client.next('result');
  await client.leave();
  return { rainId, redPacketId: redPacketId!, amount: amount!, receipt: receipt! };
}

async function lose({ rainId, redPacketId, amount }: Told, userId: string): Promise<void> {
  const { claimed, claims, packets } = shardKeys(rainId, 0);
  await redis
    .multi()
    .hdel(claimed, userId)
    .lpop(claims)
    .rpush(packets, packetElement(signer, rainId, redPacketId, amount))
    .exec();
}

async function show(client: Client, told: object): Promise<string> {
  client.say({ type: 'receipt', ...told });
  return (await client.next('receipt_status')).status;
}

test('[R6] a win that Redis has lost together with the gateway that told it comes back by him who was told', async () => {
  const told = await win('lost', 'ann');
  const ann = await dial(gateway.url, 'ann');
  expect(await show(ann, told)).toBe('known');
  await lose(told, 'ann');
  expect(await show(ann, told)).toBe('restored');
  expect(await claimLog({ redis }, 'lost')).toMatchObject([
    { userId: 'ann', redPacketId: 'lost-0', amount: '1.00', mac: signer.packetMac('lost', 'lost-0', '1.00') },
  ]);
  expect(await redis.llen(shardKeys('lost', 0).packets)).toBe(1);
  expect(await show(ann, told)).toBe('known');
  expect(gateway.counters.receipts).toEqual({ known: 2, restored: 1, recorded: 0, busy: 0 });
  await ann.leave();
});

test('of a rain that is gone, or settled without it, it is written down for the operator', async () => {
  const [gone, settled] = [await win('gone', 'ann'), await win('settled', 'ann')];
  await redis.del(...Object.values(shardKeys('gone', 0)));
  await redis.hdel(LIVE_RAINS_KEY, 'gone');
  await lose(settled, 'ann');
  await close(redis, 'settled', 1, 'early');
  await settle(redis, 'settled', { shards: 1, title: '' }, { ttlMs: 60_000 });
  const late = await openGateway(server.url);
  const ann = await dial(late.url, 'ann');
  expect([await show(ann, gone), await show(ann, settled)]).toEqual(['recorded', 'recorded']);
  for (const { rainId, redPacketId, amount } of [gone, settled]) {
    expect(await readTold(redis, signer, rainId, 1)).toEqual([
      { userId: 'ann', redPacketId, amount, at: expect.any(Number) as number },
    ]);
  }
  expect(await redis.exists(shardKeys('gone', 0).state)).toBe(0);
  await ann.leave();
  await late.close();
});

test('[R9] a receipt that is not ours, or of another user, brings nothing and counts as an error', async () => {
  const told = await win('false', 'ann');
  await lose(told, 'ann');
  const eve = await dial(gateway.url, 'eve');
  expect(await show(eve, told)).toBe('not_genuine');
  const ann = await dial(gateway.url, 'ann');
  for (const change of [
    { amount: '100.00' },
    { redPacketId: 'false-1' },
    { rainId: 'other' },
    { receipt: 'A'.repeat(22) },
  ]) {
    expect(await show(ann, { ...told, ...change }), JSON.stringify(change)).toBe('not_genuine');
  }
  expect(await claimLog({ redis }, 'false')).toEqual([]);
  ann.say({ type: 'receipt', ...told, receipt: 'short' });
  expect(await ann.next('error')).toMatchObject({
    code: 'bad_field',
    reason: expect.stringContaining('receipt: expected the receipt') as string,
  });
  await Promise.all([eve.leave(), ann.leave()]);
});

test('[R10] a socket may show so many receipts, and then hears "busy"', async () => {
  const told = await win('many', 'ann');
  const ann = await dial(gateway.url, 'ann');
  const refused = gateway.counters.refused.receipts;
  for (let i = 0; i < HANDLER_LIMITS.receiptsPerSocketMax; i++) expect(await show(ann, told)).toBe('known');
  expect(await show(ann, told)).toBe('busy');
  expect(gateway.counters.refused.receipts).toBe(refused + 1);
  await ann.leave();
});

test('[R10] a gateway asks Redis about so many receipts at once; "busy" is the answer to others, and does not use up what their socket may show', async () => {
  const narrow = await openGateway(server.url, { limits: { receiptsPendingMax: 2, receiptsPerSocketMax: 1 } });
  const told = await Promise.all(['ann', 'bob', 'eve'].map((user) => win(`crowd-${user}`, user)));
  const crowd = await Promise.all(['ann', 'bob', 'eve'].map((user) => dial(narrow.url, user)));
  process.kill(server.pid, 'SIGSTOP');
  try {
    crowd.slice(0, 2).forEach((client, i) => client.say({ type: 'receipt', ...told[i] }));
    await eventually(async () => {
      expect(await show(crowd[2]!, told[2]!)).toBe('busy');
      expect(narrow.counters.refused.receipts).toBeGreaterThan(0);
    });
    expect(
      await Promise.all(crowd.slice(0, 2).map(async (client) => (await client.next('receipt_status')).status)),
    ).toEqual(['busy', 'busy']);
  } finally {
    process.kill(server.pid, 'SIGCONT');
  }
  for (const [i, client] of crowd.entries())
    await eventually(async () => expect(await show(client, told[i]!)).toBe('known'));
  expect(await show(crowd[0]!, told[0]!)).toBe('busy');
  await Promise.all(crowd.map((client) => client.leave()));
  await narrow.close();
});

test('a receipt of a rain that is gone is written down once, and not reported as lost after each reconnect', async () => {
  const told = await win('long-ago', 'ann');
  await redis.del(...Object.values(shardKeys('long-ago', 0)));
  await redis.hdel(LIVE_RAINS_KEY, 'long-ago');
  const { log, heard } = listeningLog();
  const late = await openGateway(server.url, { log });
  const ann = await dial(late.url, 'ann');
  expect(await show(ann, told)).toBe('recorded');
  // Nobody else knows of it, and could put it back first.
  const own = await win('own', 'ann', late);
  await lose(own, 'ann');
  await redis.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
  await eventually(() => expect(heard.some(({ rainId }) => rainId === 'own')).toBe(true));
  expect(heard.filter(({ rainId }) => rainId === 'long-ago')).toEqual([]);
  await ann.leave();
  await late.close();
});
