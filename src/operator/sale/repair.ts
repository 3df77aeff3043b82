import { ENTRIES_MAX } from '../../credit/job.ts';
import { iso } from '../../rain/figures.ts';
import { release } from '../../store/saleTransitions.ts';
import { storable } from '../audit/tampering.ts';
import { refuse, type OperatorContext, type Refused } from '../context.ts';
import { auditSale, type SaleAudit } from './audit.ts';
import type { Logged, Untrue } from './audit/saleLog.ts';
import type { WrongField } from './audit/wrongField.ts';
import { healStatuses } from './healStatuses.ts';
import { restoreFields } from './restoreFields.ts';
import { restoreOrders } from './restoreOrders.ts';
import { resolveLostReservations } from './toldReservations.ts';
import { noSaleReason } from './lost.ts';

/** Sends reservations to the queue of orders once more: neighbours of the log, with their places. */
export type SendReservations = (saleId: string, from: number, entries: string[]) => Promise<void>;

/**
 * `counts`: what of Redis was put right, statuses included; `released`: whether a hold was ended; `complete`: false
 * when there are more reservations; run it again.
 */
type SaleRepaired =
  | { ok: true; reservations: number; jobs: number; counts: Put[]; released: boolean; complete: boolean }
  | Refused;
type Put = Pick<WrongField, 'field' | 'found' | 'right'>;

/** Limits of one repair [R10]. */
const RESERVATIONS_MAX = 50_000;
const STATUSES_NAMED_MAX = 100;

/**
 * Sends the reservations again that have no order, brings back what a failover has lost, and puts right what somebody
 * has changed in Redis: the sale itself, what buyers are told, and counts. A reservation that was already on its way
 * arrives twice, and its order is written once [R5]. Counts are only changed when log, buyers and ledger agree about
 * all else.
 */
export async function repairSale(
  context: OperatorContext,
  saleId: string,
  send: SendReservations,
  dryRun = false,
): Promise<SaleRepaired> {
  const found = await auditSale(context, saleId);
  if (!found) return refuse('id', await noSaleReason(context, saleId));
  const restored = dryRun ? found.wrongFields : await restoreTold(context, saleId, found);
  const statuses = found.untrue.slice(0, STATUSES_NAMED_MAX).map(statusOf);
  // The repaired faults stood in the way of the counts.
  const audit =
    dryRun || restored.length + statuses.length + found.lost.length === 0 ? found : (await auditSale(context, saleId))!;
  const pending = audit.pending.slice(0, RESERVATIONS_MAX);
  const jobs = neighbours(pending);
  const repaired = (counts: readonly WrongField[], released: boolean): SaleRepaired => ({
    ok: true,
    reservations: pending.length,
    jobs: jobs.length,
    counts: [
      ...[...restored, ...counts].map(({ field, found: was, right }) => ({ field, found: was, right })),
      ...statuses,
    ],
    released,
    complete: pending.length === audit.pending.length,
  });
  const isBehind = audit.hasLostSome || audit.behind.length > 0;
  if (dryRun || (pending.length === 0 && audit.wrongCounts.length === 0 && !isBehind && !audit.hold))
    return repaired(audit.wrongCounts, audit.hold?.isNeedless === true);
  await context.ledger.record({
    actor: context.actor,
    verb: 'repair',
    rainId: saleId,
    details: {
      reservations: pending.length,
      ...(audit.wrongCounts.length > 0 && {
        counts: audit.wrongCounts.map(({ field, found: was, right }) => ({ field, found: was, right })),
      }),
      ...(audit.hold && { held: storable(audit.hold.reason) }),
    },
  });
  // A failover of Redis has lost these statuses; the workers bring them back.
  if (isBehind) await restoreOrders(context, saleId);
  for (const { from, entries } of jobs) await send(saleId, from, entries);
  const counts = await restoreFields(context, saleId, audit.wrongCounts);
  return repaired(counts, audit.hold !== undefined && (await releaseNeedless(context, saleId)));
}

/** Ends a hold against which nothing else speaks any more. */
async function releaseNeedless(context: OperatorContext, saleId: string): Promise<boolean> {
  const hold = (await auditSale(context, saleId))?.hold;
  return hold?.isNeedless === true && (await release(context.redis, saleId, hold.reason));
}

/** Restores the buyers' view: the sale, and their reservations. @returns fields of the sale that were put right */
async function restoreTold(context: OperatorContext, saleId: string, audit: SaleAudit): Promise<WrongField[]> {
  const { wrongFields } = audit;
  if (wrongFields.length > 0)
    await context.ledger.record({
      actor: context.actor,
      verb: 'repair',
      rainId: saleId,
      details: {
        fields: wrongFields.map(({ field, found, right }) => ({ field, found: found.slice(0, FOUND_MAX), right })),
      },
    });
  const restored = await restoreFields(context, saleId, wrongFields);
  await healStatuses(context, saleId, audit);
  if (audit.lost.length > 0) {
    await context.ledger.record({
      actor: context.actor,
      verb: 'repair',
      rainId: saleId,
      details: { lost: audit.lost.length },
    });
    await resolveLostReservations(context, saleId, audit.lost);
  }
  return restored;
}

/** The most of a finding that is recorded, UTF-16 units [R10]. */
const FOUND_MAX = 200;

function statusOf({ userId, ordinal, found, right }: Untrue): Put {
  return {
    field: `${ordinal} of ${userId}`,
    found: `${found.status}, to be paid by ${iso(found.payBy)}`,
    right: `${right.status}, to be paid by ${iso(right.payBy)}`,
  };
}

/** Groups reservations into jobs: each holds a range of the log without gaps. */
function neighbours(pending: readonly Logged[]): { from: number; entries: string[] }[] {
  const jobs: { from: number; entries: string[] }[] = [];
  for (const { index, entry } of pending) {
    const last = jobs.at(-1);
    if (last && last.from + last.entries.length === index && last.entries.length < ENTRIES_MAX)
      last.entries.push(entry);
    else jobs.push({ from: index, entries: [entry] });
  }
  return jobs;
}
