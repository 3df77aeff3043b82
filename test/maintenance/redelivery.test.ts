import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createGrabEngine } from '../../src/grab/engine.ts';
import { shardKeys } from '../../src/store/keys.ts';
import { redisNow } from '../../src/store/rains.ts';
import { createRain } from '../../src/operator/create.ts';
import { loadRain } from '../../src/operator/load.ts';
import { closeRain } from '../../src/operator/transitions.ts';
import { createLog } from '../../src/platform/telemetry/log.ts';
import type { Loop } from '../../src/platform/concurrency/loop.ts';
import { startRedelivery, type RedeliveryOptions } from '../../src/maintenance/redelivery.ts';
import { claimLog, openTestContext, type TestContext } from '../support/operatorContext.ts';
import { eventually } from '../support/eventually.ts';

let context: TestContext;
const sweepers: Loop[] = [];
beforeAll(async () => {
  context = await openTestContext();
});
afterEach(async () => {
  await Promise.all(sweepers.splice(0).map((redelivery) => redelivery.close()));
});
afterAll(() => context.stop());

/** A redelivery whose queue loses everything; it tells what it was given. */
function startSweeping(options: Partial<RedeliveryOptions> = {}): [string, number, number, number][] {
  const sent: [string, number, number, number][] = [];
  sweepers.push(
    startRedelivery({
      context,
      log: createLog('redelivery', 'silent'),
      everyMs: 10,
      sweepAfterMs: 50,
      jobsPending: async () => 0,
      pendingRanges: async () => [],
      areDead: async (_rainId, _shard, entries) => entries.map(() => false),
      async resend(...range) {
        sent.push(range);
        return range[3] - range[2];
      },
      ...options,
    }),
  );
  return sent;
}

/** Open, won from `winners` times, and handed over to the queue as the cursor has it. */
async function wonRain(id: string, winners: number): Promise<void> {
  const now = await redisNow(context.redis);
  await createRain(context, {
    id,
    plan: { budget: '20.00', packets: 2_000, split: { method: 'even' } },
    opensAt: now - 1_000,
    closesAt: now + 600_000,
  });
  await loadRain(context, id);
  const engine = createGrabEngine(context.redis, (fault) => {
    throw fault;
  });
  for (let i = 0; i < winners; i += 500)
    await engine.grab(
      id,
      0,
      Array.from({ length: Math.min(500, winners - i) }, (_, n) => `user-${i + n}`),
    );
  await context.redis.set(shardKeys(id, 0).relayed, String(winners));
}

describe('redelivery', () => {
  test('sends claims again that the queue has lost, also while the rain is open, and only ranges with missing claims', async () => {
    await wonRain('open', 1_200);
    await context.ledger.credit((await claimLog(context, 'open')).filter((_, i) => i < 500 || i >= 1_000));
    const sent = startSweeping();
    await eventually(() => expect(sent.length).toBeGreaterThan(0));
    expect(sent[0]).toEqual(['open', 0, 500, 1_000]);
    await context.ledger.credit((await claimLog(context, 'open')).slice(500, 1_000));
    await closeRain(context, 'open');
  });

  test('[R10] asks the ledger only about the claims that it reads, not for all credits of a rain', async () => {
    await wonRain('paged', 1_200);
    const claims = await claimLog(context, 'paged');
    await context.ledger.credit(claims.slice(0, 1_100));
    const asked: number[] = [];
    const sent = startSweeping({
      context: {
        ...context,
        ledger: {
          ...context.ledger,
          async credits() {
            throw new Error('a worker has no memory for all credits of a rain');
          },
          async creditsTo(rainId, of) {
            asked.push(of.redPacketIds?.length ?? 0);
            return context.ledger.creditsTo(rainId, of);
          },
        },
      },
    });
    await eventually(() => expect(sent[0]).toEqual(['paged', 0, 1_100, 1_200]));
    expect(asked.slice(0, 3)).toEqual([500, 500, 200]);
    await context.ledger.credit(claims);
  });

  test('skips claims that are not carried yet, credited, or dead-lettered', async () => {
    await wonRain('relayed', 3);
    await context.redis.set(shardKeys('relayed', 0).relayed, '0');
    await wonRain('credited', 3);
    await context.ledger.credit(await claimLog(context, 'credited'));
    await wonRain('dead', 3);
    const asked: number[] = [];
    const sent = startSweeping({
      areDead: async (_rainId, _shard, entries) =>
        entries.map(({ index }) => (asked.length < 6 ? asked.push(index) > 0 : true)),
    });
    // Asked twice, it has come by the other rains in between.
    await eventually(() => expect(asked).toEqual([0, 1, 2, 0, 1, 2]));
    expect(sent).toEqual([]);
    await context.ledger.credit(await claimLog(context, 'dead'));
    await context.ledger.credit(await claimLog(context, 'relayed'));
  });

  test('[R10] adds nothing to a busy queue, and backs off when claims do not arrive', async () => {
    await wonRain('busy', 3);
    let [jobs, asked] = [100, 0];
    const moments: number[] = [];
    startSweeping({
      jobsPending: async () => (asked++, jobs),
      resend: async () => (moments.push(performance.now()), 3),
    });
    await eventually(() => expect(asked).toBeGreaterThan(5));
    expect(moments).toEqual([]);
    jobs = 99;
    await eventually(() => expect(moments.length).toBe(4));
    // The pauses double: at least 100, 200 and 400 ms.
    for (const [i, leastMs] of [100, 200, 400].entries())
      expect(moments[i + 1]! - moments[i]!).toBeGreaterThanOrEqual(leastMs - 5);
    await context.ledger.credit(await claimLog(context, 'busy'));
  });

  test('skips claims in running or waiting jobs, and sends those around them', async () => {
    await wonRain('pending', 20);
    const claims = await claimLog(context, 'pending');
    await context.ledger.credit(claims.slice(0, 2));
    const rainId = 'pending';
    // 0 and 1 are credited, 5 and 12 to 19 are with a job, 9 is dead; of another rain and another shard nothing counts.
    let waiting = [
      { rainId, shard: 0, from: 5, to: 6 },
      { rainId, shard: 0, from: 12, to: 20 },
      { rainId: 'other', shard: 0, from: 0, to: 20 },
      { rainId, shard: 1, from: 0, to: 20 },
    ];
    const sent = startSweeping({
      pendingRanges: async () => waiting,
      areDead: async (_rainId, _shard, entries) => entries.map(({ index }) => index === 9),
    });
    await eventually(() => expect(sent.length).toBeGreaterThanOrEqual(3));
    expect(sent.slice(0, 3)).toEqual([
      ['pending', 0, 2, 5],
      ['pending', 0, 6, 9],
      ['pending', 0, 10, 12],
    ]);
    await context.ledger.credit(claims.slice(10));
    waiting = [];
    // Claims that their job has left undone are missing, too.
    await eventually(() => expect(sent.at(-1)).toEqual(['pending', 0, 2, 9]));
    await context.ledger.credit(claims);
  });

  test('waits as long as something arrives', async () => {
    await wonRain('slow', 30);
    const claims = await claimLog(context, 'slow');
    const sent = startSweeping({ sweepAfterMs: 1_000 });
    for (const claim of claims) {
      await context.ledger.credit([claim]);
      await new Promise((resolve) => {
        setTimeout(resolve, 50);
      });
    }
    expect(sent).toEqual([]);
  });
});
