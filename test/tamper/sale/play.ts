import { auditSale } from '../../../src/operator/sale/audit.ts';
import { findLostSales } from '../../../src/operator/sale/lost.ts';
import { readOrderLetters } from '../../../src/orders/deadLetters.ts';
import { holdsUnits } from '../../../src/sale/order.ts';
import { eventually } from '../../support/eventually.ts';
import type { Deployment } from '../../faults/deployment.ts';
import type { Played } from '../play.ts';
import { ActRefused } from '../scene.ts';
import { openSaleScene, PRICE, UNITS, type SaleAct, type SaleScene } from './scene.ts';

const EARLY = 6;
/** More than there is for. */
const LATE = 18;
const NOTICED_WITHIN_MS = 90_000;
const WRITTEN_WITHIN_MS = 20_000;

/**
 * Honest buyers buy, the act is done, more honest buyers come; then everything that was told is compared with the
 * ledger.
 */
export async function playSale(
  deployment: Deployment,
  keptBy: Pick<SaleScene, 'queues' | 'shop'>,
  act: SaleAct,
  saleId: string,
): Promise<Played> {
  const scene = await openSaleScene(deployment, keptBy, saleId, act.opensInMs ?? -1_000);
  const names = (group: string, count: number) => Array.from({ length: count }, (_, i) => `${saleId}-${group}-${i}`);
  try {
    if (act.opensInMs === undefined) {
      await scene.buyers.buy(names('early', EARLY));
      await eventually(async () => (await scene.ledger.orderCounts(saleId)).orders >= EARLY, {
        timeoutMs: WRITTEN_WITHIN_MS,
      });
    }
    const refused = await act.strike(scene).then(
      () => undefined,
      (error: unknown) => {
        if (error instanceof ActRefused) return `refused: ${error.message}`;
        throw error;
      },
    );
    await scene.buyers.buy(names('late', LATE));
    const noticed =
      refused ??
      (await eventually(() => noticedBy(deployment, scene, act), {
        timeoutMs: NOTICED_WITHIN_MS,
        everyMs: 1_000,
      }).catch(() => ''));
    const open = await untilDecided(deployment, scene);
    return {
      act: act.name,
      noticed,
      paidWrongly: await wrongOrders(scene, act),
      untold: [
        ...(noticed ? [] : ['nobody noticed it']),
        ...open,
        ...scene.buyers.wrong(),
        ...((await act.untrue?.(scene)) ?? []),
        ...(await toldToShop(scene)),
      ],
    };
  } finally {
    await scene.buyers.leave();
  }
}

/** @returns ends that the shop was told and that the ledger does not have */
async function toldToShop({ saleId, ledger, shop }: SaleScene): Promise<string[]> {
  const ended = [...(shop?.ended.values() ?? [])].filter((one) => one.saleId === saleId);
  const orders = await Promise.all(ended.map(({ orderId }) => ledger.order(orderId)));
  return ended.flatMap(({ orderId, status }, i) =>
    orders[i]?.status === status
      ? []
      : [`the shop was told that ${orderId} is ${status}; it is ${orders[i]?.status ?? 'no order'}`],
  );
}

/** The signs that an operator sees without looking for them, or in the audit. */
async function noticedBy({ context }: Deployment, scene: SaleScene, act: SaleAct): Promise<string | false> {
  const { saleId, redis, keys, queues } = scene;
  if (await act.healed?.(scene)) return 'without effect';
  const { letters } = await readOrderLetters(queues.dead, { saleId, limit: 10 });
  if (letters[0]) return `dead letter: ${letters[0].reason}`;
  if ((await redis.hget(keys.state, 'state')) === 'paused') return 'the sale is paused';
  if ((await findLostSales(context)).includes(saleId)) return 'the sale is missing in Redis';
  const audit = await auditSale(context, saleId);
  return audit && !audit.report.balanced ? `audit: ${audit.problems[0]}` : false;
}

/** @returns buyers whose reservation is neither an order of theirs, nor told to have failed, nor named by the audit */
async function untilDecided(
  { context, rain }: Deployment,
  { saleId, buyers, ledger, thief }: SaleScene,
): Promise<string[]> {
  const undecided = async () => {
    const open: string[] = [];
    for (const { userId, reservationId, statuses } of buyers.told()) {
      const order = await ledger.order(reservationId);
      if (userId !== thief && order?.userId !== userId && !statuses.includes('failed'))
        open.push(`${userId} was told ${reservationId}`);
    }
    return open;
  };
  await eventually(async () => (await undecided()).length === 0, { timeoutMs: WRITTEN_WITHIN_MS, everyMs: 500 }).catch(
    () => {},
  );
  if ((await undecided()).length === 0) return [];
  // An operator does what the alert says; what it refuses, the audit still names.
  const way = (await findLostSales(context)).includes(saleId) ? ['load', saleId] : ['audit', saleId, '--repair'];
  await rain('sale', ...way).catch(() => {});
  await eventually(async () => (await undecided()).length === 0, { timeoutMs: WRITTEN_WITHIN_MS, everyMs: 500 }).catch(
    () => {},
  );
  const open = await undecided();
  if (open.length === 0) return [];
  const { problems } = (await auditSale(context, saleId))!;
  return open.filter(
    (sentence) =>
      !problems.some(
        (problem) => problem.includes(sentence.split(' ').at(-1)!) || problem.includes('has lost the sale'),
      ),
  );
}

/**
 * Orders that the plan does not hold, or that nobody was told of, and buyers who were told an order that is not theirs.
 */
async function wrongOrders({ saleId, ledger, buyers, thief }: SaleScene, act: SaleAct): Promise<string[]> {
  const wrong: string[] = [];
  const orders = await ledger.orders({ saleId });
  const told = new Map(buyers.told().map((one) => [`${one.userId} ${one.reservationId}`, one]));
  for (const { id, userId, price, quantity } of orders) {
    if (price !== PRICE) wrong.push(`the order ${id} is at ${price}`);
    if (!told.has(`${userId} ${id}`) && !act.writesOrders)
      wrong.push(`${userId} has the order ${id} of ${quantity}, and was not told of it`);
  }
  const held = orders.filter(({ status }) => holdsUnits(status)).reduce((sum, { quantity }) => sum + quantity, 0);
  if (held > UNITS) wrong.push(`${held} units are in orders, and there are ${UNITS}`);
  for (const { userId, reservationId, statuses } of told.values()) {
    const order = orders.find(({ id }) => id === reservationId);
    const isTold = statuses.some((status) => status === 'created' || status === 'paid');
    const isDeleted = order === undefined && act.name.includes('deleted by a superuser');
    if (userId !== thief && isTold && order?.userId !== userId && !isDeleted)
      wrong.push(
        `${userId} was told that ${reservationId} is ${statuses.at(-1)}; ${order ? `it is of ${order.userId}` : 'there is no such order'}`,
      );
  }
  return wrong;
}
