import { auditSale } from '../../../src/operator/sale/audit.ts';
import type { OperatorContext } from '../../../src/operator/context.ts';
import { holdsUnits } from '../../../src/sale/order.ts';
import { falseAlarms } from '../falseAlarms.ts';
import type { HonestBuyers } from '../users/honestBuyers.ts';
import type { Verdict } from '../verdict.ts';

interface JudgedSale {
  saleId: string;
  units: number;
  price: string;
  buyers: HonestBuyers;
  /** Whether Redis may have lost what it had not copied: then a buyer may be told that a reservation has failed. */
  mayFail?: boolean;
}

/** Checks a sale: told reservations = orders, each once, no unit sold twice, and the audit agrees. */
export async function checkSale(
  context: OperatorContext,
  { saleId, units, price, buyers, mayFail = false }: JudgedSale,
): Promise<Verdict> {
  const problems = buyers.wrong();
  const orders = await context.ledger.orders({ saleId }, 10_000);
  const orderOf = new Map(orders.map((order) => [order.id, order]));
  const told = buyers.told();
  let lost = 0;
  for (const { userId, reservationId, statuses } of told) {
    if (orderOf.get(reservationId)?.userId === userId) continue;
    if (mayFail && statuses.includes('failed')) continue;
    lost++;
    problems.push(
      `${userId} was told ${reservationId} (${statuses.join(', ')}); ${orderOf.has(reservationId) ? `it is of ${orderOf.get(reservationId)!.userId}` : 'it has no order'}`,
    );
  }
  const names = new Set(told.map(({ userId, reservationId }) => `${userId} ${reservationId}`));
  const untold = orders.filter(({ id, userId }) => !names.has(`${userId} ${id}`));
  // A master that dies may have answered nobody; the order ends by itself.
  if (!mayFail)
    for (const { id, userId } of untold) problems.push(`${userId} has the order ${id} and was never told of it`);
  const buyersOf = new Set<string>();
  let doubled = 0;
  for (const { userId, status } of orders) {
    if (!holdsUnits(status)) continue;
    if (buyersOf.has(userId)) doubled++;
    buyersOf.add(userId);
  }
  for (const order of orders) if (order.price !== price) problems.push(`${order.id} is at ${order.price}`);
  doubled += Math.max(
    0,
    orders.filter(({ status }) => holdsUnits(status)).reduce((sum, { quantity }) => sum + quantity, 0) - units,
  );
  const { report, problems: found } = (await auditSale(context, saleId))!;
  if (!report.balanced) problems.push(`[R8] the audit: ${JSON.stringify(report.items)} ${found.join('; ')}`);
  problems.push(...(await falseAlarms(context, saleId)));
  return { acknowledged: told.length, lost, doubled, problems };
}
