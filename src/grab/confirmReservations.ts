import { reservationId } from '../sale/ids.ts';
import { saleKeys } from '../store/saleKeys.ts';
import { parseHeld } from '../store/sales.ts';
import type { ConfirmHeld } from './confirm.ts';
import { SALE_BUSY, type ReserveEngine } from './reserve.ts';

/** Which of these reservations are as durable as configured, in order [R4]. Never rejects. */
export function confirmReservations(
  confirmHeld: ConfirmHeld,
  saleId: string,
  told: readonly { userId: string; reservationId: string }[],
): Promise<boolean[]> {
  return confirmHeld(
    saleKeys(saleId).buyers,
    told.map(({ userId }) => userId),
    (entry, at) => isHeld(entry, saleId, told[at]!.reservationId),
  );
}

function isHeld(entry: string | null | undefined, saleId: string, id: string): boolean {
  return parseHeld(entry ?? '')?.some(({ ordinal }) => reservationId(saleId, ordinal) === id) ?? false;
}

/**
 * An engine that returns reservations, new or repeated, only once they are confirmed. Batches without any are not
 * delayed.
 */
export function confirmedReserveEngine(engine: ReserveEngine, confirmHeld: ConfirmHeld): ReserveEngine {
  return {
    async reserve(saleId, purchases) {
      const answers = await engine.reserve(saleId, purchases);
      const told = answers.flatMap((answer, i) =>
        'reservationId' in answer ? [{ userId: purchases[i]!.userId, reservationId: answer.reservationId }] : [],
      );
      if (told.length === 0) return answers;
      const confirmed = await confirmReservations(confirmHeld, saleId, told);
      let at = 0;
      return answers.map((answer) => ('reservationId' in answer && !confirmed[at++] ? SALE_BUSY : answer));
    },
  };
}
