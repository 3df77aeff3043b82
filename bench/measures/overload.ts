import { setTimeout as sleep } from 'node:timers/promises';
import { pause } from '../../src/store/transitions.ts';
import type { Program } from '../support/process.ts';
import { openStore, type Store } from '../support/store.ts';
import { openThinLine, slice } from '../support/bottlenecks.ts';
import { startUsers } from '../support/users.ts';
import type { Manner, Phase, Streamed } from '../load/stream.ts';
import { curveOf, type Curve } from '../report/curve.ts';
import { single, type Row } from '../report/row.ts';
import type { Measure, BaselineOptions } from './measure.ts';

const RAIN = 'pressed';
/** Bandwidth towards Redis, per connection: enough for some thousands of users, in batches. */
const LINE_BYTES_PER_SECOND = 130_000;
/** Processor time of the gateway: a tenth of a core, so that one driver can offer three times its capacity. */
const SLICES = { runMs: 4, stopMs: 36 };
const TIMES = [0.5, 1, 2, 3] as const;
const AFTERWARDS = 0.3;
/** Users who send every planned grab are measured at all `TIMES`; these at three times the best only. */
const MANNERS = ['insists', 'listens'] as const;
const MANNER_NAMES = {
  floods: 'grabs whatever is answered',
  insists: 'asks again at once after "busy"',
  listens: 'comes back when told',
};
const SEARCH = { from: 600, factor: 1.5, steps: 12, forMs: 2_000, poor: 0.5, p99MsMax: 1_000 };
const REST_MS = 2_000;
/** Limits of the driver: share of one core, and delay of its grabs, ms. */
const DRIVER = { cpu: 0.9, lateMs: 150 };

interface Kind {
  name: string;
  /** Prepares the bottleneck. @returns the gateway's environment, and what follows once it runs */
  narrow(store: Store): Promise<{ env: Record<string, string>; begin(gateway: Program): () => void; end?(): void }>;
}

const KINDS: readonly Kind[] = [
  {
    name: 'Redis behind a thin line',
    async narrow({ redisPort }) {
      const line = await openThinLine(redisPort, LINE_BYTES_PER_SECOND);
      return { env: { REDIS_URL: `redis://127.0.0.1:${line.port}` }, begin: () => () => {}, end: () => line.close() };
    },
  },
  {
    name: 'a gateway on a tenth of a core',
    narrow: () => Promise.resolve({ env: {}, begin: ({ pid }) => slice(pid, SLICES) }),
  },
];

/** Goodput and latency at three times the capacity, with Redis or the gateway itself as the bottleneck. */
export const overload: Measure = {
  name: 'overload',
  onlyWhenAsked: 'quick',
  async rows(baselineOptions) {
    const [rows, curves]: [Row[], Curve[]] = [[], []];
    for (const kind of KINDS) {
      const { best, points, storm, after, others } = await press(kind, baselineOptions);
      rows.push(
        ...rowsOf(kind.name, best, storm, after),
        ...others.flatMap(({ manner, streamed }) =>
          mannerRows(`${kind.name}, who ${MANNER_NAMES[manner]}`, best, streamed),
        ),
      );
      curves.push({
        name: kind.name,
        points: points.map((point) => ({
          times: point.perSecond / best,
          offered: point.perSecond,
          goodput: perSecond(point.decided, point),
          refused: perSecond(point.busy, point),
          p99Ms: point.decidedMs.p99,
        })),
      });
    }
    baselineOptions.write('overload.svg', curveOf(curves));
    return rows;
  },
};

async function press({ name, narrow }: Kind, { size, postgres, say }: BaselineOptions) {
  const store = await openStore(postgres, 'rain');
  let [widen, end]: [() => void, (() => void) | undefined] = [() => {}, undefined];
  try {
    await store.house.stock([RAIN], 10);
    // A paused rain: Redis answers every grab, and no answer uses up a packet.
    await pause(store.house.context.redis, RAIN, 1);
    const { env, begin, end: close } = await narrow(store);
    end = close;
    const gateway = await store.start('../dist/bin/rain.js', ['gateway'], env);
    const users = await startUsers(store, gateway, 'rain');
    await users.connect('user', size.pressing);
    widen = begin(gateway);
    const streamOf =
      (manner: Manner) =>
      async (...phases: Phase[]) => {
        const streamed = await users.ask({ do: 'stream', rainId: RAIN, phases, manner });
        await sleep(REST_MS);
        return streamed.streamed!;
      };
    const stream = streamOf('floods');
    const best = await search(name, stream, say);
    const points: Streamed[] = [];
    for (const times of TIMES) {
      const storm = times === TIMES.at(-1);
      const streamed = await stream(
        { perSecond: best * times, forMs: size.pressMs },
        ...(storm ? [{ perSecond: best * AFTERWARDS, forMs: size.pressMs }] : []),
      );
      points.push(streamed[0]!);
      say(`${name}: ${times} ×: ${describe(streamed[0]!)}`);
      if (!storm) continue;
      const others: { manner: Manner; streamed: Streamed }[] = [];
      for (const manner of MANNERS) {
        const [other] = await streamOf(manner)({ perSecond: best * times, forMs: size.pressMs });
        others.push({ manner, streamed: other! });
        say(`${name}, who ${MANNER_NAMES[manner]}: ${describe(other!)}`);
      }
      return { best, points, storm: streamed[0]!, after: streamed[1]!, others };
    }
    throw new Error('no storm');
  } finally {
    widen();
    await store.close();
    end?.();
  }
}

