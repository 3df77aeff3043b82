import { randomUUID } from 'node:crypto';
import { shardKeys } from '../store/keys.ts';
import { liveRains, type LiveRain } from '../store/rains.ts';
import { auditRain, type Audit } from '../operator/audit.ts';
import { summedOnce } from '../operator/audit/accounts.ts';
import type { OperatorContext } from '../operator/context.ts';
import { restoreTickets } from '../operator/tickets.ts';
import type { Logger } from '../platform/telemetry/log.ts';
import { startAuditLoop, type AuditTiming, type Watched } from './auditLoop.ts';
import { readCounts } from './rainCounts.ts';
import { createRainResponse } from './rainTampering.ts';
import type { OnTampering } from './tamperingResponse.ts';

export interface AuditorOptions extends Partial<AuditTiming> {
  context: OperatorContext;
  log: Logger;
  onTampering?: OnTampering;
}

export type WatchedRain = Watched<Audit>;
export type Auditor = ReturnType<typeof startAuditor>;

/** Live rains reported individually at most, so that memory and metric labels stay bounded [R10]. */
export const RAINS_REPORTED_MAX = 200;
/** It reads every account, and is the same for all rains. */
const SUM_EVERY_MS = 60_000;
export const PROBLEMS_LOGGED_MAX = 3;
export const TICKETS_RESTORED = 'the ticket rules in Redis were not those of the record; they were put right';

/**
 * Audits the live rains in the background. It logs when a rain stops being balanced, and when it is balanced again, and
 * stops a rain that was tampered with.
 */
export function startAuditor({ context, log, owner = randomUUID(), onTampering = 'pause', ...timing }: AuditorOptions) {
  const response = createRainResponse({ context, log, onTampering });
  let sumOfBalances = summedOnce(context);
  let summedAt = performance.now();
  return startAuditLoop<LiveRain, Audit>({
    redis: context.redis,
    log,
    owner,
    ...timing,
    audited: {
      label: (rainId) => ({ rainId }),
      async live() {
        const live = await liveRains(context.redis);
        if (performance.now() - summedAt >= SUM_EVERY_MS) {
          sumOfBalances = summedOnce(context);
          summedAt = performance.now();
        }
        // By the ledger: who can write to Redis could fill its index with rains that come before the real ones.
        const rains = await context.ledger.rains(RAINS_REPORTED_MAX, 'unsettled');
        return new Map(rains.flatMap(({ id }): [string, LiveRain][] => (live.has(id) ? [[id, live.get(id)!]] : [])));
      },
      leaseKey: (rainId) => shardKeys(rainId, 0).auditor,
      readCounts: (rainId, { shards }) => readCounts(context.redis, rainId, shards),
      audit: (rainId) => auditRain(context, rainId, sumOfBalances),
      isBalanced: ({ report }) => report.balanced,
      isAtRest: ({ equation }) => equation.pending.count === 0,
      report(rainId, { report, problems }) {
        if (report.balanced) log.warn({ rainId }, 'the money of the rain is balanced again');
        else
          log.error(
            { rainId, problems: problems.length, first: problems.slice(0, PROBLEMS_LOGGED_MAX) },
            'THE MONEY OF A LIVE RAIN IS NOT BALANCED; check it with: rain audit',
          );
      },
      async respond(rainId, { shards }, audit) {
        const healed = await response.respond(rainId, shards, audit);
        if (await restoreTickets(context, 'rain', rainId, shards)) log.warn({ rainId }, TICKETS_RESTORED);
        return healed;
      },
      forget: response.forget,
    },
  });
}
