import { afterAll, expect, onTestFinished, test } from 'vitest';
import type { Claim } from '../../src/rain/claim.ts';
import { connectRedis, untilReady } from '../../src/platform/redis/connect.ts';
import { createAnnouncer } from '../../src/relay/announce.ts';
import { parseEvent } from '../../src/store/events.ts';
import { EVENTS_CHANNEL, gatewayChannel } from '../../src/store/keys.ts';
import { eventually } from '../support/eventually.ts';
import { openRedis, stockRain } from '../support/rain.ts';
import { signer } from '../support/signer.ts';

const { server, redis } = await openRedis();
const ears = connectRedis(server.url, { purpose: 'subscriber', onError: () => {} });
await untilReady(ears);
afterAll(() => ears.disconnect());
const [A, B] = ['aaaaaaaa', 'bbbbbbbb'];
const channels = [EVENTS_CHANNEL, gatewayChannel(A), gatewayChannel(B)];

/** The events heard from now on: channel, type and users of each. */
async function listen(): Promise<string[]> {
  const heard: string[] = [];
  const hear = (channel: string, frame: string) => {
    const event = parseEvent(frame)!;
    if ('claims' in event)
      heard.push(
        `${['all', 'A', 'B'][channels.indexOf(channel)]} ${event.type} ${event.claims.map(({ userId }) => userId).join()}`,
      );
  };
  ears.on('message', hear);
  onTestFinished(() => {
    ears.off('message', hear);
  });
  await ears.subscribe(...channels);
  return heard;
}

const claim = (rainId: string, userId: string, gateway?: string): Claim => ({
  rainId,
  redPacketId: `${rainId}-${userId}`,
  amount: '0.10',
  userId,
  at: '1700000000000',
  ...(gateway && { gateway }),
});

test('a gateway hears of the credits that it was told of, and all of them a sample; of a claim that names none all hear', async () => {
  await stockRain(redis, { rainId: 'one', amounts: ['0.10'] });
  const heard = await listen();
  const users = Array.from({ length: 8 }, (_, i) => `u${i}`);
  await createAnnouncer({ redis, signer })('one', 0, [
    ...users.map((user, i) => claim('one', user, i % 2 === 0 ? A : B)),
    claim('one', 'old'),
  ]);
  await eventually(() => expect(heard).toHaveLength(4));
  expect(heard.sort()).toEqual([
    'A credited u0,u2,u4,u6',
    'B credited u1,u3,u5,u7',
    'all credited old',
    'all sampled u0,u1,u2,u3,u4',
  ]);
});

test('a rain is sampled at intervals, the first winners at once and then the latest', async () => {
  await stockRain(redis, { rainId: 'many', amounts: ['0.10'] });
  const heard = await listen();
  const announce = createAnnouncer({ redis, signer, sampleEveryMs: 200 });
  const sampled = () => heard.filter((line) => line.startsWith('all sampled'));
  for (const user of ['first', 'second', 'third']) await announce('many', 0, [claim('many', user, A)]);
  await eventually(() => expect(sampled()).toEqual(['all sampled first', 'all sampled third']));
  expect(heard.filter((line) => line.startsWith('A'))).toHaveLength(3);
  await createAnnouncer({ redis, signer, sampleEveryMs: 200 })('many', 0, [claim('many', 'fourth', A)]);
  await eventually(() => expect(sampled()).toHaveLength(3));
});
