import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createGrabEngine } from '../../src/grab/engine.ts';
import { LIVE_RAINS_KEY, shardKeys } from '../../src/store/keys.ts';
import { redisNow } from '../../src/store/rains.ts';
import { createRain } from '../../src/operator/create.ts';
import type { OperatorContext } from '../../src/operator/context.ts';
import { loadRain } from '../../src/operator/load.ts';
import { closeRain } from '../../src/operator/transitions.ts';
import { startAuditor, type AuditorOptions } from '../../src/maintenance/auditor.ts';
import { claimLog, openTestContext, type TestContext } from '../support/operatorContext.ts';
import { eventually } from '../support/eventually.ts';
import { listeningLog } from '../support/log.ts';
import { scrape } from '../support/scrape.ts';
import { openWorker } from '../support/servers/worker.ts';

let context: TestContext;
beforeAll(async () => {
  context = await openTestContext();
});
afterAll(() => context.stop());

/** Ten packets of 1.00, open; three are won, two of them credited. */
async function openRain(id: string): Promise<void> {
  const now = await redisNow(context.redis);
  await createRain(context, {
    id,
    plan: { budget: '10.00', packets: 10, split: { method: 'even' } },
    opensAt: now - 1_000,
    closesAt: now + 600_000,
  });
  await loadRain(context, id);
  await createGrabEngine(context.redis, (fault) => {
    throw fault;
  }).grab(id, 0, ['ann', 'bob', 'eve']);
  await context.ledger.credit((await claimLog(context, id)).slice(0, 2));
  onTestFinished(async () => {
    await context.redis.flushall();
    await context.ledger.settle(id);
  });
}

function watchOver(options: Partial<AuditorOptions> = {}) {
  const { log, heard } = listeningLog();
  const auditor = startAuditor({ context, log, pauseMsMin: 10, pauseFactor: 1, ...options });
  onTestFinished(() => auditor.close());
  return { auditor, heard };
}

test('[R8] a rain that is no longer balanced is logged once, and once more when it is balanced again', async () => {
  await openRain('w1');
  const { auditor, heard } = watchOver();
  await eventually(() =>
    expect(auditor.seen().get('w1')?.audit.report).toMatchObject({
      credited: '2.00',
      pending: '1.00',
      unclaimed: '7.00',
      balanced: true,
    }),
  );
  const taken = (await context.redis.rpop(shardKeys('w1', 0).packets)) as string;
  await eventually(() => expect(auditor.seen().get('w1')!.audit.report.balanced).toBe(false));
  const first = auditor.seen().get('w1')!.at;
  await eventually(() => expect(auditor.seen().get('w1')!.at).toBeGreaterThan(first));
  await context.redis.rpush(shardKeys('w1', 0).packets, taken);
  await eventually(() => expect(auditor.seen().get('w1')!.audit.report.balanced).toBe(true));
  expect(heard).toEqual([
    {
      level: 'error',
      rainId: 'w1',
      problems: 1,
      first: [expect.stringContaining('neither won nor left')],
      msg: expect.stringContaining('IS NOT BALANCED') as string,
    },
    {
      level: 'error',
      rainId: 'w1',
      kinds: { packet_missing: 1 },
      first: [expect.stringContaining('neither won nor left')],
      msg: expect.stringContaining('TAMPERED WITH') as string,
    },
    { level: 'error', rainId: 'w1', msg: expect.stringContaining('paused') as string },
    { level: 'warn', rainId: 'w1', msg: 'the money of the rain is balanced again' },
  ]);
});

test('a flood of rains that only Redis knows keeps no real rain from being audited', async () => {
  await openRain('flooded');
  await context.redis.hset(
    LIVE_RAINS_KEY,
    Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`made-up-${i}`, '{"shards":1,"title":"x"}'])),
  );
  const { auditor } = watchOver();
  await eventually(() => expect(auditor.seen().get('flooded')?.audit.report.balanced).toBe(true));
});

test('of several processes one audits a rain, and another takes over when it ends', async () => {
  await openRain('w2');
  const [one, two] = [watchOver(), watchOver()];
  await eventually(() => expect(one.auditor.seen().size + two.auditor.seen().size).toBe(1));
  const [busy, idle] = one.auditor.seen().size === 1 ? [one, two] : [two, one];
  const before = busy.auditor.seen().get('w2')!.at;
  await eventually(() => expect(busy.auditor.seen().get('w2')!.at).toBeGreaterThan(before));
  expect(idle.auditor.seen().size).toBe(0);
  expect(await context.redis.pttl(shardKeys('w2', 0).auditor)).toBeGreaterThan(0);
  await busy.auditor.close();
  await eventually(() => expect(idle.auditor.seen().has('w2')).toBe(true));
});

