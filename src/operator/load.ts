import { announceChange } from '../store/transitions.ts';
import { hold } from '../store/holds.ts';
import { draftRain, loadPackets, type Stock } from '../store/loadPackets.ts';
import { allocationOf } from '../ledger/allocation.ts';
import { breaksCommitment } from '../ledger/commitment.ts';
import { hasOlderLabels, olderLabelsReason } from '../store/olderLabels.ts';
import { readRain } from '../store/rains.ts';
import type { BookedRain } from '../ledger/rains.ts';
import { countWins } from './campaign/wins.ts';
import { draftOf } from './commitment.ts';
import { refuse, type OperatorContext, type Refused } from './context.ts';
import { hasLost } from './lostRains.ts';
import { goneReason, unknownReason } from './restore/presence.ts';
import { followTickets } from './tickets.ts';

type LoadedRain = { ok: true; packets: number } | Refused;

/** The stock that Redis must hold for a rain once it is fully loaded. */
export function stockOf(rain: BookedRain): Stock {
  return {
    amounts: allocationOf(rain),
    topUps: rain.topUps.map(({ commitment, packets }) => ({ commitment, packets })),
  };
}

export const OTHER_KEY =
  'its packets are signed with another SIGNING_SECRET than this one, or were loaded by a version that did not sign them';
/** Why the packets of a rain cannot be pushed. */
const UNLOADED = {
  not_a_draft: 'it is closed',
  no_such_rain: 'Redis has lost it meanwhile',
  other_key: OTHER_KEY,
} as const;

/**
 * Cut half-way and run again, it continues: the packets follow from the recorded seed, and every chunk carries its
 * offset.
 */
export async function loadRain(
  context: OperatorContext,
  rainId: string,
  onProgress: (loaded: number, packets: number) => void = () => {},
): Promise<LoadedRain> {
  let rain = await context.ledger.rain(rainId);
  if (!rain) return refuse('id', await unknownReason(context, rainId));
  if (rain.settledAt) return refuse('id', `the rain ${rainId} is settled`);
  if (await hasLost(context, rain)) return refuse('id', await goneReason(context.redis, rain));
  const older = await olderRound(context, rain);
  if (older !== undefined) return refuse('id', olderLabelsReason(older));
  const draft = await draftOf(context, rain);
  // Recorded before the first packet is loaded: see `hasLost`.
  await context.ledger.record({ actor: context.actor, verb: 'load', rainId, details: { packets: rain.packets } });
  for (let drafted = false; ;) {
    if (breaksCommitment(rain, draft.commitment))
      return refuse(
        'id',
        `seed and plan of the rain ${rainId} do not match the commitment; its packets would not be the promised ones`,
      );
    if (!drafted && (await draftRain(context.redis, context.signer, draft)) === 'taken')
      return refuse('id', `Redis holds another rain ${rainId}`);
    // Before the first packet is loaded: no user may win while earlier wins are not counted.
    if (!drafted && !(await countWins(context, rain)))
      return refuse('id', `the rain ${rainId} cannot be loaded: ${UNLOADED.no_such_rain}`);
    if (!drafted) await followTickets(context, 'rain', rainId, rain.shards);
    if (!drafted) await holdIfCredited(context, rain);
    drafted = true;
    const { packets } = rain;
    const loaded = await loadPackets(context.redis, context.signer, rainId, rain.shards, stockOf(rain), (count) =>
      onProgress(count, packets),
    );
    if (!loaded.ok) return refuse('id', `the rain ${rainId} cannot be loaded: ${UNLOADED[loaded.reason]}`);
    // A top-up that was added meanwhile found a draft and left its packets to this load.
    const latest: BookedRain | undefined = await context.ledger.rain(rainId);
    if (!latest || latest.packets === packets) {
      await announceChange(context.redis, rainId);
      return { ok: true, packets: loaded.packets };
    }
    rain = latest;
  }
}

/**
 * A round of the same campaign that an older version has loaded: its wins would not count against the limit of the
 * campaign.
 */
async function olderRound(
  { redis, ledger }: OperatorContext,
  { campaign, shards }: BookedRain,
): Promise<string | undefined> {
  if (!campaign || shards === 1) return undefined;
  for (const { id } of await ledger.rounds(campaign.id)) if (await hasOlderLabels(redis, id, shards)) return id;
  return undefined;
}

/**
 * More credits than claims in a rain that is not loaded: Redis is an older state than the ledger. A worker puts the
 * claims back once all packets are loaded, and then releases the rain. After an interrupted load users may have won in
 * the shards that were ready.
 */
async function holdIfCredited({ redis, ledger }: OperatorContext, { id, shards, title }: BookedRain): Promise<void> {
  const stored = await readRain(redis, id, { shards, title });
  if (stored?.state === 'draft' && (await ledger.book(id))!.credited.count > stored.claims)
    await hold(redis, id, shards, 'redis_behind');
}
