import type { ReservationSigner } from '../../grab/reserve.ts';
import { throttled, type Logger } from '../../platform/telemetry/log.ts';
import type { Signer } from '../../store/signer.ts';
import type { GatewayCounters } from '../telemetry/counters.ts';
import { FORGED_LOG_MS, OTHER_KEY_LOG_MS } from './limits.ts';

interface ForgedReservationsOptions {
  signer: Pick<Signer, 'reservationMac' | 'isReservation' | 'under' | 'keyId'>;
  counters: Pick<GatewayCounters, 'forgedReservations'>;
  log: Logger;
}

export interface ForgedReservations extends ReservationSigner {
  /**
   * Whether reservations of a sale are signed with a key that this gateway lacks: nobody may buy here, since no order
   * would follow.
   */
  isOtherKey(saleId: string, signedBy: string | undefined): boolean;
}

/**
 * Reservations that nobody has signed are counted and reported, and no buyer is told of them.
 */
export function openForgedReservations({ signer, counters, log }: ForgedReservationsOptions): ForgedReservations {
  const reportForged = throttled(
    (facts: object) =>
      log.error(
        facts,
        'Redis has a reservation of a buyer that is not signed with SIGNING_SECRET: the buyer was not told of it; somebody else writes to this Redis',
      ),
    FORGED_LOG_MS,
  );
  const reportOtherKey = throttled(
    (saleId: string) =>
      log.error(
        { saleId, keyId: signer.keyId },
        'the reservations of this sale are signed with another SIGNING_SECRET than this gateway has: its buyers get "busy"; give all processes the same secret',
      ),
    OTHER_KEY_LOG_MS,
  );
  return {
    reservationMac: signer.reservationMac,
    isReservation(mac, purchase) {
      if (signer.isReservation(mac, purchase)) return true;
      counters.forgedReservations++;
      reportForged({ saleId: purchase.saleId, userId: purchase.userId });
      return false;
    },
    isOtherKey(saleId, signedBy) {
      if (signedBy === undefined || signer.under(signedBy)) return false;
      reportOtherKey(saleId);
      return true;
    },
  };
}
