import { enlist, WINS_MAX, type Win } from '../../store/campaign.ts';
import { ROUNDS_MAX } from '../../rain/campaign.ts';
import { shardKeys, shardOf } from '../../store/keys.ts';
import { usersOf } from '../../store/userFilter.ts';
import type { BookedRain } from '../../ledger/rains.ts';
import { creditPages } from '../audit/booked.ts';
import type { OperatorContext } from '../context.ts';
import { enlistExcludedInSales } from './bought.ts';

type Stores = Pick<OperatorContext, 'redis' | 'ledger'>;

/** Excluded users of one read. */
const PAGE = 1_000;

/**
 * Enlists a round in its campaign before it has packets, and adds all earlier wins, of ledger and claim hashes, and who
 * is excluded: Redis counts wins itself, but may have been emptied since an earlier round, or the wins may have
 * expired.
 * @returns false: Redis has lost the round, or it is settled
 */
export async function countWins(context: OperatorContext, rain: BookedRain): Promise<boolean> {
  const { id, shards, campaign } = rain;
  if (!campaign) return true;
  for (let shard = 0; shard < shards; shard++) if (!(await enlist(context.redis, id, shard, []))) return false;
  for (const other of await context.ledger.rounds(campaign.id)) {
    const { round } = other.campaign!;
    for await (const users of winnersOf(context, other.id, shards))
      if (!(await enlistAll(context, rain, users, [round]))) return false;
  }
  return enlistExcluded(context, rain);
}

/**
 * Tells Redis who is excluded, as long as a round may be played, or one that is a sale is not settled. The ledger has
 * it already, so a round that is loaded meanwhile knows it, too.
 */
export async function enlistInOpenRounds(context: Stores, campaignId: string): Promise<void> {
  for (const round of await context.ledger.rounds(campaignId))
    if (round.settledAt === undefined) await enlistExcluded(context, round);
  await enlistExcludedInSales(context, campaignId);
}

/**
 * Tells Redis by a round who is excluded from the campaign: each has "won" as often as the campaign allows, in rounds
 * that no campaign has.
 * @returns false: Redis has no such round, or it is settled
 */
export async function enlistExcluded(context: Stores, rain: BookedRain): Promise<boolean> {
  const { winsPerUserMax } = (await context.ledger.campaign(rain.campaign!.id))!;
  const rounds = Array.from({ length: winsPerUserMax }, (_, i) => ROUNDS_MAX + 1 + i);
  for (let after: string | undefined; ;) {
    const users = await context.ledger.exclusions(rain.campaign!.id, after, PAGE);
    if (users.length === 0) return true;
    if (!(await enlistAll(context, rain, users, rounds))) return false;
    after = users.at(-1);
  }
}

async function enlistAll(
  { redis }: Pick<Stores, 'redis'>,
  { id, shards }: BookedRain,
  users: readonly string[],
  rounds: readonly number[],
): Promise<boolean> {
  const wins = Array.from({ length: shards }, (): Win[] => []);
  for (const userId of users) wins[shardOf(userId, shards)]!.push(...rounds.map((round) => ({ userId, round })));
  for (const [shard, here] of wins.entries()) {
    for (let at = 0; at < here.length; at += WINS_MAX)
      if (!(await enlist(redis, id, shard, here.slice(at, at + WINS_MAX)))) return false;
  }
  return true;
}

/** Reads claims first: a claim that moves to the ledger meanwhile is seen twice, not missed. */
async function* winnersOf(context: OperatorContext, rainId: string, shards: number): AsyncGenerator<string[]> {
  for (let shard = 0; shard < shards; shard++) yield* usersOf(context.redis, shardKeys(rainId, shard).claimed);
  for await (const page of creditPages(context, rainId)) yield page.map(({ userId }) => userId);
}
