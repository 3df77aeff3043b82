import { lastingKeys } from '../../store/keys.ts';
import type { OperatorContext } from '../context.ts';

/** How long the keys of a rain live that Redis has as settled and the ledger has not, ms. */
export const KEPT_MS = 30 * 24 * 3_600_000;

/** So that a later state of the ledger, or the operator, still finds the winners. */
export async function keepKeys(
  { redis }: Pick<OperatorContext, 'redis'>,
  rainId: string,
  shards: number,
): Promise<void> {
  for (let shard = 0; shard < shards; shard++)
    for (const key of lastingKeys(rainId, shard)) await redis.pexpire(key, KEPT_MS);
}
