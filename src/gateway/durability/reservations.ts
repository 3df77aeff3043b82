import { restoreReservations, type SentReservation } from '../../grab/restoreReservations.ts';
import type { RedisClient } from '../../platform/redis/connect.ts';
import type { Logger } from '../../platform/telemetry/log.ts';
import type { Signer } from '../../store/signer.ts';
import { recordToldReservations } from '../../store/toldReservations.ts';
import { LOST_WINS_LOGGED_MAX } from './limits.ts';

const named = (reservations: readonly SentReservation[]) =>
  reservations
    .slice(0, LOST_WINS_LOGGED_MAX)
    .map(({ reservationId, userId, sku, quantity }) => ({ reservationId, userId, sku, quantity }));

type Restored = Awaited<ReturnType<typeof restoreReservations>>['restored'][number];

/**
 * Puts back those of the told reservations that Redis has lost; those that it cannot are written down for the workers,
 * and reported.
 */
export function createReservationRestorer(
  redis: RedisClient,
  signer: Signer,
  log: Logger,
): (told: Iterable<SentReservation>) => Promise<void> {
  /** During repeated failures: sales of which reservations were reported as lost, with their number. */
  const reportedLost = new Map<string, number>();

  async function conclude({ saleId, putBack, lost, changed }: Restored): Promise<void> {
    if (changed.length > 0)
      log.error(
        { saleId, changed: changed.length, reservations: named(changed) },
        'Redis has another deadline of reservations than their buyers were told: somebody else writes to this Redis; look at their orders',
      );
    if (putBack > 0)
      log.warn({ saleId, putBack }, 'Redis had lost reservations that buyers were told; they were put back');
    if (lost.length === 0) return;
    await recordToldReservations(
      redis,
      signer,
      saleId,
      lost.map((one) => ({ ...one, at: String(one.at), payBy: String(one.payBy) })),
    );
    if (reportedLost.get(saleId) === lost.length) return;
    reportedLost.set(saleId, lost.length);
    log.error(
      { saleId, lost: lost.length, reservations: named(lost) },
      'Redis has lost reservations that buyers were told, and they cannot be put back: somebody else has their numbers or units, their buyers have bought with their refs again, the sale is settled, or it is gone; they are written down, and a worker tells the buyers that they have failed, unless there are orders of them',
    );
  }

  /** @throws when some sales cannot be checked, after all others; then repeat it */
  return async (told) => {
    const { restored, faults } = await restoreReservations(redis, signer, told);
    for (const one of restored) await conclude(one).catch((error: unknown) => faults.push(error));
    if (faults.length > 0)
      throw new AggregateError(
        faults,
        `told reservations cannot be checked, or written down, in ${faults.length} sales: ${String(faults[0])}`,
      );
    reportedLost.clear();
  };
}
