import { enlist, WINS_MAX, type Win } from '../../store/campaign.ts';
import { shardKeys, shardOf } from '../../store/keys.ts';
import { usersOf } from '../../store/winners.ts';
import type { BookedRain } from '../../ledger/rains.ts';
import type { OperatorContext } from '../context.ts';

const CREDITS_PAGE = 10_000;

/**
 * Lets a round take part in its campaign before it has a packet, and sees to it that its wins are all there: those of the
 * book, and those of claim hashes that are not in the book yet. Redis counts them itself; but it may have been emptied since
 * an earlier round, or they may have expired with it.
 * @returns false: Redis has lost the round meanwhile, or it is settled
 */
export async function countWins(context: OperatorContext, rain: BookedRain): Promise<boolean> {
  const { id, shards, campaign } = rain;
  if (!campaign) return true;
  for (let shard = 0; shard < shards; shard++) if (!await enlist(context.redis, id, shard, [])) return false;
  for (const other of await context.ledger.rounds(campaign.id)) {
    const { round } = other.campaign!;
    for await (const users of winnersOf(context, other.id, shards)) {
      const wins = Array.from({ length: shards }, (): Win[] => []);
      for (const userId of users) wins[shardOf(userId, shards)]!.push({ userId, round });
      for (const [shard, here] of wins.entries()) {
        for (let at = 0; at < here.length; at += WINS_MAX) if (!await enlist(context.redis, id, shard, here.slice(at, at + WINS_MAX))) return false;
      }
    }
  }
  return true;
}

/** Claims first: one that goes from there to the book meanwhile is seen twice, not missed. */
async function* winnersOf({ redis, ledger }: OperatorContext, rainId: string, shards: number): AsyncGenerator<string[]> {
  for (let shard = 0; shard < shards; shard++) yield* usersOf(redis, shardKeys(rainId, shard).claimed);
  let after: string | undefined;
  do {
    const page = await ledger.credits(rainId, after, CREDITS_PAGE);
    yield page.map(({ userId }) => userId);
    after = page.length < CREDITS_PAGE ? undefined : page.at(-1)!.userId;
  } while (after !== undefined);
}
