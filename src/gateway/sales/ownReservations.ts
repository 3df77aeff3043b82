import { heldBy, type HeldReservation } from '../../store/sales.ts';
import type { HandlerContext } from '../handlers/context.ts';

/**
 * What this user has reserved, oldest first: only what a gateway has signed, since who can write to Redis can write any
 * reservation.
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
