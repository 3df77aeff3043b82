import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterAll, expect, test } from 'vitest';
import { reschedule } from '../../src/store/transitions.ts';
import { redisNow } from '../../src/store/rains.ts';
import type { Progress } from '../../src/loadtest/figures/counters.ts';
import { checkMoney } from '../../src/loadtest/report/verdict.ts';
import { runProcesses } from '../../src/loadtest/processes/processPool.ts';
import { renderReport } from '../../src/loadtest/report/reportTable.ts';
import { runWave, type WaveOptions } from '../../src/loadtest/wave.ts';
import { SECRET, tokenFor } from '../support/client.ts';
import { claimLog } from '../support/operatorContext.ts';
import { eventually } from '../support/eventually.ts';
import { openGateway } from '../support/servers/gateway.ts';
import { openRedis, stockRain } from '../support/rain.ts';

const SEED = '7a0b'.repeat(16);
const { server, redis } = await openRedis();
const gateway = await openGateway(server.url);
afterAll(() => gateway.close());

const amounts = (count: number) => Array.from({ length: count }, () => '0.25');
const wave = (options: Partial<WaveOptions> & { rainId: string }) =>
  runWave({
    url: gateway.url,
    users: 60,
    tokenFor,
    seed: SEED,
    connectsPerSecond: 500,
    ...options,
  });
/** Has the rain open a second after the last user has his socket, however long that takes. */
function opensWithAll(rainId: string): (progress: Readonly<Progress>) => void {
  let moved = false;
  return ({ connected, users }) => {
    if (moved || connected < users) return;
    moved = true;
    void redisNow(redis).then((now) => reschedule(redis, rainId, 1, { opensAt: now + 1_000, closesAt: now + 600_000 }));
  };
}
const ends = (report: Awaited<ReturnType<typeof wave>>) =>
  Object.fromEntries(report.outcomes.map(({ name, count }) => [name, count]));

test('an open loop: taps come at moments decided beforehand, and latency counts from them', async () => {
  await stockRain(redis, { rainId: 'loop', amounts: amounts(20), opensInMs: 60_000 });
  const report = await wave({
    rainId: 'loop',
    users: 100,
    arrivals: { shape: 'steady', perSecond: 100 },
    onProgress: opensWithAll('loop'),
  });
  expect(ends(report)).toEqual({ won: 20, nothing_left: 80 });
  expect(report.latencyMs.late.count).toBe(100);
  expect(report.latencyMs.tap.max).toBeGreaterThanOrEqual(report.latencyMs.late.max);
  expect(report.start.heard).toBe(100);
  // A second's worth of taps, not all at once: the timeline saw answers in several quarters of a second.
  const answered = Object.entries(report.timeline.counts)
    .filter(([what]) => what.startsWith('answer'))
    .map(([, counts]) => counts);
  expect(
    new Set(answered.flatMap((counts) => counts.flatMap((count, bin) => (count > 0 ? [bin] : [])))).size,
  ).toBeGreaterThanOrEqual(3);
  expect(renderReport(report)).toContain('coordinated omission');
});

test('in an open rain, users tap when all should have joined, and the wait of a late user counts from the planned time', async () => {
  await stockRain(redis, { rainId: 'already', amounts: amounts(5) });
  // 20 users at 40 a second and a second to settle: from 1.5 s on.
  const report = await wave({
    rainId: 'already',
    users: 20,
    connectsPerSecond: 40,
    arrivals: { shape: 'spike', perSecond: 1_000 },
  });
  expect(report.durationMs).toBeGreaterThanOrEqual(1_450);
  expect(report.latencyMs.late.p50).toBeLessThan(500);
});

// Their troubles are counted in seconds: side by side, each in a rain of its own.
test.concurrent('[R6] users whose lines break again and again all learn their result', async () => {
  await stockRain(redis, { rainId: 'flaky', amounts: amounts(30), opensInMs: 1_000 });
  const report = await wave({
    rainId: 'flaky',
    users: 100,
    shares: { flaky: 1, slow: 0, cheaters: 0 },
    reactionMs: { min: 0, max: 1_500 },
  });
  const { won = 0, already_claimed: again = 0, ...others } = ends(report);
  expect(won + again).toBe(30);
  expect(others).toEqual({ nothing_left: 70 });
  expect(report.trouble!.cuts).toBeGreaterThan(20);
  expect(report.lostLines).toBeGreaterThanOrEqual(20);
  expect(checkMoney(report)).toMatchObject({ balanced: true });
});

