import { heldBy, type HeldReservation } from '../../store/sales.ts';
import type { HandlerContext } from '../handlers/context.ts';

/**
 * This user's reservations, oldest first: only those that a gateway has signed, since anybody with access to Redis can
 * write one.
 * @throws when Redis cannot be reached
 */
export async function ownReservations(
  { redis, sales }: Pick<HandlerContext, 'redis' | 'sales'>,
  saleId: string,
  userId: string,
): Promise<HeldReservation[]> {
  return (await heldBy(redis, saleId, userId)).filter((one) =>
    sales.forged.isReservation(one.mac, { saleId, userId, ...one }),
  );
}
