import { afterAll, beforeAll, expect, test } from 'vitest';
import { redisNow } from '../../src/grab/reading.ts';
import { acknowledgeLost } from '../../src/operator/audit/lostClaims.ts';
import { repairRain } from '../../src/operator/audit/repair.ts';
import { createRain, type CreateRequest } from '../../src/operator/create.ts';
import { discardLetter } from '../../src/operator/dead/discard.ts';
import { listLetters } from '../../src/operator/dead/letters.ts';
import { foreseeClose } from '../../src/operator/foresee.ts';
import { recycleRain } from '../../src/operator/recycle.ts';
import { closeRain } from '../../src/operator/steer.ts';
import { topUpRain } from '../../src/operator/topUp.ts';
import { writeOffRain } from '../../src/operator/writeOff.ts';
import { everything, untouched } from '../support/everything.ts';
import { openQueueDesk, type QueueTestDesk } from '../support/queueDesk.ts';

let desk: QueueTestDesk;
beforeAll(async () => { desk = await openQueueDesk(); });
afterAll(() => desk.stop());

const TEN = { budget: '10.00', packets: 10, split: { method: 'even' } };

async function soon(id: string, plan: object = TEN): Promise<CreateRequest> {
  const now = await redisNow(desk.redis);
  return { id, plan, opensAt: now + 600_000, closesAt: now + 660_000 };
}

test('two pictures of Redis and the book differ once anything is written: otherwise no test here could fail', async () => {
  const before = await everything(desk);
  await createRain(desk, await soon('picture'));
  const after = await everything(desk);
  const differing = Object.keys(after).filter((name) => after[name] !== before[name]);
  expect(differing).toEqual(expect.arrayContaining(['rain:{picture/0}:state', 'table Account', 'table OperatorAction', 'table Rain', 'table Transfer']));
});

test('a rain that is only tried is in neither, and the same words then make it', async () => {
  const request = await soon('tried');
  expect(await untouched(desk, () => createRain(desk, request, { dryRun: true }))).toEqual({ ok: true, rainId: 'tried', opensAt: request.opensAt, closesAt: request.closesAt, funded: true });
  expect(await createRain(desk, request)).toMatchObject({ ok: true, rainId: 'tried' });
  expect(await untouched(desk, () => createRain(desk, request, { dryRun: true }))).toMatchObject({ ok: true, funded: false });
});

test('[R12] what the deed would refuse, its dry run refuses, in the same words', async () => {
  const taken = await soon('taken');
  await createRain(desk, taken);
  const another = { ...taken, plan: { ...TEN, budget: '20.00' } };
  const refusal = await untouched(desk, () => createRain(desk, another, { dryRun: true }));
  expect(refusal).toMatchObject({ ok: false, refusals: [{ field: 'id', reason: 'a rain taken exists already, with another budget, plan' }] });
  expect(await createRain(desk, another)).toEqual(refusal);

  const orphan = await soon('orphan');
  await desk.redis.lpush('rain:{orphan/0}:claims', 'the remains of another');
  const held = await untouched(desk, () => createRain(desk, orphan, { dryRun: true }));
  expect(held).toEqual({ ok: false, refusals: [{ field: 'id', reason: 'Redis still holds another rain orphan' }] });
  expect(await createRain(desk, orphan)).toEqual(held);
});

test('a top-up that is only tried adds nothing; one whose id is taken for another is refused by both', async () => {
  await createRain(desk, await soon('more'));
  const asked = { id: 'more-1', budget: '5.00', packets: 5 };
  expect(await untouched(desk, () => topUpRain(desk, 'more', { ...asked, dryRun: true }))).toMatchObject({ ok: true, total: { packets: 15, budget: '15.00' } });
  expect(await topUpRain(desk, 'more', asked)).toMatchObject({ ok: true, total: { packets: 15, budget: '15.00' } });
  expect(await untouched(desk, () => topUpRain(desk, 'more', { ...asked, dryRun: true }))).toMatchObject({ ok: true, total: { packets: 15, budget: '15.00' } });
  const refusal = await untouched(desk, () => topUpRain(desk, 'more', { ...asked, budget: '6.00', dryRun: true }));
  expect(refusal).toMatchObject({ ok: false, refusals: [{ field: 'id' }] });
  expect(await topUpRain(desk, 'more', { ...asked, budget: '6.00' })).toEqual(refusal);
});

