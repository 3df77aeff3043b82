import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Gateway } from '../../src/gateway/server.ts';
import { EVENTS_CHANNEL, shardKeys } from '../../src/store/keys.ts';
import { close, pause } from '../../src/store/transitions.ts';
import { dial } from '../support/client.ts';
import { claimLog } from '../support/operatorContext.ts';
import { eventually } from '../support/eventually.ts';
import { openGateway } from '../support/servers/gateway.ts';
import { testClient } from '../support/rainClient.ts';
import { TcpProxy } from '../support/servers/proxy.ts';
import { openRedis, stockRain } from '../support/rain.ts';
import { creditedEvent, signer } from '../support/signer.ts';

const { server, redis } = await openRedis();

let gateway: Gateway;
beforeAll(async () => {
  gateway = await openGateway(server.url);
});
afterAll(() => gateway.close());

const credit = (rainId: string, userId: string, amount: string) =>
  redis.publish(EVENTS_CHANNEL, creditedEvent(rainId, [{ userId, redPacketId: `${rainId}-0`, amount }]));

/** A line to the gateway that this test can spoil. */
async function spoilable(): Promise<TcpProxy & { url: string }> {
  const proxy = await TcpProxy.open(gateway.port);
  onTestFinished(() => proxy.close());
  return Object.assign(proxy, { url: `ws://127.0.0.1:${proxy.port}/v1` });
}

test('connects, joins, grabs and receives the credit', async () => {
  await stockRain(redis, { rainId: 'c1', amounts: ['12.21'] });
  const ann = await testClient(gateway.url, 'ann');
  expect(await ann.connect()).toMatchObject({ type: 'welcome', userId: 'ann' });
  expect([ann.link, ann.userId]).toEqual(['up', 'ann']);
  expect(await ann.join('c1')).toMatchObject({ kind: 'joined', rain: { rainId: 'c1', state: 'open', packets: 1 } });
  expect(await ann.grab('c1')).toEqual({ kind: 'won', redPacketId: 'c1-0', amount: '12.21' });
  await credit('c1', 'ann', '12.21');
  await eventually(() => ann.heard('credited').length > 0);
  expect(ann.heard('credited')).toEqual([{ type: 'credited', rainId: 'c1', redPacketId: 'c1-0', amount: '12.21' }]);
  expect(ann.heard('won')).toEqual([{ rainId: 'c1', redPacketId: 'c1-0', amount: '12.21' }]);
  expect(ann.heard('asking')).toEqual([{ rainId: 'c1', why: 'sent' }]);
  // His packet is told without asking anybody [R6].
  expect(await ann.grab('c1')).toEqual({ kind: 'already_claimed', redPacketId: 'c1-0', amount: '12.21' });
  expect(ann.heard('asking')).toHaveLength(1);
});

test.each([
  [
    'nothing_left',
    async (rainId: string) => {
      await stockRain(redis, { rainId, amounts: ['1.00'] });
      const bob = await dial(gateway.url, 'bob');
      bob.say({ type: 'grab', rainId });
      await bob.next('result');
      await bob.leave();
    },
  ],
  ['not_started', (rainId: string) => stockRain(redis, { rainId, amounts: ['1.00'], opensInMs: 60_000 })],
  [
    'paused',
    async (rainId: string) => {
      await stockRain(redis, { rainId, amounts: ['1.00'] });
      await pause(redis, rainId, 1);
    },
  ],
  [
    'ended',
    async (rainId: string) => {
      await stockRain(redis, { rainId, amounts: ['1.00'] });
      await close(redis, rainId, 1, 'early');
    },
  ],
  ['no_such_rain', async () => {}],
] as const)('a grab that wins nothing says why: %s', async (kind, prepare) => {
  await prepare(`why-${kind}`);
  const ann = await testClient(gateway.url, 'ann');
  await ann.connect();
  expect(await ann.grab(`why-${kind}`)).toEqual({ kind });
  expect(ann.heard('won')).toEqual([]);
});

test('a join is answered by the rain, or by why there is none', async () => {
  const ann = await testClient(gateway.url, 'ann');
  await ann.connect();
  expect(await ann.join('nowhere')).toMatchObject({ kind: 'refused', code: '-8', reason: 'no_such_rain' });
  await stockRain(redis, { rainId: 'later', amounts: ['1.00'], opensInMs: 300 });
  expect(await ann.join('later')).toMatchObject({ kind: 'joined' });
  // The state follows the server's clock between two snapshots [R7].
  await eventually(() => ann.rain('later')?.state === 'open');
  expect(ann.serverNow()).toBeGreaterThanOrEqual(ann.rain('later')!.opensAt);
});

test('a grab without a connection is sent when there is one', async () => {
  await stockRain(redis, { rainId: 'c2', amounts: ['3.00'] });
  const ann = await testClient(gateway.url, 'ann');
  const outcome = ann.grab('c2');
  await ann.connect();
  expect(await outcome).toEqual({ kind: 'won', redPacketId: 'c2-0', amount: '3.00' });
});

test('[R1] two grabs at once are one request, and both get its answer', async () => {
  await stockRain(redis, { rainId: 'c3', amounts: ['1.00', '2.00'] });
  const ann = await testClient(gateway.url, 'ann');
  await ann.connect();
  const [one, two] = await Promise.all([ann.grab('c3'), ann.grab('c3')]);
  expect(one).toMatchObject({ kind: 'won' });
  expect(two).toEqual(one);
  expect(ann.heard('asking')).toHaveLength(1);
  expect(await claimLog({ redis }, 'c3')).toHaveLength(1);
});

