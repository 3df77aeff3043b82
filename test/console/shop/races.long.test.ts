import { afterAll, beforeAll, expect, test } from 'vitest';
import { startExpirer } from '../../../src/orders/expirer.ts';
import { startFollower } from '../../../src/orders/follower.ts';
import { createLog } from '../../../src/platform/telemetry/log.ts';
import { isBalanced } from '../../../src/sale/equation.ts';
import { sampleSale } from '../../orders/saleSample.ts';
import { openedSale, reserveTees, writeLog } from '../../orders/saleStage.ts';
import { eventually } from '../../support/eventually.ts';
import { signer } from '../../support/signer.ts';
import { openShopStage, type ShopStage } from './stage.ts';

const WAVES = 10;
const WAVE = 100;
const RACES = WAVES * WAVE;
/** Reports under way at once. */
const AT_ONCE = 25;

let stage: ShopStage;
beforeAll(async () => {
  stage = await openShopStage();
});
afterAll(() => stage?.stop());

/** Buyers reserve, and the shop reports each payment at a moment of its own around the deadline. */
async function wave(first: number) {
  const ids = await reserveTees(stage, 'race', WAVE, first);
  expect(ids).toHaveLength(WAVE);
  await writeLog(stage, 'race');
  const dueAt = (await stage.ledger.order(ids[0]!))!.payBy;
  const answers: [string, Awaited<ReturnType<ShopStage['report']>>][] = [];
  await Promise.all(
    Array.from({ length: AT_ONCE }, async (_, lane) => {
      for (let i = lane; i < WAVE; i += AT_ONCE) {
        await eventually(() => Date.now() >= dueAt - 150 + (200 * i) / WAVE, { everyMs: 2, timeoutMs: 30_000 });
        answers.push([ids[i]!, await stage.report(ids[i]!, 'paid')]);
      }
    }),
  );
  return answers;
}

test(`of ${RACES} payments that a shop reports around the deadline, and as many time-outs, exactly one side wins each`, async () => {
  await openedSale(stage, 'race', { holdMs: 1_200, items: [{ sku: 'tee', units: RACES, price: '19.90' }] });
  const log = createLog('race', 'silent');
  const parts = [
    startExpirer({ ledger: stage.ledger, log, everyMs: 1, ordersMax: 3 }),
    startExpirer({ ledger: stage.ledger, log, everyMs: 1, ordersMax: 3 }),
    startFollower({ redis: stage.redis, ledger: stage.ledger, signer, log, everyMs: 20 }),
  ];
  try {
    const answers = [];
    for (let one = 0; one < WAVES; one++) answers.push(...(await wave(1 + one * WAVE)));
    await eventually(async () =>
      expect(await stage.ledger.orderCounts('race')).toMatchObject({ created: 0, unfollowed: 0 }),
    );
    const statuses = new Map((await stage.ledger.orders({ saleId: 'race' })).map(({ id, status }) => [id, status]));
    const [paid, late] = [
      answers.filter(([, { status }]) => status === 200),
      answers.filter(([, { status }]) => status === 409),
    ];
    expect(paid.length + late.length).toBe(RACES);
    // Otherwise it was no race.
    expect(Math.min(paid.length, late.length)).toBeGreaterThan(20);
    for (const [id, { body }] of paid) expect([statuses.get(id), body['outcome']]).toEqual(['paid', 'done']);
    for (const [id, { body }] of late) expect([statuses.get(id), body['code']]).toEqual(['timed_out', 'pay_back']);
    expect((await stage.letters('race')).map(({ index }) => `race-${index + 1}`).sort()).toEqual(
      late.map(([id]) => id).sort(),
    );
    const {
      equations: [equation],
      problems,
    } = await sampleSale(stage, 'race');
    expect(problems).toEqual([]);
    expect(isBalanced(equation!)).toBe(true);
    expect(equation).toMatchObject({ units: RACES, sold: paid.length, left: late.length, reserved: 0, pending: 0 });
  } finally {
    await Promise.all(parts.map((part) => part.close()));
  }
}, 120_000);
