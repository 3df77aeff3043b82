import { afterAll, beforeAll, expect, test } from 'vitest';
import { createGrabEngine } from '../../src/grab/engine.ts';
import { redisNow } from '../../src/store/rains.ts';
import { auditRain } from '../../src/operator/audit.ts';
import { createRain } from '../../src/operator/create.ts';
import { loadRain } from '../../src/operator/load.ts';
import { writeOffRain } from '../../src/operator/writeOff.ts';
import { claimLog, openTestContext, type TestContext } from '../support/operatorContext.ts';

let context: TestContext;
beforeAll(async () => {
  context = await openTestContext();
});
afterAll(() => context.stop());

/** Ten packets of 1.00, of which three are won and two are credited. */
async function openRain(id: string, opensInMs: number): Promise<void> {
  const now = await redisNow(context.redis);
  await createRain(context, {
    id,
    plan: { budget: '10.00', packets: 10, split: { method: 'even' } },
    opensAt: now + opensInMs,
    closesAt: now + 600_000,
  });
  await loadRain(context, id);
}

const refusal = (reason: string) => ({
  ok: false,
  refusals: [{ field: 'id', reason: expect.stringContaining(reason) as string }],
});

test('[R8] the money of a lost rain goes back once, except credits, and only if the rain is lost', async () => {
  await openRain('gone', -1_000);
  await createGrabEngine(context.redis, (fault) => {
    throw fault;
  }).grab('gone', 0, ['ann', 'bob', 'eve']);
  await context.ledger.credit((await claimLog(context, 'gone')).slice(0, 2));
  expect(await writeOffRain(context, 'gone', 'flushed')).toEqual(refusal('Redis still holds'));
  await context.redis.flushall();
  expect((await auditRain(context, 'gone'))!.report.balanced).toBe(false);

  expect(await writeOffRain(context, 'gone', ' ')).toMatchObject({ ok: false, refusals: [{ field: 'reason' }] });
  expect(await writeOffRain(context, 'gone', 'flushed')).toEqual({ ok: true, amount: '8.00' });
  expect((await auditRain(context, 'gone'))!).toMatchObject({
    report: { balanced: true, credited: '2.00', recycled: '8.00' },
    problems: [],
  });
  expect(await context.ledger.sumOfBalances()).toBe(0n);
  expect((await context.ledger.actions('gone')).map(({ verb }) => verb)).toEqual([
    'create',
    'load',
    'write-off',
    'recycle',
  ]);
  expect(await writeOffRain(context, 'gone', 'flushed')).toEqual(refusal('is settled'));
});

test('a rain that nobody can have won in, and one that does not exist, are not written off', async () => {
  await openRain('early', 300_000);
  await context.redis.flushall();
  expect(await writeOffRain(context, 'early', 'flushed')).toEqual(refusal('nobody can have won'));
  expect(await writeOffRain(context, 'none', 'flushed')).toEqual(refusal('there is no rain'));
  expect(await context.ledger.book('early')).toMatchObject({ recycledCents: 0n });
});
