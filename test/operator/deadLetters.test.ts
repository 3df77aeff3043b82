import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { creditJobId } from '../../src/credit/job.ts';
import { shardKeys } from '../../src/store/keys.ts';
import { readEntries } from '../../src/store/rains.ts';
import { auditRain } from '../../src/operator/audit.ts';
import { discardDeadLetter } from '../../src/operator/deadLetters/discard.ts';
import { listDeadLetters, showDeadLetter, type DeadLetterView } from '../../src/operator/deadLetters/letters.ts';
import { requeueDeadLetter, requeueRain } from '../../src/operator/deadLetters/requeue.ts';
import type { QueueContext } from '../../src/operator/context.ts';
import type { Claim } from '../../src/rain/claim.ts';
import { claimLog } from '../support/operatorContext.ts';
import { eventually } from '../support/eventually.ts';
import { openQueueContext, type TestQueueContext } from '../support/queueContext.ts';

let context: TestQueueContext;
beforeAll(async () => {
  context = await openQueueContext();
});
beforeEach(() => {
  context.barred.clear();
});
afterAll(() => context?.stop());

/** Earlier wins are credited; these come later. */
const LATER = '1999999999999';
const letters = async (rainId: string): Promise<DeadLetterView[]> =>
  (await listDeadLetters(context, { rainId, skip: 0, limit: 1_000 })).letters;
const only = async (rainId: string): Promise<DeadLetterView> => {
  const [letter, ...more] = await letters(rainId);
  expect(more).toEqual([]);
  return letter!;
};
const book = async (rainId: string) => (await context.ledger.book(rainId))!;
const verbs = async (rainId: string) =>
  (await context.ledger.actions(rainId)).map(({ actor, verb }) => `${actor} ${verb}`);

/** The context, with another way to take a letter out. */
function withDead({ remove }: { remove: (id: string) => Promise<number> }): QueueContext {
  const dead = Object.create(context.queues.dead, { remove: { value: remove } }) as QueueContext['queues']['dead'];
  return { ...context, queues: { ...context.queues, dead } };
}

/** `user-1` of two winners is refused; its claim is the second one of the log. */
async function refusedRain(id: string): Promise<DeadLetterView> {
  context.barred.add('user-1');
  await context.wonRain(id, 2);
  await context.credit();
  return only(id);
}

describe('the dead letters', () => {
  test('are listed and shown with content and reason, page by page', async () => {
    await context.wonRain('list', 3);
    for (const user of ['user-0', 'user-2']) context.barred.add(user);
    await context.log('list', 'torn');
    await context.credit();
    const all = await letters('list');
    expect(all.map(({ index, reason }) => [index, reason]).sort()).toEqual([
      [0, 'refused'],
      [2, 'refused'],
      [3, 'malformed'],
    ]);
    const refused = all.find(({ index }) => index === 2)!;
    expect(refused).toMatchObject({
      rainId: 'list',
      shard: 0,
      redPacketId: 'list-2',
      userId: 'user-2',
      amount: '1.00',
      text: 'The payout provider understood the claim and refuses it.',
    });
    expect(refused).not.toHaveProperty('laidToRest');
    expect(await showDeadLetter(context, refused.letter)).toEqual({ ok: true, letter: refused });
    const first = await listDeadLetters(context, { rainId: 'list', skip: 0, limit: 2 });
    const second = await listDeadLetters(context, { rainId: 'list', skip: 2, limit: 2 });
    expect([first.complete, second.complete]).toEqual([false, true]);
    expect([...first.letters, ...second.letters]).toEqual(all);
    expect(await letters('elsewhere')).toEqual([]);
    expect(await showDeadLetter(context, 'nobody')).toEqual({
      ok: false,
      refusals: [{ field: 'letter', reason: 'there is no dead letter nobody' }],
    });
  });
});

