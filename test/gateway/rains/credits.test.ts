import { afterAll, expect, test } from 'vitest';
import { parseClaim, type Claim } from '../../../src/rain/claim.ts';
import { connectRedis, untilReady } from '../../../src/platform/redis/connect.ts';
import { createAnnouncer } from '../../../src/relay/announce.ts';
import { EVENTS_CHANNEL, shardKeys } from '../../../src/store/keys.ts';
import { dial, type Client } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { openGateway } from '../../support/servers/gateway.ts';
import { openRedis, stockRain } from '../../support/rain.ts';
import { signer } from '../../support/signer.ts';

const { server, redis } = await openRedis();
const [one, two] = await Promise.all([openGateway(server.url), openGateway(server.url)]);
const ears = connectRedis(server.url, { purpose: 'subscriber', onError: () => {} });
await untilReady(ears);
afterAll(async () => {
  ears.disconnect();
  await Promise.all([one.close(), two.close()]);
});
const heardByAll: string[] = [];
ears.on('message', (_channel: string, frame: string) => heardByAll.push(frame));
await ears.subscribe(EVENTS_CHANNEL);
const announce = createAnnouncer({ redis, signer });

async function won(rainId: string): Promise<Claim[]> {
  return (await redis.lrange(shardKeys(rainId, 0).claims, 0, -1)).map((entry) => {
    const parsed = parseClaim(entry);
    if (!parsed.ok) throw new Error(parsed.reason);
    return parsed.claim;
  });
}

async function grab(client: Client, rainId: string): Promise<string> {
  client.say({ type: 'grab', rainId });
  return (await client.next('result')).code;
}

test('a credit is told to the user at the gateway of the win; viewers at all gateways see the winner', async () => {
  await stockRain(redis, { rainId: 'here', amounts: ['1.00', '2.00'] });
  const [ann, eve] = await Promise.all([dial(one.url, 'ann'), dial(two.url, 'eve')]);
  eve.say({ type: 'join', rainId: 'here' });
  await eve.next('rain');
  expect(await grab(ann, 'here')).toBe('0');
  const claims = await won('here');
  expect(claims).toMatchObject([{ userId: 'ann', gateway: expect.stringMatching(/^[a-z0-9]{8}$/) as string }]);
  heardByAll.length = 0;
  await announce('here', 0, claims);
  expect(await ann.next('credited')).toMatchObject({ rainId: 'here', amount: claims[0]!.amount });
  expect(await eve.next('winners')).toMatchObject({ winners: [{ user: 'a•••n' }] });
  expect(heardByAll.filter((frame) => frame.includes('"credited"'))).toEqual([]);
  await Promise.all([ann.leave(), eve.leave()]);
});

test.each(['join', 'grab'] as const)(
  'a user who has come to another gateway with a %s before the credit is told there',
  async (type) => {
    const rainId = `moved-${type}`;
    await stockRain(redis, { rainId, amounts: ['1.00'] });
    const before = await dial(one.url, 'ann');
    expect(await grab(before, rainId)).toBe('0');
    await before.leave();
    const ann = await dial(two.url, 'ann');
    ann.say({ type, rainId });
    expect((await ann.next('result')).code).toBe('1');
    await announce(rainId, 0, await won(rainId));
    expect(await ann.next('credited')).toMatchObject({ rainId, redPacketId: `${rainId}-0` });
    await ann.leave();
  },
);

test('[R14] a gateway that somebody has written into a claim changes who is told first, and nothing else', async () => {
  await stockRain(redis, { rainId: 'rewritten', amounts: ['1.00'] });
  const ann = await dial(one.url, 'ann');
  expect(await grab(ann, 'rewritten')).toBe('0');
  const [entry] = await redis.lrange(shardKeys('rewritten', 0).claims, 0, -1);
  for (const forged of ['"x:y"', '5', '"aaaaaaaaaaaaaaaaaaaaaaaa"']) {
    expect(parseClaim(entry!.replace(/"gateway":"[a-z0-9]{8}"/, `"gateway":${forged}`)), forged).toMatchObject({
      ok: true,
      claim: { userId: 'ann', gateway: undefined },
    });
  }
  await announce(
    'rewritten',
    0,
    (await won('rewritten')).map((claim) => ({ ...claim, gateway: undefined })),
  );
  await eventually(() =>
    expect(heardByAll.some((frame) => frame.includes('"credited"') && frame.includes('rewritten'))).toBe(true),
  );
  expect(await ann.next('credited')).toMatchObject({ rainId: 'rewritten' });
  await ann.leave();
});
