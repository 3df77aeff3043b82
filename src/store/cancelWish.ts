import { z } from 'zod';
import { ORDER_STATUSES, STATUS_LETTERS, type OrderStatus } from '../sale/order.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import { saleKeys } from './saleKeys.ts';
import { run } from './scripts.ts';
import type { Signer } from './signer.ts';

const letter = z.enum(Object.values(STATUS_LETTERS));

/**
 * Writes down that this buyer wishes to cancel a reservation. Safe to repeat.
 * @returns its status at present; `full`: too many wishes wait, so this one is not written down; undefined: there is
 *   no such reservation or sale
 */
export async function wishToCancel(
  redis: RedisClient,
  signer: Pick<Signer, 'wishMac'>,
  saleId: string,
  userId: string,
  ordinal: number,
): Promise<OrderStatus | 'full' | undefined> {
  const { state, buyers, cancels } = saleKeys(saleId);
  const reply = await run(
    redis,
    'cancel',
    [state, buyers, cancels],
    [userId, ordinal, signer.wishMac({ saleId, userId, ordinal })],
  );
  if (reply === null || reply === '') return undefined;
  if (reply === 'full') return reply;
  const found = letter.parse(reply);
  return ORDER_STATUSES.find((status) => STATUS_LETTERS[status] === found)!;
}