describe('requeueing', () => {
  test('credits the claim once the cause is gone, and is recorded', async () => {
    const { letter } = await refusedRain('requeue');
    context.barred.clear();
    expect(await requeueDeadLetter(context, letter)).toEqual({ ok: true, letters: 1, complete: true });
    await context.drained();
    expect(await book('requeue')).toMatchObject({ credited: { count: 2, cents: 200n } });
    expect(await letters('requeue')).toEqual([]);
    expect(await verbs('requeue')).toEqual(['test create', 'test load', 'test requeue']);
    expect(await requeueDeadLetter(context, letter)).toMatchObject({ ok: false });
  });

  test('a claim that fails again becomes the same dead letter, however fast the worker is', async () => {
    for (let i = 0; i < 5; i++) context.barred.add(`user-${i}`);
    await context.wonRain('back', 5);
    await context.credit();
    const before = (await letters('back')).map(({ letter }) => letter).sort();
    expect(before).toHaveLength(5);
    // A worker that is done with whatever it may take before the old letter is taken out.
    const slow = withDead({
      remove: async (id: string) => {
        await eventually(async () => (await context.queues.credit.getJobCountByTypes('waiting', 'active')) === 0);
        return context.queues.dead.remove(id);
      },
    });
    expect(await requeueRain(slow, 'back')).toEqual({ ok: true, letters: 5, complete: true });
    await context.drained();
    expect((await letters('back')).map(({ letter }) => letter).sort()).toEqual(before);
    expect(await book('back')).toMatchObject({ credited: { count: 0 } });
  });

  test('cut between queue and dead letter, it leaves both, and a repetition is harmless', async () => {
    const { letter, entry, index } = await refusedRain('cut');
    context.barred.clear();
    const job = { rainId: 'cut', shard: 0, from: index, entries: [entry] };
    await context.queues.credit.add('range', job, { jobId: creditJobId(job, 'cut') });
    await context.drained();
    expect(await book('cut')).toMatchObject({ credited: { count: 2 } });
    expect(await requeueDeadLetter(context, letter)).toMatchObject({ ok: true });
    await context.drained();
    expect(await letters('cut')).toEqual([]);
    expect(await book('cut')).toMatchObject({ credited: { count: 2, cents: 200n } });
  });

  test('of a discarded letter is refused', async () => {
    const { letter } = await refusedRain('resting');
    await discardDeadLetter(context, letter, 'he has left us');
    expect(await requeueDeadLetter(context, letter)).toEqual({
      ok: false,
      refusals: [{ field: 'letter', reason: `${letter} was discarded by test: he has left us` }],
    });
    expect(await requeueRain(context, 'resting')).toEqual({ ok: true, letters: 0, complete: true });
  });
});

