import { setTimeout as sleep } from 'node:timers/promises';
import { createRain } from '../../../src/operator/create.ts';
import { loadRain } from '../../../src/operator/load.ts';
import { compared } from '../../report/row.ts';
import { cpuMs } from '../../support/cpu.ts';
import { openKnowing } from '../../support/gateways.ts';
import { inStore, type Store } from '../../support/store.ts';
import type { Measure } from '../measure.ts';

const GATEWAYS = 16;
const OPEN = 5;
const SCHEDULED = 200;
const ROUNDS = 3;
/** All rains are read once in this time, even if nothing says that one has changed. */
const WATCH_MS = 10_000;

/** Redis's processor time for what gateways read of the rains each second, when most of these are far off. */
export const board: Measure = {
  name: 'scale-board',
  onlyWhenAsked: 'always',
  rows: ({ postgres, say }) =>
    inStore(postgres, 'rain', async (store) => {
      await store.house.stock(
        Array.from({ length: OPEN }, (_, i) => `open-${i}`),
        10,
      );
      for (let i = 0; i < SCHEDULED; i++) await schedule(store, `scheduled-${i}`);
      const ms = { all: [] as number[], changed: [] as number[] };
      for (let round = 0; round < ROUNDS; round++) {
        ms.all.push(await watchMs(store, 0));
        ms.changed.push(await watchMs(store, WATCH_MS));
        say(
          `round ${round + 1}: ${ms.all.at(-1)!.toFixed(0)} and ${ms.changed.at(-1)!.toFixed(0)} ms in ${WATCH_MS / 1_000} s`,
        );
      }
      return [
        compared(
          {
            measure: `Redis CPU of the polls of ${GATEWAYS} gateways, ${OPEN} rains open, ${SCHEDULED} far off`,
            against: 'each rain each second',
            unit: 'ms',
            target: { most: 0.35 },
          },
          ms.changed,
          ms.all,
        ),
      ];
    }),
};

async function schedule({ house: { context } }: Store, id: string): Promise<void> {
  const opensAt = Date.now() + 7_200_000;
  const created = await createRain(context, {
    id,
    plan: { budget: '1.00', packets: 10, split: { method: 'even' } },
    opensAt,
    closesAt: opensAt + 3_600_000,
  });
  const loaded = created.ok ? await loadRain(context, id) : created;
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.refusals));
}

async function watchMs({ redisPid, redisUrl }: Store, wholeMs: number): Promise<number> {
  const knowing = await openKnowing(redisUrl, GATEWAYS, wholeMs);
  try {
    const before = cpuMs([redisPid]);
    await sleep(WATCH_MS);
    return cpuMs([redisPid]) - before;
  } finally {
    knowing.close();
  }
}
