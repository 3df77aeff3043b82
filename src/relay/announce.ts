import { CLAIMS_MAX, publish, type Credited } from '../store/events.ts';
import { shardKeys } from '../store/keys.ts';
import { run } from '../store/scripts.ts';
import type { Signer } from '../store/signer.ts';
import type { Claim } from '../rain/claim.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import { TICKER_WINNERS_MAX } from '../rain/ticker.ts';
import { createLatest } from './latest.ts';

/** Pause between two samples of one rain, ms: a gateway shows none more often. */
const SAMPLE_EVERY_MS = 1_000;

interface AnnouncerOptions {
  redis: RedisClient;
  signer: Pick<Signer, 'creditMark'>;
  /** Pause between two samples of one rain, ms. */
  sampleEveryMs?: number;
}

/** @throws when Redis cannot be reached; then some gateways may have received it */
type AnnounceCredited = (rainId: string, shard: number, claims: readonly Claim[]) => Promise<void>;

/**
 * Announces credited claims to the gateways: first in Redis, where a later `join` reads it, then to those who listen. A
 * gateway hears of the claims that it was told of. All of them hear a small sample for the ticker, at intervals, since
 * what every gateway hears is multiplied by their number; and whole the claims that name no gateway. A repetition is
 * harmless.
 */
export function createAnnouncer({
  redis,
  signer,
  sampleEveryMs = SAMPLE_EVERY_MS,
}: AnnouncerOptions): AnnounceCredited {
  const samples = createLatest(sampleEveryMs);
  return async (rainId, shard, claims) => {
    const { state, credited } = shardKeys(rainId, shard);
    for (let at = 0; at < claims.length; at += CLAIMS_MAX) {
      const marked = claims
        .slice(at, at + CLAIMS_MAX)
        .map(({ gateway, ...claim }) => ({ gateway, told: markedBy(signer, rainId, claim) }));
      await run(
        redis,
        'credited',
        [state, credited],
        marked.map(({ told }) => told.mark),
      );
      const byGateway = new Map<string | undefined, Credited[]>();
      for (const { gateway } of marked) byGateway.set(gateway, []);
      for (const { gateway, told } of marked) byGateway.get(gateway)!.push(told);
      await Promise.all(
        [...byGateway].map(([gateway, told]) => publish(redis, { type: 'credited', rainId, claims: told }, gateway)),
      );
      const sample = marked
        .filter(({ gateway }) => gateway !== undefined)
        .slice(0, TICKER_WINNERS_MAX)
        .map(({ told }) => told);
      if (sample.length > 0)
        await samples.put(rainId, () => publish(redis, { type: 'sampled', rainId, claims: sample }));
    }
  };
}

function markedBy(
  signer: AnnouncerOptions['signer'],
  rainId: string,
  { userId, redPacketId, amount }: Claim,
): Credited {
  return { userId, redPacketId, amount, mark: signer.creditMark({ rainId, redPacketId, amount, userId }) };
}
