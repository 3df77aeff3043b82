import type { RedisClient } from '../platform/redis/connect.ts';
import { olderStateKey } from './keys.ts';

/**
 * Whether a version that labelled shards otherwise has loaded this rain of several shards, and it is not settled. Its
 * wins and packets are under keys that this version does not use, so nothing may be granted, rebuilt or given back
 * here. A draft has neither.
 */
export async function hasOlderLabels(redis: RedisClient, rainId: string, shards: number): Promise<boolean> {
  if (shards === 1) return false;
  const state = await redis.hget(olderStateKey(rainId), 'state');
  return state !== null && state !== 'draft' && state !== 'settled';
}

export function olderLabelsReason(rainId: string): string {
  return `an older version has loaded the rain ${rainId}, whose shards have other keys in this one; start gateways and workers of that version until it is settled, then update again`;
}
