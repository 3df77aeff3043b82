import { randomUUID } from 'node:crypto';
import type { OperatorContext } from '../operator/context.ts';
import { auditSale, type SaleAudit } from '../operator/sale/audit.ts';
import { restoreTickets } from '../operator/tickets.ts';
import type { Logger } from '../platform/telemetry/log.ts';
import { saleKeys } from '../store/saleKeys.ts';
import { liveSales, readSaleCounts, type LiveSale } from '../store/sales.ts';
import { startAuditLoop, type AuditTiming, type Watched } from './auditLoop.ts';
import { PROBLEMS_LOGGED_MAX, RAINS_REPORTED_MAX, TICKETS_RESTORED } from './auditor.ts';
import { createSaleResponse } from './saleTampering.ts';
import type { OnTampering } from './tamperingResponse.ts';

export interface SaleAuditorOptions extends Partial<AuditTiming> {
  context: OperatorContext;
  log: Logger;
  onTampering?: OnTampering | undefined;
}

/**
 * A sale sells out in seconds, so small ones are looked at more often than rains; of big ones the audits take 5 % of
 * the time all the same.
 */
const PAUSE_MS_MIN = 1_000;
/** Messages to buyers do not change the counts: a sale without changes is audited so often. */
const QUIET_MS = 5_000;

export type WatchedSale = Watched<SaleAudit>;
export type SaleAuditor = ReturnType<typeof startSaleAuditor>;

/**
 * Audits the live sales in the background. It logs when units stop adding up, and when they add up again, brings back
 * what a failover of Redis has lost, and stops a sale that was tampered with.
 */
export function startSaleAuditor({
  context,
  log,
  owner = randomUUID(),
  onTampering = 'pause',
  pauseMsMin = PAUSE_MS_MIN,
  quietMs = QUIET_MS,
  ...timing
}: SaleAuditorOptions) {
  const response = createSaleResponse({ context, log, onTampering });
  return startAuditLoop<LiveSale, SaleAudit>({
    redis: context.redis,
    log,
    owner,
    pauseMsMin,
    quietMs,
    ...timing,
    audited: {
      label: (saleId) => ({ saleId }),
      async live() {
        const live = await liveSales(context.redis);
        // By the ledger, as with rains.
        const sales = await context.ledger.sales(RAINS_REPORTED_MAX, 'unsettled');
        return new Map(sales.flatMap(({ id }): [string, LiveSale][] => (live.has(id) ? [[id, live.get(id)!]] : [])));
      },
      leaseKey: (saleId) => saleKeys(saleId).auditor,
      readCounts: (saleId) => readSaleCounts(context.redis, saleId),
      audit: (saleId) => auditSale(context, saleId),
      isBalanced: ({ report }) => report.balanced,
      isAtRest: ({ pending }) => pending.length === 0,
      report(saleId, { report, problems }) {
        if (report.balanced) log.warn({ saleId }, 'the units of the sale add up again');
        else
          log.error(
            { saleId, problems: problems.length, first: problems.slice(0, PROBLEMS_LOGGED_MAX) },
            'THE UNITS OF A LIVE SALE DO NOT ADD UP; check it with: rain sale audit',
          );
      },
      async respond(saleId, _live, audit) {
        const healed = await response.respond(saleId, audit);
        if (await restoreTickets(context, 'sale', saleId, 1)) log.warn({ saleId }, TICKETS_RESTORED);
        return healed;
      },
      forget: response.forget,
    },
  });
}
