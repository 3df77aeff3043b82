import { setTimeout as sleep } from 'node:timers/promises';
import { auditRain } from '../../src/operator/audit.ts';
import { createRain } from '../../src/operator/create.ts';
import { loadRain } from '../../src/operator/load.ts';
import { redisNow } from '../../src/store/rains.ts';
import { runProcesses } from '../../src/loadtest/processes/processPool.ts';
import { checkMoney } from '../../src/loadtest/report/verdict.ts';
import { childrenOf, residentBytes } from '../support/cpu.ts';
import { inStore, SECRET, type Store } from '../support/store.ts';
import { single } from '../report/row.ts';
import type { Measure } from './measure.ts';

const RAIN = 'crowd';
/** Sockets per process, below its limit; and the minimum number of processes of each kind. */
const SOCKETS_PER_PROCESS = 15_000;
const PROCESSES_MIN = 2;
/** New sockets a second that server and swarm can handle together on two cores. */
const CONNECTS_PER_SECOND = 500;
/**
 * Time until the rain opens, as a factor of the connect time plus a constant: a user that connects later misses the
 * start.
 */
const SLACK = { factor: 1.5, ms: 12_000 };
/**
 * The taps increase slowly enough for two cores that also run the users: all users must be served, speed is not
 * measured.
 */
const GRABS_SECONDS = 90;
const REST_MS = 2_000;

/**
 * Many live, authenticated sockets over several gateway and swarm processes: all receive the start, all grab, all are
 * answered.
 */
export const crowd: Measure = {
  name: 'crowd',
  onlyWhenAsked: 'always',
  rows: ({ size: { crowd: users }, postgres, say }) =>
    inStore(postgres, 'rain', async (store) => {
      const processes = Math.max(PROCESSES_MIN, Math.ceil(users / SOCKETS_PER_PROCESS));
      const gateways = await store.start('../dist/bin/rain.js', ['gateway', '--processes', String(processes)]);
      await store.start('../dist/bin/rain.js', ['worker']);
      await sleep(REST_MS);
      const gatewayPids = childrenOf(gateways.pid);
      const before = residentBytes(gatewayPids);
      const connectsMs = (users * 1_000) / CONNECTS_PER_SECOND;
      await plan(store, Math.ceil(users / 10), connectsMs * SLACK.factor + SLACK.ms);
      say(
        `${users} users by ${processes} swarm processes to ${gatewayPids.length} gateway processes; the rain opens in ${Math.round((connectsMs * SLACK.factor + SLACK.ms) / 1_000)} s`,
      );
      let all: number | undefined;
      const report = await runProcesses({
        wave: {
          url: (gateways.said as { url: string }).url,
          rainId: RAIN,
          users,
          connectsPerSecond: CONNECTS_PER_SECOND,
          arrivals: { shape: 'ramp', perSecond: users / GRABS_SECONDS },
        },
        token: { secret: SECRET, expiresInSeconds: 3_600 },
        prefix: 'user-',
        processes,
        onProgress: ({ connected }) => {
          if (connected === users) all ??= residentBytes(gatewayPids);
        },
      });
      const audit = await auditRain(store.house.context, RAIN);
      const verdict = checkMoney(report, audit?.report);
      say(verdict.sentence);
      const answered = report.outcomes
        .filter(({ name }) => ['won', 'already_claimed', 'nothing_left'].includes(name))
        .reduce((sum, { count }) => sum + count, 0);
      const { tap, late } = report.latencyMs;
      return [
        single(
          `live authenticated sockets over ${processes} gateway processes that were told of the start`,
          'sockets',
          report.start.heard,
          { least: users },
        ),
        single('start heard, from the first socket to the last', 'ms', report.start.spreadMs, { most: 2_000 }),
        single('grabs that were decided', 'grabs', answered, { least: users }),
        single('decided moment to answer, p50', 'ms', tap.p50),
        single('decided moment to answer, p99', 'ms', tap.p99),
        single('decided moment to answer, longest', 'ms', tap.max),
        single('of which the swarm was late itself, p99', 'ms', late.p99),
        single(
          'memory of the gateway processes per socket',
          'KiB',
          all === undefined ? NaN : (all - before) / users / 1_024,
        ),
        single('the audit adds up, and agrees with what users were told', '= yes', verdict.balanced ? 1 : 0, {
          least: 1,
        }),
      ].map((row) =>
        Number.isNaN(row.figure.median) ? { ...row, spoilt: 'the users were never all connected at once' } : row,
      );
    }),
};

async function plan({ house: { context } }: Store, packets: number, opensInMs: number): Promise<void> {
  const opensAt = (await redisNow(context.redis)) + opensInMs;
  const created = await createRain(context, {
    id: RAIN,
    plan: { budget: `${packets}.00`, packets },
    opensAt,
    closesAt: opensAt + 600_000,
  });
  const loaded = created.ok ? await loadRain(context, RAIN) : created;
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.refusals));
}
