import type { SaleAudit } from '../operator/sale/audit.ts';
import { restoreOrders } from '../operator/sale/restoreOrders.ts';
import { resolveLostReservations } from '../operator/sale/toldReservations.ts';
import type { OperatorContext } from '../operator/context.ts';
import type { Logger } from '../platform/telemetry/log.ts';
import { suspectNow } from '../operator/restore/behind.ts';
import { readEpoch } from '../store/epoch.ts';
import { healStatuses } from '../operator/sale/healStatuses.ts';
import { restoreFields } from '../operator/sale/restoreFields.ts';
import { storable } from '../operator/audit/tampering.ts';
import { saleHoldReasonOf } from '../store/holds.ts';
import { saleKeys } from '../store/saleKeys.ts';
import { pauseWhatever, release } from '../store/saleTransitions.ts';
import { createTamperingResponse, type OnTampering } from './tamperingResponse.ts';

/** Pauses a sale that was tampered with, ends a hold for nothing, and brings back what Redis has lost of the sale. */
export function createSaleResponse({
  context,
  log,
  onTampering,
}: {
  context: OperatorContext;
  log: Logger;
  onTampering: OnTampering;
}) {
  const { redis, ledger } = context;
  const response = createTamperingResponse({ ledger, log, onTampering, what: 'sale' });

  async function restore(saleId: string): Promise<number> {
    const restored = await restoreOrders(context, saleId);
    if (restored && restored.putBack + restored.behind > 0)
      log.warn(
        { saleId, putBack: restored.putBack, behind: restored.behind },
        'Redis had lost reservations or changes of orders; they were brought back from the ledger',
      );
    return restored ? restored.putBack + restored.behind : 0;
  }

  /** Stopping a sale is always safe; it goes on only when nothing else speaks against it. */
  async function restoreProgress(saleId: string, { wrongFields, isStateOnly }: SaleAudit): Promise<number> {
    const wrong = wrongFields.filter(({ field, right }) => field === 'state' && (right !== 'loaded' || isStateOnly));
    if (wrong.length === 0) return 0;
    await ledger.record({
      actor: context.actor,
      verb: 'repair',
      rainId: saleId,
      details: { fields: wrong.map(({ field, found, right }) => ({ field, found: storable(found), right })) },
    });
    const restored = await restoreFields(context, saleId, wrong);
    for (const { found, right } of restored)
      log.warn({ saleId, found, right }, 'the state of the sale in Redis was not that of the record; it was put right');
    return restored.length;
  }

  async function restoreTold(saleId: string, audit: Pick<SaleAudit, 'untrue' | 'untold'>): Promise<number> {
    const { corrected, told } = await healStatuses(context, saleId, audit);
    if (corrected + told > 0)
      log.warn(
        { saleId, corrected, told },
        'Redis told buyers what the ledger does not say, or had lost that reservations are refused; they are told what is so',
      );
    return corrected + told;
  }

  async function resolve(saleId: string, lost: SaleAudit['lost']): Promise<number> {
    const { putBack, refused } = await resolveLostReservations(context, saleId, lost);
    log.warn(
      { saleId, putBack, refused },
      'Redis had lost reservations that buyers were told; those whose units or numbers others have are refused, and their buyers are told that they have failed',
    );
    return putBack + refused;
  }

  async function letGo(saleId: string, reason: string): Promise<void> {
    // The comparison of the stores ends its own holds.
    if (saleHoldReasonOf(reason)) return;
    if (await release(redis, saleId, reason))
      log.error(
        { saleId },
        'somebody else has stopped this sale in Redis, with "held" in its state; Redis and the database agree, so it goes on; find out who can write to Redis',
      );
  }

  /**
   * Whether the ledger may be an older state: then the statuses in Redis may be all that is left of what it has lost,
   * and the shop decides.
   */
  async function isInDoubt(saleId: string, { untrue }: SaleAudit): Promise<boolean> {
    if (untrue.length === 0) return false;
    if (suspectNow(await readEpoch(redis), await ledger.epoch()) !== undefined) return true;
    // Read last: a comparison holds the sale before the stores count as compared, and the audit may have begun before.
    return saleHoldReasonOf(await redis.hget(saleKeys(saleId).state, 'held')) !== undefined;
  }

  return {
    /** @returns how many findings it has healed */
    async respond(saleId: string, audit: SaleAudit): Promise<number> {
      const { behind, untold, lost, hasLostSome, report, hold } = audit;
      const inDoubt = await isInDoubt(saleId, audit);
      const untrue = inDoubt ? [] : audit.untrue;
      const tampering = inDoubt ? audit.tampering.filter(({ kind }) => kind !== 'status') : audit.tampering;
      if (hold?.isNeedless) await letGo(saleId, hold.reason);
      // All are tried: a state that was tampered with may not let itself be paused.
      const done = await Promise.allSettled([
        response
          .respond(saleId, tampering, () => pauseWhatever(redis, saleId))
          .then(() => restoreProgress(saleId, audit)),
        !report.balanced && (hasLostSome || behind.length > 0) ? restore(saleId) : 0,
        untrue.length + untold.length > 0 ? restoreTold(saleId, { untrue, untold }) : 0,
        lost.length > 0 ? resolve(saleId, lost) : 0,
      ]);
      let healed = 0;
      for (const one of done) {
        if (one.status === 'rejected') throw one.reason;
        healed += one.value;
      }
      return healed;
    },
    forget: response.forget,
  };
}