test('a rain on its way to the end: each step foretold, then done, and both say the same [R8]', async () => {
  desk.barred.add('user-2');
  await desk.wonRain('end', 3);

  expect(await untouched(desk, () => repairRain(desk, 'end', true))).toEqual({ ok: true, claims: 3, jobs: 1, complete: true });
  await desk.credit();

  expect(await untouched(desk, () => recycleRain(desk, 'end', { dryRun: true }))).toMatchObject({ ok: false, refusals: [{ field: 'state', reason: expect.stringContaining('goes on until') as string }] });
  expect(await untouched(desk, () => foreseeClose(desk, 'end'))).toEqual({ ok: true, left: 7, unclaimed: '7.00', won: 3 });
  await closeRain(desk, 'end');

  const waiting = await untouched(desk, () => recycleRain(desk, 'end', { dryRun: true }));
  expect(waiting).toMatchObject({ ok: false, refusals: [{ field: 'state', reason: expect.stringContaining('not yet credited: 1') as string }] });
  expect(await recycleRain(desk, 'end')).toEqual(waiting);

  const [letter] = (await listLetters(desk, { rainId: 'end', skip: 0, limit: 10 })).letters;
  expect(await untouched(desk, () => discardLetter(desk, letter!.letter, 'a voucher', false, true))).toEqual({ ok: true, outcome: 'returned', amount: '1.00' });
  expect(await discardLetter(desk, letter!.letter, 'a voucher')).toEqual({ ok: true, outcome: 'returned', amount: '1.00' });
  expect(await untouched(desk, () => discardLetter(desk, letter!.letter, 'a voucher', false, true))).toMatchObject({ ok: true, outcome: 'already' });

  const foreseen = await untouched(desk, () => recycleRain(desk, 'end', { dryRun: true }));
  expect(foreseen).toEqual({ ok: true, state: 'settled', amount: '8.00' });
  expect(await recycleRain(desk, 'end')).toEqual(foreseen);
  expect(await untouched(desk, () => recycleRain(desk, 'end', { dryRun: true }))).toEqual(foreseen);
});

test('credits that a failover has left without claims are counted, and not laid to rest, by a dry run', async () => {
  await desk.wonRain('ghost', 1);
  await desk.credit();
  await desk.redis.del('rain:{ghost/0}:claims', 'rain:{ghost/0}:claimed');
  expect(await untouched(desk, () => acknowledgeLost(desk, 'ghost', 'a failover', true))).toEqual({ ok: true, claims: 1 });
  expect(await acknowledgeLost(desk, 'ghost', 'a failover')).toEqual({ ok: true, claims: 1 });
  expect(await untouched(desk, () => acknowledgeLost(desk, 'ghost', 'a failover', true))).toEqual({ ok: true, claims: 0 });
});

test('a rain that Redis has lost is written off as it was foretold', async () => {
  await desk.wonRain('lost', 2);
  await desk.credit();
  expect(await untouched(desk, () => writeOffRain(desk, 'lost', 'flushed', true))).toMatchObject({ ok: false });
  await desk.redis.del(...await desk.redis.keys('rain:{lost/0}:*'));
  const foretold = await untouched(desk, () => writeOffRain(desk, 'lost', 'flushed', true));
  expect(foretold).toEqual({ ok: true, amount: '8.00' });
  expect(await writeOffRain(desk, 'lost', 'flushed')).toEqual(foretold);
});
