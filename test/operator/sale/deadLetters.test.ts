import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { discardOrderLetter } from '../../../src/operator/sale/deadLetters/discard.ts';
import {
  listOrderLetters,
  showOrderLetter,
  type OrderLetterContext,
} from '../../../src/operator/sale/deadLetters/letters.ts';
import { requeueOrderLetter, requeueSale } from '../../../src/operator/sale/deadLetters/requeue.ts';
import { latePayment } from '../../../src/orders/reports.ts';
import { ORDER_DEAD_REASONS } from '../../../src/orders/deadLetter.ts';
import { addOrderLetters } from '../../../src/orders/deadLetters.ts';
import type { OrderService } from '../../../src/orders/orderService.ts';
import { openOrderRoom, type OrderRoom } from '../../orders/room.ts';
import { figuresOf, reservationIds } from '../../orders/saleFigures.ts';
import { rain } from '../../support/call.ts';
import { eventually } from '../../support/eventually.ts';
import { signer } from '../../support/signer.ts';

/** Buyers whose orders the shop refuses, or does not take now. */
const refused = new Set<string>();
const delayed = new Set<string>();
const service: OrderService = {
  post: async (_saleId, orders) =>
    orders.map(({ userId }) =>
      refused.has(userId)
        ? { outcome: 'giveUp', reason: 'failed', detail: 'no such address' }
        : delayed.has(userId)
          ? { outcome: 'reconsumeLater', detail: 'the shop answered 503' }
          : { outcome: 'commit' },
    ),
};
const retryPolicy = { firstDelayMs: 5, delayMsMax: 10, attemptsMax: 2, totalMsMax: 60_000 };

let room: OrderRoom;
let context: OrderLetterContext;
let env: Record<string, string>;
beforeAll(async () => {
  room = await openOrderRoom();
  const { orders, later: ordersLater, dead: ordersDead } = room.queues;
  context = {
    redis: room.redis,
    ledger: room.ledger,
    signer,
    actor: 'test',
    queues: { orders, ordersLater, ordersDead },
  };
  env = { REDIS_URL: room.redisUrl, DATABASE_URL: room.databaseUrl };
});
afterEach(async () => {
  refused.clear();
  delayed.clear();
  await room.rest();
});
afterAll(() => room?.stop());
const { idsOf, reasons, buy, statuses } = figuresOf(() => room);

const work = () => room.work({ service, retryPolicy, discardedLetters: room.ledger.discardedClaims });
const lettersOf = async (saleId: string) =>
  (await listOrderLetters(context, { saleId, skip: 0, limit: 1_000 })).letters;
const verbs = async (saleId: string) =>
  (await room.ledger.actions(saleId)).map(({ actor, verb }) => `${actor} ${verb}`);

/**
 * Four buyers: the shop refuses u1 and does not take u2 now.
 * @returns the letters of both, and of a late payment of u0
 */
async function troubled(saleId: string): Promise<{ failed: string; unavailable: string; late: string }> {
  await room.openSale(saleId);
  await buy(saleId, 0, 4);
  refused.add('u1');
  delayed.add('u2');
  await room.carry();
  work();
  await eventually(async () =>
    expect(await reasons(saleId)).toEqual([
      [1, 'failed'],
      [2, 'unavailable'],
    ]),
  );
  await room.drained();
  await room.ledger.stepOrder(`${saleId}-1`, 'timed_out');
  await addOrderLetters(
    room.queues.dead,
    [latePayment((await room.ledger.order(`${saleId}-1`))!, signer, Date.now())],
    signer,
  );
  const of = Object.fromEntries((await lettersOf(saleId)).map(({ reason, letter }) => [reason, letter]));
  return { failed: of['failed']!, unavailable: of['unavailable']!, late: of['paid_after_release']! };
}

