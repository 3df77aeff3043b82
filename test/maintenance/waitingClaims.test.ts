import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startWaitingClaims, type WaitingClaims } from '../../src/maintenance/waitingClaims.ts';
import { createLog } from '../../src/platform/telemetry/log.ts';
import { shardKeys } from '../../src/store/keys.ts';
import { eventually } from '../support/eventually.ts';
import { claimLog, openTestContext, type TestContext } from '../support/operatorContext.ts';
import { grabAs, openRain, rewriteLedger } from './epochStage.ts';

let context: TestContext;
const counts: WaitingClaims[] = [];
beforeAll(async () => {
  context = await openTestContext();
});
afterEach(async () => {
  await Promise.all(counts.splice(0).map((one) => one.close()));
  await context.redis.flushall();
});
afterAll(() => context.stop());

function start(dead: readonly string[] = []): WaitingClaims {
  const one = startWaitingClaims({
    context,
    log: createLog('waiting', 'silent'),
    everyMs: 20,
    areDead: async (_rainId, _shard, entries) =>
      entries.map(({ entry }) => dead.some((user) => entry.includes(`"${user}"`))),
  });
  counts.push(one);
  return one;
}

/** As if the wins of a rain were longer ago. */
async function age(id: string, ms: number): Promise<void> {
  const { claims } = shardKeys(id, 0);
  for (const [i, entry] of (await context.redis.lrange(claims, 0, -1)).entries()) {
    const claim = JSON.parse(entry) as { at: number | string };
    await context.redis.lset(
      claims,
      i,
      JSON.stringify({ ...claim, at: typeof claim.at === 'string' ? String(Number(claim.at) - ms) : claim.at - ms }),
    );
  }
}

test('the age of the oldest claim that is not in the ledger, over all rains, until it is paid', async () => {
  await openRain(context, 'paid', ['ann', 'bea']);
  await openRain(context, 'slow', ['ann']);
  await grabAs(context, 'slow', ['bea', 'cleo']);
  await age('slow', 400_000);
  const one = start();
  await eventually(() => expect(one.oldestSeconds()).toBeGreaterThan(399));
  expect(one.oldestSeconds()).toBeLessThan(500);
  await context.ledger.credit(await claimLog(context, 'slow'));
  await eventually(() => expect(one.oldestSeconds()).toBe(0));
  // The next one is found behind what is paid already.
  await grabAs(context, 'paid', ['cleo']);
  await age('paid', 100_000);
  await eventually(() => expect(one.oldestSeconds()).toBeGreaterThan(99));
});

test('a dead letter waits for the operator and is not counted, the claim behind it is; what is no packet of the rain is nothing', async () => {
  await openRain(context, 'dead');
  await grabAs(context, 'dead', ['ann']);
  await context.redis.lpush(
    shardKeys('dead', 0).claims,
    'torn',
    JSON.stringify({ rainId: 'dead', redPacketId: 'other\u0000-1', userId: 'x', amount: '1.00', at: '1' }),
  );
  const one = start(['ann']);
  await openRain(context, 'later');
  await grabAs(context, 'later', ['bea']);
  await age('later', 50_000);
  await eventually(() => expect(one.oldestSeconds()).toBeGreaterThan(49));
  expect(one.oldestSeconds()).toBeLessThan(100);
  await context.ledger.credit(await claimLog(context, 'later'));
  await eventually(() => expect(one.oldestSeconds()).toBe(0));
});

test('credits that the ledger has lost again are waited for again', async () => {
  await openRain(context, 'restored', ['ann', 'bea']);
  await age('restored', 70_000);
  const one = start();
  await openRain(context, 'mark');
  await grabAs(context, 'mark', ['ann']);
  await age('mark', 10_000);
  await eventually(() => expect(one.oldestSeconds()).toBeGreaterThan(9));
  expect(one.oldestSeconds()).toBeLessThan(60);
  await rewriteLedger(context, `DELETE FROM "Transfer" WHERE "rainId" = 'restored' AND "userId" = 'ann'`);
  await eventually(() => expect(one.oldestSeconds()).toBeGreaterThan(69));
});
