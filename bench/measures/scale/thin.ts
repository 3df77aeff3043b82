import { OVERLOAD_LIMITS } from '../../../src/gateway/overload/limits.ts';
import { compared } from '../../report/row.ts';
import { cpuMs } from '../../support/cpu.ts';
import { holdToQuota } from '../../support/quota.ts';
import { inStore, type Store } from '../../support/store.ts';
import { openThin } from '../../support/thin.ts';
import type { BaselineOptions, Measure } from '../measure.ts';

const GATEWAYS = 64;
const SHARDS = 4;
const ROUNDS = 5;
const { grabBehindMsMax } = OVERLOAD_LIMITS;

/**
 * On two cores the users would be slower than Redis. So Redis has a tenth of a core, and the clock of the gateways goes
 * at a tenth of the speed.
 */
const SLOWER = 10;
const PERIOD_US = 10_000;
/** Through one gateway nearly all that Redis can do. */
const BUSY = { perSecond: 128_000, users: 12_800 };
/** Without the wait Redis falls behind, and many users would take minutes. */
const FLOODED = { perSecond: BUSY.perSecond, users: 3_200 };
const IDLE = { perSecond: 500, users: 500 };

/** Calls stay large when gateways are many and Redis is busy; nobody waits when it is not. */
export const thin: Measure = {
  name: 'scale-thin',
  onlyWhenAsked: 'always',
  async rows(options) {
    const busy = await whileBusy(options);
    const idle = await whileIdle(options);
    const measure = `Redis CPU per win, ${GATEWAYS} thin gateways × ${SHARDS} shards`;
    return [
      compared({ measure, against: '1 gateway', unit: 'µs', target: { most: 2 } }, busy.many, busy.one),
      compared(
        { measure: `${measure}, without the wait for the call before`, against: '1 gateway', unit: 'µs' },
        busy.before,
        busy.one,
      ),
      compared(
        {
          measure: `wait for an answer while Redis is idle, ${GATEWAYS} thin gateways`,
          against: 'without the wait for the call before',
          unit: 'ms',
          target: { most: 1.1 },
        },
        idle.many,
        idle.before,
      ),
    ];
  },
};

type Side = 'one' | 'many' | 'before';

/** Runs this on one Redis for gateways of each kind, so many rounds. */
async function inRounds(
  store: Store,
  { say }: BaselineOptions,
  slower: number,
  work: (
    gateways: Awaited<ReturnType<typeof openThin>>,
    side: Side,
    rainId: string,
  ) => Promise<{ figure: number; told: string }>,
): Promise<Record<Side, number[]>> {
  const figures: Record<Side, number[]> = { one: [], many: [], before: [] };
  const opened = Object.entries({
    one: await openThin(store.redisUrl, { gateways: 1, shards: SHARDS, grabBehindMsMax, slower }),
    many: await openThin(store.redisUrl, { gateways: GATEWAYS, shards: SHARDS, grabBehindMsMax, slower }),
    before: await openThin(store.redisUrl, { gateways: GATEWAYS, shards: SHARDS, grabBehindMsMax: 0, slower }),
  });
  try {
    for (let round = 0; round <= ROUNDS; round++) {
      const told: string[] = [];
      for (const [name, gateways] of opened) {
        const side = name as Side;
        const run = await work(gateways, side, `thin-${side}-${round}`);
        // The first round warms up.
        if (round > 0) figures[side].push(run.figure);
        told.push(`${side}: ${run.told}`);
      }
      say(told.join('; '));
    }
    return figures;
  } finally {
    for (const [, gateways] of opened) gateways.close();
  }
}

async function whileBusy(options: BaselineOptions): Promise<Record<Side, number[]>> {
  let quota: ReturnType<typeof holdToQuota> | undefined;
  try {
    return await inStore(options.postgres, 'rain', async (store) => {
      quota = holdToQuota([store.redisPid], PERIOD_US / SLOWER, PERIOD_US);
      return inRounds(store, options, SLOWER, async (gateways, side, rainId) => {
        const { users, perSecond } = side === 'before' ? FLOODED : BUSY;
        // Shards are not drawn evenly: none of them is empty before its last user.
        await store.house.stockRain(rainId, users * 1.25, SHARDS);
        quota!.set(true);
        const before = cpuMs([store.redisPid]);
        const { calls, waitMs } = await gateways.win(rainId, users, perSecond);
        const figure = ((cpuMs([store.redisPid]) - before) * 1_000) / users;
        quota!.set(false);
        return {
          figure,
          told: `${figure.toFixed(1)} µs, ${(users / calls).toFixed(1)} users a call, answered in ${waitMs.toFixed(0)} ms`,
        };
      });
    });
  } finally {
    quota?.remove();
  }
}

function whileIdle(options: BaselineOptions): Promise<Record<Side, number[]>> {
  return inStore(options.postgres, 'rain', (store) =>
    inRounds(store, options, 1, async (gateways, _side, rainId) => {
      await store.house.stockRain(rainId, IDLE.users * 2, SHARDS);
      const { calls, waitMs } = await gateways.win(rainId, IDLE.users, IDLE.perSecond);
      return { figure: waitMs, told: `answered in ${waitMs.toFixed(2)} ms, ${calls} calls` };
    }),
  );
}
