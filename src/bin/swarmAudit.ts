import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { auditRain, type Audit } from '../operator/audit.ts';
import type { OperatorContext } from '../operator/context.ts';
import { auditSale, type SaleAudit as Audited } from '../operator/sale/audit.ts';
import { wonByOthers } from '../operator/winners/others.ts';
import type { AuditedOrder, SaleAudit } from '../loadtest/sale/verdict.ts';
import type { Share } from '../rain/equation.ts';
import { configure } from './context.ts';
import type { Terminal } from './terminal.ts';

const AUDIT_TRIES = 100;
const AGAIN_MS = 100;

const ORDERS_PER_PAGE = 1_000;

/** On another machine than the servers' there is no audit: only the answers to the users can be checked. */
export function canAudit({ environment }: Terminal): boolean {
  const { REDIS_URL, DATABASE_URL } = configure(environment, []);
  return REDIS_URL !== undefined && DATABASE_URL !== undefined;
}

/** Whether a user id belongs to the swarm: `<prefix>0`, `<prefix>1` … */
export function swarmUsers(users: number, prefix = 'bot-'): (userId: string) => boolean {
  return (userId) => {
    const index = userId.startsWith(prefix) ? userId.slice(prefix.length) : '';
    return /^(0|[1-9]\d*)$/.test(index) && Number(index) < users;
  };
}

/**
 * Audits until nothing is pending and no other user wins meanwhile, or the tries are used up. Empty when there is no
 * such rain.
 */
export async function auditBeside(
  context: OperatorContext,
  rainId: string,
  isOfSwarm: (userId: string) => boolean,
): Promise<{ audit?: Audit; others?: Share }> {
  let others = await wonByOthers(context, rainId, isOfSwarm);
  for (let tries = 1; ; tries++) {
    const audit = await auditRain(context, rainId);
    if (!audit) return {};
    const after = await wonByOthers(context, rainId, isOfSwarm);
    const still = after.count === others.count && audit.equation.pending.count === 0;
    if (still || tries === AUDIT_TRIES) return { audit, others: after };
    others = after;
    await sleep(AGAIN_MS);
  }
}

export interface SaleBeside {
  audit: Audited;
  /** The orders of the swarm, and what the audit says of all. */
  checked: SaleAudit;
}

/**
 * The audit of a sale and the orders of the swarm, of one moment: read again until nothing changed meanwhile and all
 * that were told are orders, or the tries are used up.
 * @returns undefined: there is no such sale
 */
export async function auditSaleBeside(
  context: OperatorContext,
  saleId: string,
  isOfSwarm: (userId: string) => boolean,
  told: readonly string[],
): Promise<SaleBeside | undefined> {
  let before = await auditSale(context, saleId);
  for (let tries = 1; ; tries++) {
    const orders = await ordersOf(context, saleId, isOfSwarm);
    const audit = await auditSale(context, saleId);
    if (!audit) return undefined;
    const written = new Set(orders.map(({ id }) => id));
    const {
      report: { items, balanced },
    } = audit;
    const still =
      isDeepStrictEqual(items, before?.report.items) &&
      audit.pending.length === 0 &&
      told.every((id) => written.has(id));
    if (still || tries === AUDIT_TRIES)
      return { audit, checked: { saleId, orders, equation: { items: still ? items : [], balanced } } };
    before = audit;
    await sleep(AGAIN_MS);
  }
}

async function ordersOf(
  { ledger }: Pick<OperatorContext, 'ledger'>,
  saleId: string,
  isOfSwarm: (userId: string) => boolean,
): Promise<AuditedOrder[]> {
  const orders: AuditedOrder[] = [];
  for (
    let page = await ledger.orders({ saleId }, ORDERS_PER_PAGE);
    page.length > 0;
    page = await ledger.orders({ saleId, after: page.at(-1)!.id }, ORDERS_PER_PAGE)
  ) {
    orders.push(...page.filter(({ userId }) => isOfSwarm(userId)));
  }
  return orders;
}
