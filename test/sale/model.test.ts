import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createReserveEngine } from '../../src/grab/reserve.ts';
import { randomSource } from '../../src/rain/fairness.ts';
import type { Item } from '../../src/sale/item.ts';
import type { OrderStep } from '../../src/sale/order.ts';
import { parseReservation } from '../../src/sale/reservation.ts';
import { saleKeys } from '../../src/store/saleKeys.ts';
import { addUnits, draftSale, follow, parseHeld, readSale } from '../../src/store/sales.ts';
import { openTestContext, type TestContext } from '../support/operatorContext.ts';
import { ModelSale } from './modelSale.ts';
import { signer } from '../support/signer.ts';

const SEED = process.env['MODEL_SEED'] ?? randomBytes(4).toString('hex');
const RUNS = Number(process.env['MODEL_RUNS'] ?? 30);
const STEPS = 60;

let context: TestContext;
beforeAll(async () => {
  context = await openTestContext();
});
afterAll(() => context?.stop());

const QUANTITIES = ['1', '1', '1', '2', '3', '0', '-10', '1.5', '1e16', '01', '', ' 1', '99999'];

test(`[R1][R2][R8][R11] whatever is bought, paid, released and asked again in whatever order, the sale in Redis is that of the model (MODEL_SEED ${SEED})`, async () => {
  const { redis } = context;
  const engine = createReserveEngine(redis, signer, (fault) => {
    throw fault;
  });
  for (let run = 0; run < RUNS; run++) {
    const chance = randomSource(SEED.repeat(8).slice(0, 64), `sale ${run}`);
    const pick = <T>(list: readonly T[]): T => list[chance.belowNumber(list.length)]!;
    const saleId = `model-${run}`;
    const items: Item[] = ['tee', 'mug', 'hat'].map((sku) => ({
      sku,
      units: 1 + chance.belowNumber(9),
      price: '19.90',
      perOrderMax: 1 + chance.belowNumber(3),
      perUserMax: 1 + chance.belowNumber(4),
    }));
    const perUserMax = 1 + chance.belowNumber(6);
    expect(
      await draftSale(redis, {
        saleId,
        title: saleId,
        opensAt: 1,
        closesAt: 9_999_999_999_999,
        holdMs: 60_000,
        perUserMax,
        items,
      }),
    ).toBe('created');
    await redis.hset(saleKeys(saleId).state, 'state', 'loaded');
    const model = new ModelSale(items, perUserMax);
    for (let step = 0; step < STEPS; step++) {
      const where = { SEED, run, step };
      const what = chance.belowNumber(10);
      if (what < 6) {
        const purchases = Array.from({ length: 1 + chance.belowNumber(8) }, () => ({
          userId: `u${chance.belowNumber(7)}`,
          sku: pick(['tee', 'mug', 'hat', 'hat', 'none']),
          quantity: pick(QUANTITIES),
          ref: pick(['', '', 'a', 'b', `r${chance.belowNumber(40)}`]),
        }));
        const answers = await engine.reserve(
          saleId,
          purchases.map(({ ref, ...one }) => ({ ...one, ...(ref !== '' && { ref }) })) as never,
        );
        expect({
          where,
          answers: answers.map((answer) =>
            'reservationId' in answer
              ? `${answer.code} ${answer.reservationId.slice(saleId.length + 1)} ${answer.status}`
              : answer.code,
          ),
        }).toEqual({
          where,
          answers: purchases.map(({ userId, sku, quantity, ref }) => model.reserve(userId, sku, quantity, ref)),
        });
      } else if (what < 9 && model.reservations.length > 0) {
        const one = pick(model.reservations);
        const [to, toStock] = [
          pick<OrderStep | 'created'>(['created', 'paid', 'cancelled', 'timed_out', 'failed', 'refunded']),
          chance.belowNumber(4) > 0,
        ];
        if (model.step(one, to, toStock)) {
          const status = { userId: one.userId, ordinal: one.ordinal, status: to, toStock };
          // The follower may come twice, and late.
          expect({
            where,
            done: await follow(redis, saleId, chance.belowNumber(2) === 0 ? [status] : [status, status]),
          }).toMatchObject({ where, done: expect.arrayContaining(['changed']) as string[] });
        }
      } else {
        const [sku, units, ordinal] = [
          pick(['tee', 'mug', 'none']),
          1 + chance.belowNumber(3),
          1 + chance.belowNumber(5),
        ];
        if ((await addUnits(redis, saleId, { ordinal, sku, units })) === 'added')
          model.units.set(sku, model.units.get(sku)! + units);
      }
      const stored = (await readSale(redis, saleId))!;
      expect({
        where,
        items: stored.items.map(({ sku, units, booked, sold, returned }) => ({ sku, units, booked, sold, returned })),
      }).toEqual({
        where,
        items: items.map(({ sku }) => ({
          sku,
          units: model.units.get(sku),
          booked: model.booked(sku),
          sold: model.sold(sku),
          returned: model.returned.get(sku) ?? 0,
        })),
      });
      for (const { units, booked, returned } of stored.items)
        expect(booked >= 0 && booked + returned <= units).toBe(true);
      expect([stored.made, stored.logged]).toEqual([model.reservations.length, model.reservations.length]);
    }
    const log = (await redis.lrange(saleKeys(saleId).reservations, 0, -1))
      .reverse()
      .map((entry) => parseReservation(entry));
    expect(
      log.map(
        (parsed) =>
          parsed.ok && [
            parsed.reservation.reservationId,
            parsed.reservation.userId,
            parsed.reservation.sku,
            parsed.reservation.quantity,
            parsed.reservation.ref ?? '',
          ],
      ),
    ).toEqual(
      model.reservations.map(({ ordinal, userId, sku, quantity, ref }) => [
        `${saleId}-${ordinal}`,
        userId,
        sku,
        quantity,
        ref,
      ]),
    );
    for (const [userId, entry] of Object.entries(await redis.hgetall(saleKeys(saleId).buyers))) {
      expect(parseHeld(entry)?.map(({ ordinal, status }) => [ordinal, status])).toEqual(
        model.reservations.filter((one) => one.userId === userId).map(({ ordinal, status }) => [ordinal, status]),
      );
    }
  }
}, 120_000);
