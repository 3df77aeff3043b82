import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { claimIdOf } from '../../src/credit/claimId.ts';
import { closeRain } from '../../src/operator/transitions.ts';
import { applyRestore } from '../../src/operator/restore/apply.ts';
import { compareAll, compareRain } from '../../src/operator/restore/compare.ts';
import { agrees, type RainDifferences } from '../../src/operator/restore/difference.ts';
import { importWinners } from '../../src/operator/restore/importWinners.ts';
import { readPayments } from '../../src/operator/restore/payments.ts';
import { settleRain } from '../../src/operator/settle.ts';
import type { Claim } from '../../src/rain/claim.ts';
import { findRain } from '../../src/store/rains.ts';
import { forgetRain } from '../maintenance/epochStage.ts';
import { claimLog } from '../support/operatorContext.ts';
import { openQueueContext, type TestQueueContext } from '../support/queueContext.ts';
import { stockRain } from '../support/rain.ts';

let context: TestQueueContext;
beforeAll(async () => {
  context = await openQueueContext();
});
afterAll(() => context.stop());
beforeEach(() => context.redis.flushall());

const payment = (claim: Pick<Claim, 'redPacketId' | 'userId' | 'amount'>, amount = claim.amount) =>
  `1795000000000,${claimIdOf('webhook_v2', claim)},${amount}`;
const sheet = (...lines: string[]) => ['Time,ID,Amount', ...lines].join('\n');
const payments = (...lines: string[]) => readPayments(Readable.from([Buffer.from(sheet(...lines))]));
const win = (redPacketId: string, userId: string, amount = '1.00') => ({ redPacketId, userId, amount });

/** Ten packets of 1.00 that a wallet pays; of the `winners` the first `credited` are. */
async function paidRain(id: string, winners: number, credited: number): Promise<Claim[]> {
  await context.wonRain(id, winners);
  await context.ledger.assignPayout(id, 'webhook_v2');
  const claims = await claimLog(context, id);
  await payAndCredit(claims.slice(0, credited));
  return claims;
}

/** As a worker does, around the request to the wallet. */
async function payAndCredit(claims: readonly Claim[]): Promise<void> {
  await context.ledger.reserve(claims);
  await context.ledger.credit(claims);
}

async function checkAll(statement: Awaited<ReturnType<typeof payments>>): Promise<RainDifferences[]> {
  const found: RainDifferences[] = [];
  for await (const rain of compareAll(context, statement)) found.push(rain);
  return found;
}

test('what the wallet paid and neither store knows is listed by name, and the statement brings it back', async () => {
  const claims = await paidRain('lost', 3, 1);
  await context.redis.flushall();
  await applyRestore(context, 'lost', { reason: 'burned', waitMs: 0 });
  const rows = [...claims.map((claim) => payment(claim)), payment(win('another-0', 'ann'))];
  const found = (await compareRain(context, 'lost', await payments(...rows)))!;
  expect(found).toMatchObject({
    counts: { paid: 2 },
    differences: [
      { kind: 'paid', userId: 'user-1', redPacketId: 'lost-1', amount: '1.00' },
      { kind: 'paid', userId: 'user-2', redPacketId: 'lost-2' },
    ],
  });
  expect(found.differences[0]!.sentence).toBe(
    'the wallet paid lost-1:user-1:1.00 with 1.00 (line 3), and neither store has it',
  );
  expect(agrees(found)).toBe(false);
  expect(await importWinners(context, 'lost', sheet(...rows))).toMatchObject({
    ok: true,
    winners: 3,
    known: 1,
    written: 2,
    others: 1,
  });
  expect((await compareRain(context, 'lost', await payments(...rows)))!.counts).toEqual({ paid_not_in_book: 2 });
  await payAndCredit(await claimLog(context, 'lost'));
  expect((await compareRain(context, 'lost', await payments(...rows)))!.counts).toEqual({});
});

test('a claim that Redis has and the ledger lacks is not lost; what the ledger has and the wallet has not is listed', async () => {
  const [first, second] = await paidRain('half', 2, 1);
  expect((await compareRain(context, 'half', await payments(payment(second!))))!.counts).toEqual({
    paid_not_in_book: 1,
    credit_not_paid: 1,
  });
  await payAndCredit([second!]);
  const found = (await compareRain(context, 'half', await payments(payment(second!))))!;
  expect(found).toMatchObject({
    counts: { credit_not_paid: 1 },
    differences: [
      {
        userId: 'user-0',
        redPacketId: first!.redPacketId,
        amount: '1.00',
        sentence: expect.stringContaining('half-0:user-0:1.00') as string,
      },
    ],
  });
  expect((await compareRain(context, 'half', await payments(payment(first!), payment(second!))))!.counts).toEqual({});
});

test("a payment that the rain cannot bear is never called lost: of another's packet, twice, beyond the plan, another amount", async () => {
  const [first, second] = await paidRain('odd', 2, 2);
  const rows = [
    payment(first!),
    payment(first!),
    payment(second!, '9.00'),
    payment(win('odd-0', 'thief')),
    payment(win('odd-5', 'user-1')),
    payment(win('odd-6', 'ann', '5.00')),
    payment(win('odd-10', 'bob')),
    payment(win('odd-7', 'eve')),
    payment(win('odd-7', 'joe')),
    '1795000000000,odd-8,1.00',
  ];
  const found = (await compareRain(context, 'odd', await payments(...rows)))!;
  expect(found.differences.map(({ kind, redPacketId, userId }) => [kind, redPacketId, userId])).toEqual([
    ['paid_differs', 'odd-0', 'user-0'],
    ['paid_differs', 'odd-1', 'user-1'],
    ['paid_differs', 'odd-0', 'thief'],
    ['paid_contested', 'odd-5', 'user-1'],
    ['paid_unverified', 'odd-6', 'ann'],
    ['paid_unverified', 'odd-10', 'bob'],
    ['paid', 'odd-7', 'eve'],
    ['paid_contested', 'odd-7', 'joe'],
    ['paid_unverified', 'odd-8', undefined],
  ]);
});

test('of a settled rain nothing more is paid', async () => {
  const [first] = await paidRain('over', 1, 1);
  await closeRain(context, 'over');
  await context.credit();
  expect(await settleRain(context, 'over', (await findRain(context.redis, 'over'))!)).toEqual({ outcome: 'settled' });
  expect(
    (await compareRain(context, 'over', await payments(payment(first!), payment(win('over-5', 'ann')))))!.counts,
  ).toEqual({ paid_contested: 1 });
});

test('all rains at once: one statement, with a rain that only the wallet knows, one that only Redis knows, and payments that are none of ours', async () => {
  const claims = await paidRain('known', 2, 1);
  const gone = await paidRain('gone', 1, 1);
  await context.redis.flushall();
  await forgetRain(context, 'gone');
  await stockRain(context.redis, { rainId: 'redis-only', amounts: ['1.00'] });
  const statement = await payments(
    ...claims.map((claim) => payment(claim)),
    payment(gone[0]!),
    payment(win('redis-only-0', 'ann')),
    '1795000000000,order-7,5.00',
    '1795000000000,invoice 7,5.00',
  );
  const found = new Map((await checkAll(statement)).map(({ rainId, counts }) => [rainId, counts]));
  expect(found.get('known')).toEqual({ missing: 1, paid: 1 });
  expect(found.get('gone')).toEqual({ paid_of_lost_rain: 1 });
  expect(found.get('redis-only')).toEqual({ not_in_book: 1, paid_of_lost_rain: 1 });
  expect([found.has('order'), statement.others()]).toEqual([false, 2]);
});