describe('discarding', () => {
  test('gives the money of a refused claim back permanently, and is recorded', async () => {
    const { letter } = await refusedRain('discard');
    expect(await discardDeadLetter(context, letter, '  the account is closed ')).toEqual({
      ok: true,
      outcome: 'returned',
      amount: '1.00',
    });
    expect(await letters('discard')).toEqual([]);
    expect(await book('discard')).toMatchObject({ credited: { count: 1 }, discarded: { count: 1, cents: 100n } });
    expect((await context.ledger.actions('discard')).at(-1)).toMatchObject({
      actor: 'test',
      verb: 'discard',
      details: { letter, reason: 'the account is closed', amount: '1.00' },
    });
    context.barred.clear();
    const claims = await claimLog(context, 'discard');
    expect((await context.ledger.credit(claims)).map(({ outcome }) => outcome)).toEqual(['already', 'discarded']);
  });

  test.each<[string, string, RegExp]>([
    ['no reason', ' ', /expected 1 to 500/],
    ['one of 501 characters', 'x'.repeat(501), /1 to 500/],
    ['one with a line break', 'a\nb', /printable/],
  ])('[R12] for %s is refused, and nothing is written', async (name, reason, sentence) => {
    const { letter } = await refusedRain(`reason-${name.length}`);
    const refused = await discardDeadLetter(context, letter, reason);
    expect(refused).toMatchObject({
      ok: false,
      refusals: [{ field: 'reason', reason: expect.stringMatching(sentence) as string }],
    });
    expect(await letters(`reason-${name.length}`)).toHaveLength(1);
    expect(await book(`reason-${name.length}`)).toMatchObject({ discardedClaims: 0 });
  });

  test('[R5] cut between ledger and queue, it is finished by a repetition, and the first reason is kept', async () => {
    const view = await refusedRain('killed');
    await expect(
      discardDeadLetter(withDead({ remove: () => Promise.reject(new Error('killed')) }), view.letter, 'first'),
    ).rejects.toThrow('killed');
    expect((await only('killed')).discarded).toMatchObject({ reason: 'first', actor: 'test' });
    expect(await discardDeadLetter(context, view.letter, 'second')).toEqual({
      ok: true,
      outcome: 'already',
      reason: 'first',
      actor: 'test',
    });
    expect(await letters('killed')).toEqual([]);
    expect(await discardDeadLetter(context, view.letter, 'third')).toEqual({
      ok: true,
      outcome: 'already',
      reason: 'first',
      actor: 'test',
    });
    expect(await book('killed')).toMatchObject({ discarded: { count: 1, cents: 100n }, discardedClaims: 1 });
  });

  test('a letter discarded is not dead-lettered again when its range is sent again', async () => {
    const { letter } = await refusedRain('again');
    await discardDeadLetter(context, letter, 'closed');
    const entries = await readEntries(context.redis, 'again', 0, 0, 2);
    await context.queues.credit.add(
      'range',
      { rainId: 'again', shard: 0, from: 0, entries },
      { jobId: 'again-once-more' },
    );
    await context.drained();
    expect(await letters('again')).toEqual([]);
  });

  test('of a user who has another packet of the rain gives the second one back [R1]', async () => {
    await context.wonRain('second', 1);
    await context.redis.rpop(shardKeys('second', 0).packets);
    await context.log('second', {
      rainId: 'second',
      redPacketId: 'second-1',
      amount: '1.00',
      userId: 'user-0',
      at: LATER,
    });
    await context.credit();
    const { letter, reason } = await only('second');
    expect(reason).toBe('told_twice');
    expect((await auditRain(context, 'second'))!.toldTwice).toMatchObject([
      {
        redPacketId: 'second-1',
        toldTo: 'user-0',
        paid: { userId: 'user-0', redPacketId: 'second-0' },
        letterId: letter,
      },
    ]);
    expect(await discardDeadLetter(context, letter, 'one is enough')).toEqual({
      ok: true,
      outcome: 'returned',
      amount: '1.00',
    });
    expect((await auditRain(context, 'second'))!).toMatchObject({
      report: { balanced: true, told_twice: 0, discarded: 1, recycled: '1.00' },
      problems: [],
    });
  });

  test('of a claim that says more than was allocated moves no money; what was allocated counts as spoiled', async () => {
    await context.wonRain('inflated', 0);
    await context.redis.rpop(shardKeys('inflated', 0).packets);
    await context.log('inflated', {
      rainId: 'inflated',
      redPacketId: 'inflated-0',
      amount: '9.00',
      userId: 'greedy',
      at: LATER,
    });
    await context.credit();
    expect((await auditRain(context, 'inflated'))!.report.balanced).toBe(false);
    expect(await discardDeadLetter(context, (await only('inflated')).letter, 'forged')).toEqual({
      ok: true,
      outcome: 'discarded',
    });
    expect((await auditRain(context, 'inflated'))!).toMatchObject({
      report: { balanced: true, spoiled: '1.00', recycled: '0.00', unclaimed: '9.00' },
    });
  });

  test('of an entry that is not a claim of this rain moves no money, whichever packet it names', async () => {
    await context.wonRain('forged', 0);
    const claim: Claim = { rainId: 'other', redPacketId: 'forged-9', amount: '1.00', userId: 'eve', at: LATER };
    await context.log('forged', claim);
    await context.log('forged', JSON.stringify({ ...claim, rainId: 'forged', userId: '' }));
    await context.credit();
    const found = await letters('forged');
    expect(found.map(({ reason }) => reason).sort()).toEqual(['malformed', 'wrong_rain']);
    for (const { letter } of found)
      expect(await discardDeadLetter(context, letter, 'forged')).toEqual({ ok: true, outcome: 'discarded' });
    // The packet is still there to be won.
    expect((await auditRain(context, 'forged'))!).toMatchObject({
      report: { balanced: true, unclaimed: '10.00', recycled: '0.00', discarded: 2 },
      problems: [],
    });
  });

  test('[R5] and requeueing at the same time: the claim is credited or discarded, never both, never neither', async () => {
    for (let round = 0; round < 6; round++) {
      const id = `race-${round}`;
      const { letter } = await refusedRain(id);
      context.barred.clear();
      await Promise.all([
        discardDeadLetter(context, letter, 'race'),
        requeueDeadLetter(context, letter),
        discardDeadLetter(context, letter, 'race'),
      ]);
      await context.drained();
      const { credited, discarded } = await book(id);
      expect([credited.count + discarded.count, credited.cents + discarded.cents], id).toEqual([2, 200n]);
    }
  });
});