describe('a line that breaks', () => {
  test('[R6] between a grab and its answer: the outcome is the same, and it is won once', async () => {
    await stockRain(redis, { rainId: 'cut', amounts: ['1.00', '2.00', '3.00'] });
    const line = await spoilable();
    const ann = await testClient(line.url, 'ann');
    await ann.connect();
    await ann.join('cut');
    line.blackhole('toClient');
    const outcome = ann.grab('cut');
    await eventually(async () => (await redis.hexists(shardKeys('cut', 0).claimed, 'ann')) === 1);
    line.cut();
    line.pass();
    const [claim] = await claimLog({ redis }, 'cut');
    expect(await outcome).toEqual({ kind: 'won', redPacketId: claim!.redPacketId, amount: claim!.amount });
    expect(await claimLog({ redis }, 'cut')).toHaveLength(1);
    expect(ann.heard('won')).toHaveLength(1);
    expect(ann.heard('link').map(({ link }) => link)).toEqual(['connecting', 'up', 'lost', 'up']);
  });

  test('[R6] an unreported win is reported after the reconnect, once, without a new grab', async () => {
    await stockRain(redis, { rainId: 'unheard', amounts: ['7.00'] });
    const line = await spoilable();
    const ann = await testClient(line.url, 'ann');
    await ann.connect();
    await ann.join('unheard');
    line.refuse();
    await eventually(() => ann.link === 'lost');
    const elsewhere = await dial(gateway.url, 'ann');
    elsewhere.say({ type: 'grab', rainId: 'unheard' });
    await elsewhere.next('result');
    await elsewhere.leave();
    await redis.sadd(
      shardKeys('unheard', 0).credited,
      signer.creditMark({ rainId: 'unheard', redPacketId: 'unheard-0', amount: '7.00', userId: 'ann' }),
    );
    line.pass();
    await eventually(() => ann.heard('credited').length > 0);
    expect(ann.heard('won')).toEqual([{ rainId: 'unheard', redPacketId: 'unheard-0', amount: '7.00' }]);
    ann.renew();
    await eventually(() => ann.heard('result').length > 1);
    expect([ann.heard('won').length, ann.heard('credited').length, ann.heard('asking').length]).toEqual([1, 1, 0]);
  });

  test('a rain that was left is not joined again', async () => {
    for (const rainId of ['kept', 'left']) await stockRain(redis, { rainId, amounts: ['1.00'] });
    const ann = await testClient(gateway.url, 'ann');
    await ann.connect();
    await Promise.all([ann.join('kept'), ann.join('left')]);
    ann.leave('left');
    const bob = await dial(gateway.url, 'ann');
    for (const rainId of ['kept', 'left']) {
      bob.say({ type: 'grab', rainId });
      await bob.next('result');
    }
    await bob.leave();
    ann.renew();
    await eventually(() => ann.heard('won').length > 0);
    expect(ann.heard('won').map(({ rainId }) => rainId)).toEqual(['kept']);
    expect(ann.rain('left')).toBeUndefined();
  });
});

describe('a grab that is given up', () => {
  test('rejects with the reason of the signal, at once when it was aborted before, and sends nothing more', async () => {
    await stockRain(redis, { rainId: 'aborted', amounts: ['5.00'] });
    const line = await spoilable();
    const ann = await testClient(line.url, 'ann');
    await ann.connect();
    await expect(ann.grab('aborted', { signal: AbortSignal.abort(new Error('too late for me')) })).rejects.toThrow(
      'too late for me',
    );
    expect(ann.heard('asking')).toEqual([]);
    await ann.join('aborted');
    line.blackhole('toServer');
    const stop = new AbortController();
    const outcome = ann.grab('aborted', { signal: stop.signal });
    stop.abort(new Error('enough'));
    await expect(outcome).rejects.toThrow('enough');
    line.cut();
    line.pass();
    await eventually(() => ann.heard('welcome').length === 2);
    expect(ann.heard('asking')).toHaveLength(1);
    expect(await claimLog({ redis }, 'aborted')).toEqual([]);
  });

  test('[R6] although it was decided already: the win is still reported', async () => {
    await stockRain(redis, { rainId: 'decided', amounts: ['5.00'] });
    const line = await spoilable();
    const ann = await testClient(line.url, 'ann');
    await ann.connect();
    await ann.join('decided');
    line.delay(300);
    const stop = new AbortController();
    const outcome = ann.grab('decided', { signal: stop.signal });
    stop.abort();
    await expect(outcome).rejects.toThrow();
    await eventually(() => ann.heard('won').length > 0);
    expect(ann.heard('won')).toEqual([{ rainId: 'decided', redPacketId: 'decided-0', amount: '5.00' }]);
  });

  test('by one of two goes on for the other', async () => {
    await stockRain(redis, { rainId: 'half', amounts: ['5.00'] });
    const ann = await testClient(gateway.url, 'ann');
    const stop = new AbortController();
    const given = ann.grab('half', { signal: stop.signal });
    const kept = ann.grab('half');
    stop.abort(new Error('enough'));
    await expect(given).rejects.toThrow('enough');
    await ann.connect();
    expect(await kept).toMatchObject({ kind: 'won' });
  });

  test('by closing the client ends as unanswered', async () => {
    const ann = await testClient(gateway.url, 'ann');
    const outcome = ann.grab('nowhere');
    const joined = ann.join('nowhere');
    ann.close();
    expect(await outcome).toEqual({ kind: 'unanswered' });
    expect(await joined).toEqual({ kind: 'refused', code: 'closed', reason: 'this client was closed' });
  });
});
