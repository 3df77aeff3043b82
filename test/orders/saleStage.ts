import { createReserveEngine, type Purchase, type ReserveAnswer } from '../../src/grab/reserve.ts';
import type { NewSale } from '../../src/ledger/sales.ts';
import { parseReservation, type Reservation } from '../../src/sale/reservation.ts';
import { readLog, redisNow } from '../../src/store/rains.ts';
import { saleKeys } from '../../src/store/saleKeys.ts';
import { draftSale } from '../../src/store/sales.ts';
import { wishToCancel as wish } from '../../src/store/cancelWish.ts';
import type { TestContext } from '../support/operatorContext.ts';
import { signer } from '../support/signer.ts';

type Stage = Pick<TestContext, 'redis' | 'ledger'>;

/** A sale that is open, in both stores: ten tees and five mugs, for ten minutes, held for a minute. */
export async function openedSale(
  { redis, ledger }: Stage,
  id: string,
  differing: Partial<NewSale> = {},
): Promise<NewSale> {
  const now = await redisNow(redis);
  const sale: NewSale = {
    id,
    title: id,
    opensAt: now - 1_000,
    closesAt: now + 600_000,
    holdMs: 60_000,
    orderService: 'builtin',
    items: [
      { sku: 'tee', units: 10, price: '19.90' },
      { sku: 'mug', units: 5, price: '9.90' },
    ],
    ...differing,
  };
  await ledger.createSale(sale, 'test');
  const { title, opensAt, closesAt, holdMs, perUserMax, items, rehearsal } = sale;
  await draftSale(redis, {
    saleId: id,
    title,
    opensAt,
    closesAt,
    holdMs,
    perUserMax,
    items,
    ...(rehearsal && { rehearsal }),
  });
  await redis.hset(saleKeys(id).state, 'state', 'loaded');
  await ledger.record({ actor: 'test', verb: 'load', rainId: id });
  return sale;
}

export async function reserve(
  { redis }: Stage,
  saleId: string,
  purchases: readonly Purchase[],
): Promise<ReserveAnswer[]> {
  const engine = createReserveEngine(redis, signer, (fault) => {
    throw fault;
  });
  const answers: ReserveAnswer[] = [];
  for (let at = 0; at < purchases.length; at += 256)
    answers.push(...(await engine.reserve(saleId, purchases.slice(at, at + 256))));
  return answers;
}

/** Users u1, u2 … reserve one tee each. @returns the ids of their reservations */
export async function reserveTees(stage: Stage, saleId: string, users: number, first = 1): Promise<string[]> {
  const answers = await reserve(
    stage,
    saleId,
    Array.from({ length: users }, (_, i) => ({ userId: `u${first + i}`, sku: 'tee', quantity: 1 })),
  );
  return answers.flatMap((answer) => ('reservationId' in answer ? [answer.reservationId] : []));
}

/** The reservation log, oldest first. */
export async function reservationLog(
  { redis }: Pick<Stage, 'redis'>,
  saleId: string,
  from = 0,
): Promise<Reservation[]> {
  const { reservations } = saleKeys(saleId);
  const length = await redis.llen(reservations);
  if (length <= from) return [];
  return (await readLog(redis, reservations, from, length)).map((entry) => {
    const parsed = parseReservation(entry);
    if (!parsed.ok) throw new Error(parsed.reason);
    return parsed.reservation;
  });
}

/** The work of the relay and the order worker: every reservation of the log becomes an order. */
export async function writeLog(stage: Stage, saleId: string): Promise<void> {
  const log = await reservationLog(stage, saleId);
  for (let at = 0; at < log.length; at += 1_000) await stage.ledger.writeOrders(log.slice(at, at + 1_000));
}

/** A buyer wishes to cancel. */
export async function wishToCancel(
  { redis }: Pick<Stage, 'redis'>,
  saleId: string,
  userId: string,
  ordinal: number,
): Promise<unknown> {
  return wish(redis, signer, saleId, userId, ordinal);
}
