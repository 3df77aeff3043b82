import { announceOrders, announceRefused } from '../../orders/announce.ts';
import { reservationId } from '../../sale/ids.ts';
import { correct, type Correction } from '../../store/correct.ts';
import type { OperatorContext } from '../context.ts';
import type { SaleAudit } from './audit.ts';

/** Wrong statuses that buyers were told, and refusals that they had not been told. */
interface Healed {
  corrected: number;
  told: number;
}

/** Corrections per call, and those that the record names [R10]. */
const CORRECTED_MAX = 5_000;
const RECORDED_MAX = 100;

/**
 * Puts right what Redis tells buyers of their reservations: the ledger decides. The wrong statuses are recorded first,
 * since the record may be all that is left of a ledger which was restored. Safe to repeat.
 */
export async function healStatuses(
  context: OperatorContext,
  saleId: string,
  { untrue, untold }: Pick<SaleAudit, 'untrue' | 'untold'>,
): Promise<Healed> {
  const { redis, ledger, signer } = context;
  const wrong = untrue.slice(0, CORRECTED_MAX);
  // A change that Redis has not followed yet moves counts, too: the follower comes first, and the next audit looks
  // again.
  const unfollowed = await ledger.unfollowedAmong(wrong.map((one) => idOf(saleId, one)));
  const due = wrong.filter((one) => !unfollowed.has(idOf(saleId, one)));
  if (due.length > 0)
    await ledger.record({
      actor: context.actor,
      verb: 'repair',
      rainId: saleId,
      details: { statuses: due.length, found: due.slice(0, RECORDED_MAX).map(sentenceOf) },
    });
  const corrected = await correct(redis, saleId, due);
  const orders = await ledger.orders({ ids: corrected.map((one) => idOf(saleId, one)) }, CORRECTED_MAX);
  const users = new Map(corrected.map((one) => [idOf(saleId, one), one.userId]));
  await announceOrders(
    redis,
    signer,
    saleId,
    orders.filter(({ id, userId }) => users.get(id) === userId),
  );
  await announceRefused(redis, signer, saleId, [
    ...untold,
    ...(await ledger.refusalsAmong(corrected.map((one) => ({ reservationId: idOf(saleId, one), userId: one.userId })))),
  ]);
  return { corrected: corrected.length, told: untold.length };
}

const idOf = (saleId: string, { ordinal }: Correction) => reservationId(saleId, ordinal);

function sentenceOf({ userId, ordinal, found, right }: Correction): string {
  return `${ordinal} of ${userId}: ${found.status}, to be paid by ${found.payBy}, instead of ${right.status}, ${right.payBy}`;
}
