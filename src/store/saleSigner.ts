import type { RedisClient } from '../platform/redis/connect.ts';
import { saleKeys } from './saleKeys.ts';
import type { Signer } from './signer.ts';

/**
 * Whether this process has the key that the purchases of this sale are signed with; if not, it cannot tell what nobody
 * has signed. Anybody who can write to Redis can deny it: then unsigned entries wait, and are never carried out.
 */
export async function hasSaleKey(redis: RedisClient, signer: Pick<Signer, 'under'>, saleId: string): Promise<boolean> {
  const signedBy = await redis.hget(saleKeys(saleId).state, 'signedBy');
  return signedBy === null || signer.under(signedBy) !== undefined;
}

export const OTHER_SALE_KEY = 'it is signed with another SIGNING_SECRET than this process has';