test('the auditor pauses a multiple of the time an audit took', async () => {
  await openRain('w3');
  const looks: [number, number][] = [];
  // An audit reads what the rain consists of when it begins and when it weighs; that takes its time here.
  const slow: OperatorContext = {
    ...context,
    ledger: {
      ...context.ledger,
      rain: async (rainId) => {
        const start = performance.now();
        await new Promise((resolve) => {
          setTimeout(resolve, 30);
        });
        looks.push([start, performance.now()]);
        return context.ledger.rain(rainId);
      },
    },
  };
  watchOver({ context: slow, pauseMsMin: 0, pauseFactor: 5 });
  // Five times what a busy machine makes of an audit may be a while.
  await eventually(() => expect(looks.length).toBeGreaterThanOrEqual(6), { timeoutMs: 50_000 });
  const audits = [0, 2, 4].map((first): [number, number] => [looks[first]![0], looks[first + 1]![1]]);
  for (let i = 1; i < 3; i++)
    expect(audits[i]![0] - audits[i - 1]![1]).toBeGreaterThan(5 * (audits[i - 1]![1] - audits[i - 1]![0]) * 0.98);
});

test('a rain without changes is not audited for a while', async () => {
  await openRain('w4');
  await context.ledger.credit(await claimLog(context, 'w4'));
  const { auditor } = watchOver({ quietMs: 400 });
  await eventually(() => expect(auditor.seen().get('w4')?.audit.equation.pending.count).toBe(0));
  const { at } = auditor.seen().get('w4')!;
  const next = await eventually(() => auditor.seen().get('w4')!.at > at && auditor.seen().get('w4')!.at);
  expect(next - at).toBeGreaterThanOrEqual(400);
});

test('a failing Redis or ledger is logged once, and the audits continue', async () => {
  await openRain('w5');
  let broken = true;
  const failing: OperatorContext = {
    ...context,
    ledger: {
      ...context.ledger,
      rain: (rainId) => (broken ? Promise.reject(new Error('away')) : context.ledger.rain(rainId)),
    },
  };
  const { auditor, heard } = watchOver({ context: failing });
  await eventually(() => expect(heard).toHaveLength(1));
  await new Promise((resolve) => {
    setTimeout(resolve, 100);
  });
  broken = false;
  await eventually(() => expect(auditor.seen().has('w5')).toBe(true));
  // A finding is kept before it is said that it goes again.
  await eventually(() => heard.length > 1);
  expect(heard.map(({ level, rainId }) => [level, rainId])).toEqual([
    ['warn', 'w5'],
    ['info', 'w5'],
  ]);
});

test('a worker reports the money of a live rain to the cent, and stops once it is settled', async () => {
  const worker = await openWorker(context, {
    metrics: { host: '127.0.0.1', port: 0 },
    watching: { pauseMsMin: 200, pauseFactor: 1 },
  });
  onTestFinished(() => worker.close());
  const told = () => scrape(worker.metricsUrl!);
  await openRain('w6');
  await eventually(
    async () => {
      const figures = await told();
      const terms = Object.fromEntries(
        ['budget', 'credited', 'pending', 'unclaimed', 'recycled', 'spoiled'].map((term) => [
          term,
          figures.get(`rain_money_cents{rain="w6",term="${term}"}`),
        ]),
      );
      expect(terms).toEqual({ budget: 1000, credited: 300, pending: 0, unclaimed: 700, recycled: 0, spoiled: 0 });
      expect(figures.get('rain_packets{rain="w6",term="credited"}')).toBe(3);
      expect(figures.get('rain_balanced{rain="w6"}')).toBe(1);
      expect(figures.get('rain_relay_lag_claims{rain="w6"}')).toBe(0);
    },
    { timeoutMs: 20_000, everyMs: 200 },
  );
  const figures = await told();
  expect(figures.get('rain_audit_last_success_timestamp_seconds{rain="w6"}')! * 1_000).toBeGreaterThan(
    Date.now() - 60_000,
  );
  expect(figures.get('rain_audit_seconds{rain="w6"}')).toBeGreaterThan(0);
  expect(figures.get('rain_credited_claims_total')).toBe(3);
  for (const state of ['waiting', 'active', 'delayed', 'failed'])
    expect(figures.get(`rain_queue_jobs{state="${state}"}`)).toBe(0);
  expect([
    figures.get('rain_dead_letters'),
    figures.get('rain_live_rains'),
    figures.get('rain_worker_connection_faults_total'),
  ]).toEqual([0, 1, 0]);
  expect(figures.get('rain_redis_problems{problem="lost"}')).toBe(0);
  await closeRain(context, 'w6');
  await eventually(async () => expect([...(await told()).keys()].filter((name) => name.includes('w6'))).toEqual([]), {
    timeoutMs: 20_000,
    everyMs: 200,
  });
});
