import { shardOf } from '../../store/keys.ts';
import type { BookedRain } from '../../ledger/rains.ts';
import type { Claim } from '../../rain/claim.ts';
import { formatMoney } from '../../rain/money.ts';
import type { Posted } from '../audit/booked.ts';
import type { OperatorContext } from '../context.ts';

const PAGE = 1_000;

/** The ledger's credits of one shard as claims; when they were won is unknown, so they carry the time of the posting. */
export async function bookedClaims({ ledger }: OperatorContext, { id: rainId, shards }: BookedRain, credits: ReadonlyMap<string, Posted>, shard: number): Promise<Claim[]> {
  const here = [...credits].filter(([, { userId }]) => shardOf(userId, shards) === shard);
  const claims: Claim[] = [];
  for (let at = 0; at < here.length; at += PAGE) {
    const page = here.slice(at, at + PAGE);
    const postedAt = new Map((await ledger.postings(page.map(([redPacketId]) => redPacketId))).map((posting) => [posting.redPacketId, posting.postedAt]));
    claims.push(...page.map(([redPacketId, { userId, cents }]): Claim => ({ rainId, redPacketId, amount: formatMoney(cents), userId, at: String(postedAt.get(redPacketId) ?? 0).padStart(13, '0') })));
  }
  return claims;
}