test.concurrent('users who stop reading get their result later, and their latency is not counted', async () => {
  await stockRain(redis, { rainId: 'slow', amounts: amounts(5) });
  const lag = monitorEventLoopDelay({ resolution: 20 });
  lag.enable();
  const report = await wave({
    rainId: 'slow',
    users: 10,
    shares: { flaky: 0, slow: 0.5, cheaters: 0 },
    reactionMs: { min: 0, max: 100 },
  });
  const { won = 0, already_claimed: again = 0, ...others } = ends(report);
  expect([won + again, others]).toEqual([5, { nothing_left: 5 }]);
  expect(report.trouble!.stops).toBe(5);
  expect(report.latencyMs.ask.count).toBe(5);
  lag.disable();
  // A user stops for two seconds at least. The time in which this process was busy itself is not latency.
  expect(report.latencyMs.tap.max).toBeLessThan(2_000 + lag.max / 1e6);
});

test.concurrent('[R1] cheaters tap far too fast, send garbage and forge fields; none of them wins more than once, and the others are served', async ({
  onTestFinished,
}) => {
  await stockRain(redis, { rainId: 'cheated', amounts: amounts(12), opensInMs: 1_000 });
  // A short ban: the test waits for the last answer of a user who was banned.
  const strict = await openGateway(server.url, { limits: { bannedMs: 1_000 } });
  onTestFinished(() => strict.close());
  const report = await wave({
    url: strict.url,
    rainId: 'cheated',
    users: 20,
    shares: { flaky: 0, slow: 0, cheaters: 0.2 },
    reactionMs: { min: 0, max: 500 },
  });
  expect(report.users).toBe(16);
  expect(report.outcomes.reduce((sum, { count }) => sum + count, 0)).toBe(16);
  const { cheaters } = report;
  expect(cheaters).toMatchObject({ users: 4, wonTwice: 0, unheard: 0 });
  expect(cheaters!.frames).toBeGreaterThan(1_000);
  const heard = Object.fromEntries(cheaters!.heard.map(({ name, count }) => [name, count]));
  expect(heard['answer too_fast']).toBeGreaterThan(100);
  expect(heard['error bad_field']).toBeGreaterThan(0);
  expect(report.winners).toBe((await claimLog({ redis }, 'cheated')).length);
  expect(checkMoney(report)).toMatchObject({ balanced: true });
  expect(checkMoney({ ...report, cheaters: { ...cheaters!, wonTwice: 1 } })).toMatchObject({
    balanced: false,
    sentence: expect.stringContaining('1 cheaters won more than once'),
  });
  await eventually(() => strict.sockets() === 0);
});

test('[R1][R2] several processes play one wave: each user once, and what they saw is added up', async () => {
  await stockRain(redis, { rainId: 'parts', amounts: amounts(40), opensInMs: 60_000 });
  const open = opensWithAll('parts');
  let last: Partial<Progress> = {};
  const report = await runProcesses({
    wave: {
      url: gateway.url,
      rainId: 'parts',
      users: 150,
      seed: SEED,
      connectsPerSecond: 500,
      arrivals: { shape: 'ramp', perSecond: 200 },
    },
    token: { secret: SECRET, expiresInSeconds: 600 },
    prefix: 'many-',
    processes: 3,
    onProgress: (progress) => {
      last = { ...progress };
      open(progress);
    },
  });
  expect(ends(report)).toEqual({ won: 40, nothing_left: 110 });
  expect(report).toMatchObject({
    users: 150,
    processes: 3,
    winners: 40,
    told: '10.00',
    dials: 150,
    latencyMs: { ask: { count: 150 }, tap: { count: 150 } },
  });
  expect(last).toMatchObject({ users: 150, answered: 150, won: 40, ended: 150 });
  const users = (await claimLog({ redis }, 'parts')).map(({ userId }) => userId);
  expect(new Set(users).size).toBe(40);
  expect(checkMoney(report)).toMatchObject({ balanced: true });
});

test('[R12] a wave of several processes that cannot be played is refused in words', async () => {
  const options = { token: { secret: SECRET, expiresInSeconds: 600 }, prefix: 'x-', processes: 2 };
  await expect(
    runProcesses({ ...options, wave: { url: 'http://127.0.0.1:1', rainId: 'r', users: 10 } }),
  ).rejects.toThrow('ws://');
  await expect(runProcesses({ ...options, wave: { url: gateway.url, rainId: 'r', users: 40_000 } })).rejects.toThrow(
    'expected at least 3 processes',
  );
});
