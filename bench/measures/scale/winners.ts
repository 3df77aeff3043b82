import { shardKeys } from '../../../src/store/keys.ts';
import { compared } from '../../report/row.ts';
import { cpuMs } from '../../support/cpu.ts';
import { openKnowing } from '../../support/gateways.ts';
import { inStore, type Store } from '../../support/store.ts';
import { winMany } from '../../support/won.ts';
import type { Measure } from '../measure.ts';

const GATEWAYS = 64;
const ROUNDS = 3;

/** Redis's processor time until all gateways know the winners of a rain of which nothing is left. */
export const winners: Measure = {
  name: 'scale-winners',
  onlyWhenAsked: 'always',
  rows: ({ size, postgres, say }) =>
    inStore(postgres, 'rain', async (store) => {
      const rainId = 'won';
      await store.house.stock([rainId], 1);
      await store.house.takeLast(rainId);
      await winMany(store.house.context, rainId, size.packets);
      const us = { one: [] as number[], many: [] as number[] };
      for (let round = 0; round < ROUNDS; round++) {
        us.one.push(await learnMs(store, rainId, 1));
        us.many.push(await learnMs(store, rainId, GATEWAYS));
        say(`round ${round + 1}: ${us.one.at(-1)!.toFixed(0)} and ${us.many.at(-1)!.toFixed(0)} ms`);
      }
      return [
        compared(
          {
            measure: `Redis CPU to learn ${size.packets.toLocaleString('en')} winners, ${GATEWAYS} gateways`,
            against: '1 gateway',
            unit: 'ms',
            target: { most: 1.2 },
          },
          us.many,
          us.one,
        ),
      ];
    }),
};

async function learnMs(
  {
    redisPid,
    redisUrl,
    house: {
      context: { redis },
    },
  }: Store,
  rainId: string,
  gateways: number,
): Promise<number> {
  await redis.unlink(shardKeys(rainId, 0).winners);
  const knowing = await openKnowing(redisUrl, gateways);
  try {
    const before = cpuMs([redisPid]);
    await knowing.learn(rainId);
    return cpuMs([redisPid]) - before;
  } finally {
    knowing.close();
  }
}
