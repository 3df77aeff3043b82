import { z } from 'zod';
import { canonicalJson } from '../rain/json.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import { endMoves } from './endMoves.ts';
import { shardKeys } from './keys.ts';
import { plannedFor } from './loadPackets.ts';
import { run } from './scripts.ts';
import type { TopUpPromise } from '../rain/commitment.ts';

/** Packets per script call: about a millisecond of Redis's time. */
const CHUNK = 2_000;

const reply = z.union([z.tuple([z.int(), z.int(), z.int()]), z.literal(-1), z.null()]);

/** The rain without its lost top-ups. */
interface Rest {
  packets: number;
  topUps: readonly TopUpPromise[];
}

/**
 * Takes the packets of lost top-ups off the lists, for good; see lua/withdraw.lua. Safe to repeat.
 * @returns how many it took off; `granting`: a shard grants packets; `gone`: a shard has no state
 */
export async function withdraw(
  redis: RedisClient,
  rainId: string,
  shards: number,
  { packets, topUps }: Rest,
): Promise<number | 'granting' | 'gone'> {
  await endMoves(redis, rainId, shards);
  let taken = 0;
  for (let shard = 0; shard < shards; shard++) {
    const keys = shardKeys(rainId, shard);
    for (let [isDone, skip] = [false, 0]; !isDone;) {
      const answer = reply.parse(
        await run(
          redis,
          'withdraw',
          [keys.state, keys.packets],
          [packets, plannedFor(shard, shards, packets), canonicalJson(topUps), CHUNK, skip],
        ),
      );
      if (answer === null) return 'gone';
      if (answer === -1) return 'granting';
      taken += answer[0];
      isDone = answer[1] === 1;
      skip = answer[2];
    }
  }
  return taken;
}
