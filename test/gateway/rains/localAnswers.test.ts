import { afterAll, expect, test } from 'vitest';
import { shardKeys } from '../../../src/store/keys.ts';
import { announceChange, close, pause, resume } from '../../../src/store/transitions.ts';
import { packetElement } from '../../../src/store/loadPackets.ts';
import { SCRIPTS } from '../../../src/store/scripts.ts';
import type { Gateway } from '../../../src/gateway/server.ts';
import { dial, type Client } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { openGateway } from '../../support/servers/gateway.ts';
import { openRedis, stockRain } from '../../support/rain.ts';
import { signer } from '../../support/signer.ts';

const { server, redis } = await openRedis();
const [one, two] = await Promise.all([openGateway(server.url), openGateway(server.url)]);
afterAll(() => Promise.all([one.close(), two.close()]));

/** Users of one gateway who disconnect when the test ends. */
async function crowd(gateway: Gateway, ...names: string[]): Promise<Client[]> {
  const clients = await Promise.all(names.map((name) => dial(gateway.url, name)));
  for (const client of clients) afterAll(() => client.leave());
  return clients;
}

async function ask(client: Client, rainId: string): Promise<string> {
  client.say({ type: 'grab', rainId });
  return (await client.next('result')).code;
}

/** Number of grabs that gateways have sent to Redis so far. */
async function decisions(): Promise<number> {
  const stats = await redis.info('commandstats');
  return (
    Number(/^cmdstat_evalsha:calls=(\d+)/m.exec(stats)?.[1] ?? 0) +
    Number(/^cmdstat_eval:calls=(\d+)/m.exec(stats)?.[1] ?? 0)
  );
}

/** Grabs until Redis is not asked any more; all answers on the way are equal. */
async function untilLocalAnswers(client: Client, rainId: string, code: string): Promise<void> {
  await eventually(async () => {
    const before = await decisions();
    for (let i = 0; i < 5; i++) expect(await ask(client, rainId)).toBe(code);
    expect(await decisions()).toBe(before);
  });
}

async function addPackets(rainId: string, count: number): Promise<void> {
  await redis.lpush(
    shardKeys(rainId, 0).packets,
    ...Array.from({ length: count }, (_, i) => packetElement(signer, rainId, `${rainId}-more-${i}`, '2.00')),
  );
}

test('lua/winners.lua exists', () => expect(SCRIPTS.has('winners')).toBe(true));

test('[R6] when the packets are gone losers are answered without Redis, and a winner still gets the win', async () => {
  await stockRain(redis, { rainId: 'gone', amounts: ['7.10'] });
  const [ann, bob, eve] = await crowd(one, 'ann', 'bob', 'eve');
  const [annElsewhere] = await crowd(two, 'ann');
  expect(await ask(ann!, 'gone')).toBe('0');
  await untilLocalAnswers(bob!, 'gone', '-1');
  const before = await decisions();
  expect(await ask(eve!, 'gone'), 'a user without an earlier grab').toBe('-1');
  expect(await decisions()).toBe(before);
  for (const client of [ann!, annElsewhere!]) {
    client.say({ type: 'grab', rainId: 'gone', ref: 'again' });
    expect(await client.next('result')).toMatchObject({ code: '1', amount: '7.10', ref: 'again' });
  }
});

test('in a round of a campaign, Redis is asked about winners of other rounds: only the script knows the win limit', async () => {
  for (const round of [1, 2]) await stockRain(redis, { rainId: `camp.${round}`, amounts: ['1.00'], winsMax: 1 });
  const [ann, bob, eve] = await crowd(one, 'ann', 'bob', 'eve');
  expect(await ask(ann!, 'camp.1')).toBe('0');
  expect(await ask(bob!, 'camp.2')).toBe('0');
  await untilLocalAnswers(eve!, 'camp.2', '-1');
  expect(await ask(ann!, 'camp.2')).toBe('-11');
  expect(await ask(bob!, 'camp.2')).toBe('1');
  const before = await decisions();
  expect(await ask(eve!, 'camp.2')).toBe('-1');
  expect(await decisions()).toBe(before);
});

