import { afterAll, beforeAll, expect, test } from 'vitest';
import { redisNow } from '../../src/store/rains.ts';
import { acknowledgeLost } from '../../src/operator/audit/lostClaims.ts';
import { repairRain } from '../../src/operator/audit/repair.ts';
import { createRain, type CreateRequest } from '../../src/operator/create.ts';
import { discardDeadLetter } from '../../src/operator/deadLetters/discard.ts';
import { listDeadLetters } from '../../src/operator/deadLetters/letters.ts';
import { recycleRain } from '../../src/operator/recycle.ts';
import { closeDryRun, closeRain } from '../../src/operator/transitions.ts';
import { topUpRain } from '../../src/operator/topUp.ts';
import { writeOffRain } from '../../src/operator/writeOff.ts';
import { everything, untouched } from '../support/everything.ts';
import { openQueueContext, type TestQueueContext } from '../support/queueContext.ts';

let context: TestQueueContext;
beforeAll(async () => {
  context = await openQueueContext();
});
afterAll(() => context.stop());

const TEN = { budget: '10.00', packets: 10, split: { method: 'even' } };

async function soon(id: string, plan: object = TEN): Promise<CreateRequest> {
  const now = await redisNow(context.redis);
  return { id, plan, opensAt: now + 600_000, closesAt: now + 660_000 };
}

test('two snapshots of Redis and the ledger differ once anything is written: otherwise no test here could fail', async () => {
  const before = await everything(context);
  await createRain(context, await soon('picture'));
  const after = await everything(context);
  const differing = Object.keys(after).filter((name) => after[name] !== before[name]);
  expect(differing).toEqual(
    expect.arrayContaining([
      'rain:{picture/0}:state',
      'table Account',
      'table OperatorAction',
      'table Rain',
      'table Transfer',
    ]),
  );
});

test('a dry run of a rain is in neither, and the same request then creates it', async () => {
  const request = await soon('tried');
  expect(await untouched(context, () => createRain(context, request, { dryRun: true }))).toEqual({
    ok: true,
    rainId: 'tried',
    opensAt: request.opensAt,
    closesAt: request.closesAt,
    funded: true,
  });
  expect(await createRain(context, request)).toMatchObject({ ok: true, rainId: 'tried' });
  expect(await untouched(context, () => createRain(context, request, { dryRun: true }))).toMatchObject({
    ok: true,
    funded: false,
  });
});

test('[R12] a dry run refuses what the real run refuses, in the same words', async () => {
  const taken = await soon('taken');
  await createRain(context, taken);
  const another = { ...taken, plan: { ...TEN, budget: '20.00' } };
  const refusal = await untouched(context, () => createRain(context, another, { dryRun: true }));
  expect(refusal).toMatchObject({
    ok: false,
    refusals: [{ field: 'id', reason: 'a rain taken exists already, with another budget, plan' }],
  });
  expect(await createRain(context, another)).toEqual(refusal);

  const orphan = await soon('orphan');
  await context.redis.lpush('rain:{orphan/0}:claims', 'the remains of another');
  const held = await untouched(context, () => createRain(context, orphan, { dryRun: true }));
  expect(held).toEqual({ ok: false, refusals: [{ field: 'id', reason: 'Redis still holds another rain orphan' }] });
  expect(await createRain(context, orphan)).toEqual(held);
});

test('a dry run of a top-up adds nothing; an id of another top-up is refused by both', async () => {
  await createRain(context, await soon('more'));
  const asked = { id: 'more-1', budget: '5.00', packets: 5 };
  expect(await untouched(context, () => topUpRain(context, 'more', { ...asked, dryRun: true }))).toMatchObject({
    ok: true,
    total: { packets: 15, budget: '15.00' },
  });
  expect(await topUpRain(context, 'more', asked)).toMatchObject({ ok: true, total: { packets: 15, budget: '15.00' } });
  expect(await untouched(context, () => topUpRain(context, 'more', { ...asked, dryRun: true }))).toMatchObject({
    ok: true,
    total: { packets: 15, budget: '15.00' },
  });
  const refusal = await untouched(context, () =>
    topUpRain(context, 'more', { ...asked, budget: '6.00', dryRun: true }),
  );
  expect(refusal).toMatchObject({ ok: false, refusals: [{ field: 'id' }] });
  expect(await topUpRain(context, 'more', { ...asked, budget: '6.00' })).toEqual(refusal);
});