describe('dead letters of orders', () => {
  test('are listed with their reservations and the status of their orders, page by page, and shown with what to do', async () => {
    const { failed, late } = await troubled('list');
    const letters = await lettersOf('list');
    expect(letters.map(({ reason, reservationId, userId, status }) => [reason, reservationId, userId, status])).toEqual(
      [
        ['failed', 'list-2', 'u1', 'failed'],
        ['unavailable', 'list-3', 'u2', 'created'],
        ['paid_after_release', 'list-1', 'u0', 'timed_out'],
      ],
    );
    expect(late).toMatch(/-paid$/);
    expect(await showOrderLetter(context, late)).toEqual({ ok: true, letter: letters[2] });
    expect(letters[2]!.text).toContain('Pay the buyer back');
    expect(await listOrderLetters(context, { saleId: 'list', skip: 1, limit: 1 })).toMatchObject({
      letters: [{ reason: 'unavailable' }],
      complete: false,
    });
    expect(await lettersOf('elsewhere')).toEqual([]);
    expect((await rain(['sale', 'dead', 'list', '--sale', 'list'], env)).stdout).toMatch(
      new RegExp(
        `${failed} +failed +list-2 +1 tee +u1 +failed +20.*\nfailed: The order service refuses the order`,
        's',
      ),
    );
    expect((await rain(['sale', 'dead', 'show', late], env)).stdout).toMatch(
      /sale +list, entry 0\nreason +paid_after_release: .*Pay the buyer back.*\ndetail +timed_out at .*\nreservation +list-1\nunits +1 tee at 19\.90\nuser +u0\norder +timed_out\n/,
    );
    expect(JSON.parse((await rain(['system', '--json'], env)).stdout)).toMatchObject({
      queues: {
        orders: { waiting: 0 },
        ordersLater: { delayed: 0 },
        ordersEnded: { delayed: 0, failed: 0 },
        ordersDead: 3,
        dead: 0,
      },
    });
  });

  test('one that the shop did not take is sent again, and taken once the cause is gone; those of ended orders stay', async () => {
    const { failed, unavailable, late } = await troubled('again');
    delayed.clear();
    expect(await requeueOrderLetter(context, unavailable)).toEqual({
      ok: true,
      letters: 1,
      final: 0,
      kept: {},
      complete: true,
    });
    await eventually(async () => expect(await statuses('again', 'u2')).toEqual(['created']));
    await room.drained();
    for (const letter of [failed, late])
      expect(await requeueOrderLetter(context, letter)).toMatchObject({
        ok: false,
        refusals: [{ field: 'letter', reason: expect.stringContaining('its order is not posted any more') as string }],
      });
    expect(await requeueSale(context, 'again')).toEqual({
      ok: true,
      letters: 0,
      final: 2,
      kept: { failed: 1, paid_after_release: 1 },
      complete: true,
    });
    expect((await lettersOf('again')).map(({ letter }) => letter)).toEqual([failed, late]);
    expect(await verbs('again')).toEqual(['ann create-sale', 'ann load', 'test requeue']);
    expect(await idsOf('again')).toEqual(reservationIds('again', 1, 5));
  });

  test('one that fails again becomes the same letter again, however fast the worker is', async () => {
    const { unavailable } = await troubled('fast');
    expect(await requeueSale(context, 'fast')).toMatchObject({ letters: 1, final: 2 });
    await eventually(async () => expect((await lettersOf('fast')).map(({ letter }) => letter)).toContain(unavailable));
    await room.drained();
    expect(await lettersOf('fast')).toHaveLength(3);
  });

  test('a discarded one is recorded and does not come back, whoever sends its reservation again', async () => {
    const { unavailable, late } = await troubled('gone');
    expect(await discardOrderLetter(context, unavailable, ' ')).toMatchObject({
      ok: false,
      refusals: [{ field: 'reason' }],
    });
    expect(await discardOrderLetter(context, unavailable, 'the buyer left', true)).toEqual({
      ok: true,
      outcome: 'discarded',
    });
    expect(await lettersOf('gone')).toHaveLength(3);
    for (const outcome of ['discarded', 'already'])
      expect(await discardOrderLetter(context, unavailable, 'the buyer left')).toMatchObject({ ok: true, outcome });
    expect(await discardOrderLetter(context, late, 'paid back')).toEqual({ ok: true, outcome: 'discarded' });
    expect((await room.ledger.actions('gone')).slice(2)).toMatchObject([
      {
        actor: 'test',
        verb: 'discard',
        details: { letter: unavailable, deadReason: 'unavailable', reason: 'the buyer left' },
      },
      { verb: 'discard', details: { deadReason: 'paid_after_release' } },
    ]);
    expect(await showOrderLetter(context, unavailable)).toMatchObject({
      ok: false,
      refusals: [{ reason: `${unavailable} was discarded by test: the buyer left` }],
    });
    const [, , reservation] = await room.reservations('gone');
    await room.queues.orders.add(
      'range',
      { saleId: 'gone', from: 2, entries: [JSON.stringify(reservation)] },
      { jobId: 'gone-by-hand' },
    );
    await room.drained();
    expect(await reasons('gone')).toEqual([[1, 'failed']]);
    expect(await requeueSale(context, 'gone')).toMatchObject({ letters: 0, final: 1 });
  });

  test('those of a sale with one reason are listed and discarded together, and no other: a payment to be given back stays', async () => {
    const { failed, unavailable, late } = await troubled('many');
    const before = await lettersOf('again');
    expect(
      (await listOrderLetters(context, { saleId: 'many', deadReason: 'failed', skip: 0, limit: 10 })).letters.map(
        ({ letter }) => letter,
      ),
    ).toEqual([failed]);
    expect(
      (await rain(['sale', 'dead', 'list', '--sale', 'many', '--reason-is', 'paid_after_release', '--json'], env))
        .stdout,
    ).toContain(late);
    const discard = [
      'sale',
      'dead',
      'discard',
      '--sale',
      'many',
      '--reason-is',
      'failed',
      '--reason',
      'the shop was ill',
    ];
    expect((await rain([...discard, '--dry-run'], env)).stdout).toMatch(/^would be discarded: 1\ndry run/);
    expect(await lettersOf('many')).toHaveLength(3);
    expect((await rain(discard, env)).stdout).toBe('discarded: 1\n');
    expect((await lettersOf('many')).map(({ letter }) => letter)).toEqual([unavailable, late]);
    expect(await lettersOf('again')).toEqual(before);
    expect((await room.ledger.actions('many')).at(-1)).toMatchObject({
      verb: 'discard',
      details: { letter: failed, deadReason: 'failed', reason: 'the shop was ill' },
    });
    expect((await rain(discard, env)).stdout).toBe('discarded: 0\n');
  });

  test('a letter that nobody knows, both or no address, and a sale that there is not are refused by name', async () => {
    for (const [args, exit, reason] of [
      [['show', 'nobody'], 1, 'letter: there is no dead letter nobody'],
      [['requeue', 'nobody'], 1, 'letter: there is no dead letter nobody'],
      [['discard', 'nobody', '--reason', 'x'], 1, 'letter: there is no dead letter nobody'],
      [['requeue'], 2, 'letter: expected a letter or --sale\n'],
      [['requeue', 'x', '--sale', 'y'], 2, 'letter: expected a letter or --sale, not both'],
      [['discard', '--sale', 'y', '--reason', 'x'], 2, '--reason-is: expected with --sale'],
      [['discard', 'x', '--reason-is', 'failed', '--reason', 'x'], 2, '--reason-is: expected with --sale'],
      [['discard', '--reason', 'x'], 2, 'letter: expected a letter or --sale\n'],
      [['discard', '--sale', 'typo', '--reason-is', 'failed', '--reason', 'x'], 1, '--sale: there is no sale typo'],
      [['list', '--reason-is', 'gold'], 2, "'gold' is invalid"],
      [['requeue', '--sale', 'typo'], 1, '--sale: there is no sale typo'],
      [['list', '--sale', 'typo'], 1, '--sale: there is no sale typo'],
    ] as const)
      expect(await rain(['sale', 'dead', ...args], env), args.join(' ')).toMatchObject({
        exit,
        stderr: expect.stringContaining(reason) as string,
      });
    const { failed } = await troubled('cli');
    expect(
      (await rain(['sale', 'dead', 'discard', failed, '--reason', 'told the buyer', '--dry-run'], env)).stdout,
    ).toMatch(/would be discarded\ndry run/);
    expect((await rain(['sale', 'dead', 'discard', failed, '--reason', 'told the buyer'], env)).stdout).toBe(
      `${failed}: discarded\n`,
    );
    expect((await rain(['sale', 'dead', 'requeue', '--sale', 'cli'], env)).stdout).toBe(
      `sent again: 1\n1 stay, since sending them again changes nothing:\n1 paid_after_release: ${ORDER_DEAD_REASONS.paid_after_release}\n`,
    );
  });
});

