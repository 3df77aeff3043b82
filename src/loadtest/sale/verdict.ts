import { figure } from '../../rain/figures.ts';
import type { ItemEquation } from '../../sale/equation.ts';
import { holdsUnits, type OrderStatus } from '../../sale/order.ts';
import type { SaleSwarmReport } from './report.ts';
import type { ToldOrder } from './toldOrders.ts';

/** An order as the ledger has it. */
export interface AuditedOrder {
  id: string;
  userId: string;
  sku: string;
  quantity: number;
  price: string;
  status: OrderStatus;
}

/** Facts about the sale besides the messages to the buyers. */
export interface SaleAudit {
  saleId: string;
  /** All orders of the buyers of the swarm. */
  orders: AuditedOrder[];
  /**
   * Whether the equation holds for each item, over all buyers; `items`: only when nothing changed while the orders were
   * read. Absent: it was not computed.
   */
  equation?: { items: ItemEquation[]; balanced: boolean };
}

const PROBLEMS_MAX = 10;

/**
 * By the messages alone, and with the audit also: whoever was told "yours" has exactly this order, and nobody has
 * another one.
 */
export function checkSale(report: SaleSwarmReport, audit?: SaleAudit): { balanced: boolean; sentence: string } {
  const problems = [...contradictions(report), ...(audit ? differences(report, audit) : [])];
  const { reservations, buyers } = report.told;
  const told = `${figure(buyers)} ${buyers === 1 ? 'buyer was' : 'buyers were'} told ${figure(reservations)} ${reservations === 1 ? 'reservation' : 'reservations'}`;
  if (problems.length > 0) {
    const more = problems.length - PROBLEMS_MAX;
    return {
      balanced: false,
      sentence: `The sale does NOT add up: ${told}; ${problems.slice(0, PROBLEMS_MAX).join('; ')}${more > 0 ? `; and ${figure(more)} more` : ''}.`,
    };
  }
  const asAudited = audit
    ? `, each is an order of the ledger, and there is no other order${audit.equation ? '; every item balances to the unit' : ''}`
    : '; not compared with the ledger';
  return { balanced: true, sentence: `The sale adds up: ${told}${asAudited}.` };
}

function contradictions({ faults, faultExamples }: SaleSwarmReport): string[] {
  const further = faults - faultExamples.length;
  return [...faultExamples, ...(further > 0 ? [`and ${figure(further)} more faults of this kind`] : [])];
}

function differences(report: SaleSwarmReport, audit: SaleAudit): string[] {
  if (audit.saleId !== report.saleId) return [`the audit is for ${audit.saleId}, not for ${report.saleId}`];
  const booked = new Map(audit.orders.map((order) => [order.id, order]));
  const told = new Set(report.orders.map(({ reservationId }) => reservationId));
  return [
    ...report.orders.flatMap((order) => compare(order, booked.get(order.reservationId))),
    // A purchase without an answer may have been made; its buyer has not heard of it.
    ...untold(
      audit.orders.filter(({ id }) => !told.has(id)),
      report,
    ),
    ...(audit.equation ? itemProblems(audit, audit.equation) : []),
  ];
}

function compare(told: ToldOrder, order: AuditedOrder | undefined): string[] {
  const { reservationId, userId, sku, quantity, price, status } = told;
  if (!order) return [`${userId} was told ${reservationId}, and there is no such order`];
  if (order.userId !== userId || order.sku !== sku || order.quantity !== quantity || order.price !== price) {
    return [
      `${userId} was told ${reservationId} as ${quantity} × ${sku} at ${price}, and the ledger has ${order.quantity} × ${order.sku} at ${order.price} of ${order.userId}`,
    ];
  }
  return isPossible(status, order.status)
    ? []
    : [`${userId} was told that ${reservationId} is ${status}, and in the ledger it is ${order.status}`];
}

/** Whether an order that was told as `told` may be `now` in the ledger: it may have gone on, and never back. */
function isPossible(told: OrderStatus, now: OrderStatus): boolean {
  if (told === now || told === 'reserved') return true;
  if (told === 'created') return now !== 'reserved';
  return told === 'paid' && now === 'refunded';
}

function untold(orders: readonly AuditedOrder[], { purchases, endings }: SaleSwarmReport): string[] {
  const count = (list: SaleSwarmReport['purchases'], what: (name: string) => boolean) =>
    list.filter(({ name }) => what(name)).reduce((sum, one) => sum + one.count, 0);
  const unheard = count(purchases, (name) => name === 'unanswered') + count(endings, (name) => name === 'aborted');
  return orders.length > unheard
    ? orders.map(({ id, userId }) => `the ledger has ${id} of ${userId}, of which nobody was told`)
    : [];
}

function itemProblems({ orders }: SaleAudit, { items, balanced }: NonNullable<SaleAudit['equation']>): string[] {
  const problems = balanced ? [] : ['the audit itself does not add up'];
  for (const { sku, units, sold, reserved, pending } of items) {
    const held = orders
      .filter((order) => order.sku === sku && holdsUnits(order.status))
      .reduce((sum, { quantity }) => sum + quantity, 0);
    if (held > units) problems.push(`${figure(held)} of ${figure(units)} units of ${sku} are in orders`);
    if (held > sold + reserved + pending)
      problems.push(
        `the audit counts ${figure(sold + reserved + pending)} units of ${sku} in orders, and the orders hold ${figure(held)}`,
      );
  }
  return problems;
}