test('a rain on its way to the end: each step as a dry run, then for real, with the same result [R8]', async () => {
  context.barred.add('user-2');
  await context.wonRain('end', 3);

  expect(await untouched(context, () => repairRain(context, 'end', true))).toEqual({
    ok: true,
    claims: 3,
    jobs: 1,
    complete: true,
  });
  await context.credit();

  expect(await untouched(context, () => recycleRain(context, 'end', { dryRun: true }))).toMatchObject({
    ok: false,
    refusals: [{ field: 'state', reason: expect.stringContaining('is open until') as string }],
  });
  expect(await untouched(context, () => closeDryRun(context, 'end'))).toEqual({
    ok: true,
    left: 7,
    unclaimed: '7.00',
    won: 3,
  });
  await closeRain(context, 'end');

  const waiting = await untouched(context, () => recycleRain(context, 'end', { dryRun: true }));
  expect(waiting).toMatchObject({
    ok: false,
    refusals: [{ field: 'state', reason: expect.stringContaining('not yet credited: 1') as string }],
  });
  expect(await recycleRain(context, 'end')).toEqual(waiting);

  const [letter] = (await listDeadLetters(context, { rainId: 'end', skip: 0, limit: 10 })).letters;
  expect(await untouched(context, () => discardDeadLetter(context, letter!.letter, 'a voucher', false, true))).toEqual({
    ok: true,
    outcome: 'returned',
    amount: '1.00',
  });
  expect(await discardDeadLetter(context, letter!.letter, 'a voucher')).toEqual({
    ok: true,
    outcome: 'returned',
    amount: '1.00',
  });
  expect(
    await untouched(context, () => discardDeadLetter(context, letter!.letter, 'a voucher', false, true)),
  ).toMatchObject({ ok: true, outcome: 'already' });

  const dryRun = await untouched(context, () => recycleRain(context, 'end', { dryRun: true }));
  expect(dryRun).toEqual({ ok: true, state: 'settled', amount: '8.00' });
  expect(await recycleRain(context, 'end')).toEqual(dryRun);
  expect(await untouched(context, () => recycleRain(context, 'end', { dryRun: true }))).toEqual(dryRun);
});

test('a dry run counts credits whose claims a failover lost, and discards none', async () => {
  await context.wonRain('ghost', 1);
  await context.credit();
  await context.redis.del('rain:{ghost/0}:claims', 'rain:{ghost/0}:claimed');
  expect(await untouched(context, () => acknowledgeLost(context, 'ghost', 'a failover', true))).toEqual({
    ok: true,
    claims: 1,
  });
  expect(await acknowledgeLost(context, 'ghost', 'a failover')).toEqual({ ok: true, claims: 1 });
  expect(await untouched(context, () => acknowledgeLost(context, 'ghost', 'a failover', true))).toEqual({
    ok: true,
    claims: 0,
  });
});

test('a rain that Redis has lost is written off as its dry run said', async () => {
  await context.wonRain('lost', 2);
  await context.credit();
  expect(await untouched(context, () => writeOffRain(context, 'lost', 'flushed', { dryRun: true }))).toMatchObject({
    ok: false,
  });
  await context.redis.del(...(await context.redis.keys('rain:{lost/0}:*')));
  const foretold = await untouched(context, () => writeOffRain(context, 'lost', 'flushed', { dryRun: true }));
  expect(foretold).toEqual({ ok: true, amount: '8.00' });
  expect(await writeOffRain(context, 'lost', 'flushed')).toEqual(foretold);
});