test('[R6] packets that are added later are won at once, at every gateway, and their winners get the win at the other gateways', async () => {
  await stockRain(redis, { rainId: 'more', amounts: ['1.00'] });
  const [ann, bob] = await crowd(one, 'ann', 'bob');
  const [bobElsewhere, joe] = await crowd(two, 'bob', 'joe');
  expect(await ask(ann!, 'more')).toBe('0');
  await Promise.all([untilLocalAnswers(bob!, 'more', '-1'), untilLocalAnswers(joe!, 'more', '-1')]);
  await addPackets('more', 1);
  await announceChange(redis, 'more');
  await eventually(async () => expect(await ask(bobElsewhere!, 'more')).toBe('0'));
  expect(await ask(bob!, 'more')).toBe('1');
  await untilLocalAnswers(joe!, 'more', '-1');
});

test('[R6] packets added without an event are found at the next reading of the rain', async () => {
  await stockRain(redis, { rainId: 'silent', amounts: ['1.00'] });
  const [ann, bob] = await crowd(one, 'ann', 'bob');
  expect(await ask(ann!, 'silent')).toBe('0');
  await untilLocalAnswers(bob!, 'silent', '-1');
  await addPackets('silent', 1);
  await eventually(async () => expect(await ask(bob!, 'silent')).toBe('0'));
});

test('[R7] before the opening refusals are local; at the opening every grab is passed on', async () => {
  await stockRain(redis, { rainId: 'early', amounts: ['1.00', '1.00'], opensInMs: 2_500 });
  const [ann] = await crowd(one, 'ann');
  await untilLocalAnswers(ann!, 'early', '-2');
  await eventually(async () => expect(await ask(ann!, 'early')).not.toBe('-2'));
  expect(await ask(ann!, 'early')).toBe('1');
});

test('[R7] after the end, on time or early, the refusal is another one, and winners still get their win', async () => {
  await stockRain(redis, { rainId: 'late', amounts: ['1.00', '1.00'], closesInMs: 1_500 });
  await stockRain(redis, { rainId: 'cut', amounts: ['1.00', '1.00'] });
  const [ann, bob] = await crowd(one, 'ann', 'bob');
  for (const rainId of ['late', 'cut']) expect(await ask(ann!, rainId)).toBe('0');
  await close(redis, 'cut', 1, 'early');
  await eventually(async () => expect(await ask(bob!, 'cut')).toBe('-3'), { timeoutMs: 500 });
  await untilLocalAnswers(bob!, 'cut', '-3');
  // Bob must not grab while there is a packet left.
  await eventually(async () => expect(await ask(ann!, 'late')).toBe('1'));
  await new Promise((resolve) => setTimeout(resolve, 1_600));
  await untilLocalAnswers(bob!, 'late', '-3');
  for (const rainId of ['late', 'cut']) expect(await ask(ann!, rainId)).toBe('1');
});

test('[R7] a pause is never answered locally, and after it the packets are there', async () => {
  await stockRain(redis, { rainId: 'held', amounts: ['1.00', '1.00'] });
  const [ann, bob] = await crowd(one, 'ann', 'bob');
  expect(await ask(ann!, 'held')).toBe('0');
  await pause(redis, 'held', 1);
  for (let i = 0; i < 20; i++) expect(await ask(bob!, 'held')).toBe('-4');
  await resume(redis, 'held', 1);
  expect(await ask(bob!, 'held')).toBe('0');
});

test('a gateway that lost its connections to Redis asks Redis again before it refuses locally', async () => {
  await stockRain(redis, { rainId: 'cutoff', amounts: ['1.00'] });
  const [ann, bob] = await crowd(one, 'ann', 'bob');
  expect(await ask(ann!, 'cutoff')).toBe('0');
  await untilLocalAnswers(bob!, 'cutoff', '-1');
  // To the gateway this may be another server: it holds a packet, and no event announces it.
  await addPackets('cutoff', 1);
  await redis.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
  await redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
  await eventually(async () => expect(['0', '1']).toContain(await ask(bob!, 'cutoff')));
});
