import { shardKeys } from '../../store/keys.ts';
import { run } from '../../store/scripts.ts';
import { announceChange } from '../../store/transitions.ts';
import type { OperatorContext } from '../context.ts';

/** Pauses every shard that grants packets, also when others have lost their state. @returns how many granted */
export async function pauseShards(
  { redis }: Pick<OperatorContext, 'redis'>,
  rainId: string,
  shards: number,
  dryRun: boolean,
): Promise<number> {
  let granting = 0;
  for (let shard = 0; shard < shards; shard++) {
    const { state } = shardKeys(rainId, shard);
    if ((await redis.hget(state, 'state')) !== 'loaded') continue;
    granting++;
    if (!dryRun) await run(redis, 'pause', [state], []);
  }
  if (granting > 0 && !dryRun) await announceChange(redis, rainId);
  return granting;
}