/**
 * Increases the load until the goodput falls or answers are too late.
 * @returns the best goodput, decided grabs per second
 */
async function search(
  name: string,
  stream: (...phases: Phase[]) => Promise<readonly Streamed[]>,
  say: BaselineOptions['say'],
): Promise<number> {
  let best = 0;
  for (let step = 0, offered = SEARCH.from; step < SEARCH.steps; step++, offered *= SEARCH.factor) {
    const [found] = await stream({ perSecond: offered, forMs: SEARCH.forMs });
    const goodput = perSecond(found!.decided, found!);
    say(`${name}: ${describe(found!)}`);
    if (saturated(found!) !== undefined || found!.decidedMs.p99 > SEARCH.p99MsMax) break;
    best = Math.max(best, goodput);
    if (goodput < offered * SEARCH.poor) break;
  }
  if (best === 0) throw new Error(`${name}: not even ${SEARCH.from} grabs a second could be offered in time`);
  return best;
}

function rowsOf(name: string, best: number, storm: Streamed, after: Streamed): Row[] {
  const spoilt = saturated(storm);
  const one = (measure: string, unit: string, value: number, target?: Row['target']): Row => ({
    ...single(`${name}: ${measure}`, unit, value, target),
    spoilt,
    unsteady: true,
  });
  return [
    one('the best that it decides', '/s', best),
    one('goodput at three times as much, of the best', 'of 1', perSecond(storm.decided, storm) / best, { least: 0.8 }),
    one('p99 of those who are decided then', 'ms', storm.decidedMs.p99, { most: 1_000 }),
    one('"busy" is told after, p50', 'ms', storm.busyMs.p50),
    one('"busy" is told after, p99', 'ms', storm.busyMs.p99),
    one('questions without any answer', 'questions', storm.unanswered + after.unanswered, { most: 0 }),
    one('normal again after the load has gone', 'ms', after.normalAfterMs, { most: 2_000 }),
  ];
}

function mannerRows(name: string, best: number, streamed: Streamed): Row[] {
  const spoilt = saturated(streamed);
  const rows = [
    single(
      `${name}: goodput at three times as much, of the best`,
      'of 1',
      perSecond(streamed.decided, streamed) / best,
      { least: 0.8 },
    ),
    single(`${name}: p99 of those who are decided then`, 'ms', streamed.decidedMs.p99, { most: 1_000 }),
    single(`${name}: p99 from the first tap to the decision`, 'ms', streamed.sinceTapMs.p99),
  ];
  return rows.map((row) => ({ ...row, spoilt, unsteady: true }));
}

function saturated({ driverCpu, lateMs }: Streamed): string | undefined {
  if (driverCpu < DRIVER.cpu && lateMs < DRIVER.lateMs) return undefined;
  return `the load driver was saturated: ${Math.round(driverCpu * 100)} % of a core, its questions ${Math.round(lateMs)} ms late`;
}

const perSecond = (count: number, { forMs }: Streamed): number => (count * 1_000) / forMs;

function describe(streamed: Streamed): string {
  const { perSecond: offered, decided, busy, decidedMs, busyMs, lateMs, driverCpu } = streamed;
  return `${Math.round(offered)}/s offered, ${Math.round(perSecond(decided, streamed))}/s decided (p99 ${Math.round(decidedMs.p99)} ms), ${Math.round(perSecond(busy, streamed))}/s told "busy" (p50 ${Math.round(busyMs.p50)}, p99 ${Math.round(busyMs.p99)} ms); driver ${Math.round(driverCpu * 100)} %, ${Math.round(lateMs)} ms late`;
}
