import { setTimeout as sleep } from 'node:timers/promises';
import type { Claim } from '../../../src/rain/claim.ts';
import { redPacketId } from '../../../src/rain/red-packet.ts';
import { connectRedis, untilReady, type RedisClient } from '../../../src/platform/redis/connect.ts';
import { createAnnouncer } from '../../../src/relay/announce.ts';
import { EVENTS_CHANNEL, gatewayChannel } from '../../../src/store/keys.ts';
import { compared } from '../../report/row.ts';
import { inStore, type Store } from '../../support/store.ts';
import type { Measure } from '../measure.ts';

const GATEWAYS = 64;
const ROUNDS = 3;
/** The claims of one credit job. */
const RANGE = 500;
/** Longer than the pause between two samples, so that the last one has been sent, ms. */
const SAMPLED_MS = 1_500;

/** The bytes that Redis sends for each credit to all gateways together, when the winners are spread over them. */
export const credited: Measure = {
  name: 'scale-credited',
  onlyWhenAsked: 'always',
  rows: ({ size, postgres, say }) =>
    inStore(postgres, 'rain', async (store) => {
      const bytes = { one: [] as number[], many: [] as number[] };
      for (let round = 0; round < ROUNDS; round++) {
        bytes.one.push(await bytesPerCredit(store, `one-${round}`, 1, size.claims));
        bytes.many.push(await bytesPerCredit(store, `many-${round}`, GATEWAYS, size.claims));
        say(`round ${round + 1}: ${bytes.one.at(-1)!.toFixed(0)} and ${bytes.many.at(-1)!.toFixed(0)} bytes`);
      }
      return [
        compared(
          {
            measure: `bytes that Redis sends per credit, ${GATEWAYS} gateways`,
            against: '1 gateway',
            unit: 'B',
            target: { most: 1.5 },
          },
          bytes.many,
          bytes.one,
        ),
      ];
    }),
};

async function bytesPerCredit(
  { redisUrl, house }: Store,
  rainId: string,
  gateways: number,
  credits: number,
): Promise<number> {
  const { redis, signer } = house.context;
  await house.stock([rainId], 1);
  const names = Array.from({ length: gateways }, (_, i) => `gateway${i}`.slice(-8).padStart(8, '0'));
  let heard = 0;
  const ears = await Promise.all(
    names.map((name) =>
      listen(redisUrl, name, (frame) => {
        if (frame.includes('"type":"credited"')) heard += frame.split('"userId"').length - 1;
      }),
    ),
  );
  try {
    const announce = createAnnouncer({ redis, signer });
    const before = await sentBytes(redis);
    for (let from = 0; from < credits; from += RANGE) {
      await announce(
        rainId,
        0,
        Array.from({ length: RANGE }, (_, i): Claim => {
          const n = from + i;
          // Neighbours in the log are at different gateways.
          return {
            rainId,
            redPacketId: redPacketId(rainId, n),
            amount: '0.10',
            userId: `user-${n}`,
            at: '1700000000000',
            gateway: names[(n * 7) % gateways]!,
          };
        }),
      );
    }
    await sleep(SAMPLED_MS);
    if (heard !== credits) throw new Error(`${heard} of ${credits} credits were heard`);
    return ((await sentBytes(redis)) - before) / credits;
  } finally {
    for (const each of ears) each.disconnect();
  }
}

async function listen(redisUrl: string, gateway: string, hear: (frame: string) => void): Promise<RedisClient> {
  const ears = connectRedis(redisUrl, { purpose: 'subscriber', onError: () => {} });
  await untilReady(ears);
  ears.on('message', (_channel: string, frame: string) => hear(frame));
  await ears.subscribe(EVENTS_CHANNEL, gatewayChannel(gateway));
  return ears;
}

async function sentBytes(redis: RedisClient): Promise<number> {
  return Number(/^total_net_output_bytes:(\d+)/m.exec(await redis.info('stats'))![1]);
}