test('[R14] a letter that no process of ours has signed, and one of ours with another reason or detail, is shown as such: its advice is not', async () => {
  const saleId = 'forged-letters';
  const { late, failed } = await troubled(saleId);
  const { ordersDead } = context.queues;
  const [order] = await room.ledger.orders({ saleId, userId: 'u3' });
  // A thief names the paid order of u3 as one to be paid back, changes one of ours, and puts the signature of another
  // letter under his.
  const genuine = latePayment(order!, signer, Date.now());
  const failedJob = (await ordersDead.getJob(failed))!;
  const { mac } = (await ordersDead.getJob(late))!.data as { mac?: string };
  await ordersDead.add('paid_after_release', genuine, { jobId: 'forged-1' });
  await ordersDead.add('paid_after_release', { ...genuine, mac } as typeof genuine, { jobId: 'forged-2' });
  // A copy of a genuine letter, to be followed once more after it was discarded.
  const copied = (await ordersDead.getJob(late))!.data;
  await ordersDead.add('paid_after_release', copied, { jobId: `${late.slice(0, -5)}-again-paid` });
  await failedJob.updateData({ ...failedJob.data, reason: 'refused_after_payment' });
  const shown = (await lettersOf(saleId)).map(({ letter, text, unsigned }) => [letter, unsigned, text.slice(0, 25)]);
  const doubted = [true, 'This letter is not signed'];
  expect(Object.fromEntries(shown.map(([letter, ...rest]) => [letter, rest]))).toMatchObject({
    'forged-1': doubted,
    'forged-2': doubted,
    [failed]: doubted,
    [`${late.slice(0, -5)}-again-paid`]: doubted,
    [late]: [undefined, 'The shop reports a paymen'],
  });
  const listed = await rain(['sale', 'dead', 'list', '--sale', saleId], env);
  expect(listed.stdout).toMatch(/forged-1 +paid_after_release, not signed/);
  expect(listed.stdout).toContain('paid_after_release, not signed: This letter is not signed with SIGNING_SECRET');
  const one = await rain(['sale', 'dead', 'show', 'forged-1'], env);
  expect(one.stdout).not.toContain('Pay the buyer back');
  await ordersDead.remove('forged-1');
  await ordersDead.remove('forged-2');
  await ordersDead.remove(`${late.slice(0, -5)}-again-paid`);
});
