import { BATCH_USERS_MAX, createGrabEngine, type GrabEngine } from '../../src/grab/engine.ts';
import { shardKeys } from '../../src/store/keys.ts';
import { cpuMs } from '../support/cpu.ts';
import { compared, single } from '../report/row.ts';
import { inStore, type Store } from '../support/store.ts';
import type { Measure } from './measure.ts';

const SMALL = 10_000;
const GRABS = 5_120;

export const stocking: Measure = {
  name: 'stocking',
  onlyWhenAsked: 'quick',
  rows: ({ size, postgres, say }) =>
    inStore(postgres, 'rain', async (store) => {
      say(`preallocating ${size.packets} packets`);
      const began = performance.now();
      await store.house.stock(['big'], size.packets);
      const rate = (size.packets * 1_000) / (performance.now() - began);
      await store.house.stock(['small'], SMALL + size.rounds * GRABS);
      await holdClaims(store, 'big', size.packets);
      await holdClaims(store, 'small', SMALL);
      const engine = createGrabEngine(store.house.context.redis, (error) => {
        throw error;
      });
      const [big, small]: [number[], number[]] = [[], []];
      for (let round = 0; round < size.rounds; round++) {
        say(`round ${round + 1}: grabs in a big and in a small rain`);
        big.push(await grabCost(store, engine, 'big', round));
        small.push(await grabCost(store, engine, 'small', round));
      }
      const count = size.packets.toLocaleString('en');
      return [
        single(`preallocating ${count} packets`, '/s', rate, { least: 100_000 }),
        compared(
          {
            measure: `Redis CPU per grab at ${count} packets and users`,
            against: `at ${SMALL.toLocaleString('en')}`,
            unit: 'µs',
            target: { most: 1.2 },
          },
          big,
          small,
        ),
      ];
    }),
};

/** Adds claims of other users, as after many wins. */
async function holdClaims(
  {
    house: {
      context: { redis },
    },
  }: Store,
  rainId: string,
  users: number,
): Promise<void> {
  const { claimed } = shardKeys(rainId, 0);
  for (let from = 0; from < users; from += 1_000) {
    await redis.hset(
      claimed,
      ...Array.from({ length: 1_000 }, (_, i) => [
        `before-${from + i}`,
        JSON.stringify({
          rainId,
          redPacketId: `held.${from + i}`,
          amount: '0.10',
          userId: `before-${from + i}`,
          at: '1',
        }),
      ]).flat(),
    );
  }
}

/** Redis's processor time for one win, µs. */
async function grabCost({ redisPid }: Store, engine: GrabEngine, rainId: string, round: number): Promise<number> {
  const before = cpuMs([redisPid]);
  for (let from = 0; from < GRABS; from += BATCH_USERS_MAX) {
    const answers = await engine.grab(
      rainId,
      0,
      Array.from({ length: BATCH_USERS_MAX }, (_, i) => `user-${round}-${from + i}`),
    );
    if (answers.some(({ code }) => code !== '0'))
      throw new Error(`not everybody won in ${rainId}: ${answers.find(({ code }) => code !== '0')!.code}`);
  }
  return ((cpuMs([redisPid]) - before) * 1_000) / GRABS;
}
