import { SETTLED_TTL_MS, shardKeys, shardOf } from '../../store/keys.ts';
import { loadPackets } from '../../store/loadPackets.ts';
import { release, RESTORING } from '../../store/holds.ts';
import { olderLabelsReason } from '../../store/olderLabels.ts';
import { findRain, readRain, redisNow, type LiveRain } from '../../store/rains.ts';
import { announceChange, close, relist, settle } from '../../store/transitions.ts';
import type { BookedCredit } from '../../ledger/book.ts';
import type { BookedRain } from '../../ledger/rains.ts';
import type { Claim } from '../../rain/claim.ts';
import { repairRain, untilQuiet } from '../audit/repair.ts';
import { readBooked } from '../audit/booked.ts';
import { countWins } from '../campaign/wins.ts';
import { revealOf } from '../commitment.ts';
import { refuse, type Refused } from '../context.ts';
import { allocationOf } from '../../ledger/allocation.ts';
import { loadRain, stockOf } from '../load.ts';
import { lostReason } from './presence.ts';
import { settleRain } from '../settle.ts';
import { readReason } from '../wording.ts';
import { bookedClaims } from './bookedClaims.ts';
import { compareRain } from './compare.ts';
import type { RestoreContext } from './context.ts';
import { agrees, kindsOf, type RainDifferences } from './difference.ts';
import { refuseForeign } from './foreign.ts';
import { keepKeys } from './keepKeys.ts';
import { readShardClaims } from './knownWins.ts';
import { moveInLedger, moveInRedis } from './moveWindow.ts';
import { findLostCredits } from './lostCredits.ts';
import { pauseShards } from './pauseShards.ts';
import { postClaims } from './postClaims.ts';
import { putBack, takeOff } from './putBack.ts';
import { rebuildRain, shardsToRebuild } from './rebuild.ts';
import { claimOf, readJudgedWins, takenPackets } from './toldWins.ts';

interface ApplyOptions {
  /** The operator's word, for the record: wins that nobody knows may be missing, and told wins are paid. */
  reason?: string | undefined;
  dryRun?: boolean | undefined;
  /** How long it waits for the workers to credit what it sends, ms. */
  waitMs?: number;
}

/**
 * `did`: one sentence for each thing done (or that would be done); `left`: what the stores still do not agree about.
 */
type Applied = { ok: true; rainId: string; did: string[]; left: RainDifferences } | Refused;

const MARKS_PER_CALL = 1_000;

/**
 * Brings the two stores into agreement about one rain, as far as that is safe. Every step is safe to repeat, also by
 * two operators at once, and everything that keeps users from winning comes first: if it is cut, repeat it.
 */
export async function applyRestore(
  context: RestoreContext,
  rainId: string,
  { reason, dryRun = false, waitMs = 15_000 }: ApplyOptions = {},
): Promise<Applied> {
  const given = reason === undefined ? undefined : readReason(reason);
  if (given && !given.ok) return given;
  const foreign = await refuseForeign(context);
  if (foreign) return foreign;
  const before = await compareRain(context, rainId);
  if (!before) return refuse('id', `there is no rain ${rainId}`);
  const rain = await context.ledger.rain(rainId);
  const did: string[] = [];
  const kinds = new Set(kindsOf(before));
  if (kinds.has('older_labels')) return refuse('id', olderLabelsReason(rainId));
  if (agrees(before)) return { ok: true, rainId, did, left: before };
  const work: Work = { context, rainId, did, dryRun, waitMs, word: given !== undefined };
  if (!dryRun)
    await context.ledger.record({
      actor: context.actor,
      verb: 'restore',
      rainId,
      details: { differences: { ...before.counts }, ...(given && { reason: given.reason }) },
    });
  const refused = rain ? await restoreBooked(work, rain, kinds) : await pauseUnbooked(work);
  if (refused) return refused;
  return { ok: true, rainId, did, left: dryRun ? before : ((await compareRain(context, rainId)) ?? before) };
}

interface Work {
  context: RestoreContext;
  rainId: string;
  did: string[];
  dryRun: boolean;
  waitMs: number;
  word: boolean;
}

/** Nobody may win in a rain that the ledger does not know: nothing of it could be paid. */
async function pauseUnbooked({ context, rainId, did, dryRun }: Work): Promise<undefined> {
  const live = await findRain(context.redis, rainId);
  // Joiners would hear that a win of it is credited.
  if (live && !dryRun)
    await Promise.all(
      Array.from({ length: live.shards }, (_, shard) => context.redis.del(shardKeys(rainId, shard).credited)),
    );
  if (live && (await readRain(context.redis, rainId, live))?.state === 'settled') {
    did.push('kept its keys for thirty days: only a later state of PostgreSQL can pay its winners');
    if (!dryRun) await keepKeys(context, rainId, live.shards);
  }
  if (live && (await pauseShards(context, rainId, live.shards, dryRun)) > 0)
    did.push('paused it: the ledger does not know it');
}

async function restoreBooked(work: Work, rain: BookedRain, kinds: ReadonlySet<string>): Promise<Refused | undefined> {
  const { context, rainId, did, dryRun, waitMs, word } = work;
  if (rain.settledAt !== undefined) return endSettled(work, rain);
  if (kinds.has('winners_unknown'))
    return refuse(
      'id',
      `the winners of ${rainId} are in neither store; import them with rain restore import ${rainId} --winners winners.csv, then end it with rain write-off ${rainId} --reason "…"`,
    );
  if (await hasNotOpened(context, rain, kinds)) {
    if (!dryRun) {
      const loaded = await loadRain(context, rainId);
      if (!loaded.ok) return loaded;
    }
    did.push('loaded it again: it had not opened');
    return undefined;
  }
  if (kinds.has('settled_in_redis')) return reopenSettled(work, rain);
  // A top-up that only Redis knows cannot be paid; a packet of the ledger that is in the list would be handed out
  // again.
  const endangered = [
    'top_up_not_in_book',
    'credit_not_in_log',
    'credited_packet_in_list',
    'told',
    'half_restored',
    'missing',
    'state_missing',
  ].some((kind) => kinds.has(kind));
  if (endangered && (await pauseShards(context, rainId, rain.shards, dryRun)) > 0)
    did.push(`paused it; go on with rain resume ${rainId}`);
  const unbuilt = await rebuild(work, rain, kinds);
  if (unbuilt) return unbuilt;
  if (kinds.has('window_not_in_redis') && !kinds.has('not_loaded'))
    did.push(...(await moveInRedis(context, rain, dryRun)));
  if (kinds.has('window_not_in_book') && word) did.push(...(await moveInLedger(context, rain, dryRun)));
  if (dryRun) return describeRest(work, kinds);
  if (!(await relist(context.redis, rainId, liveOf(rain)))) return refuse('id', `${lostReason(rainId)}; try again`);
  if (kinds.has('not_in_index')) did.push('put it into the index of rains');
  await countWins(context, rain);
  await restoreWins(work, rain);
  if (kinds.has('top_up_not_in_redis')) {
    const loaded = await loadPackets(context.redis, context.signer, rainId, rain.shards, stockOf(rain), () => {});
    if (loaded.ok) did.push('loaded the packets of its top-ups');
  }
  await release(context.redis, rainId, rain.shards, RESTORING);
  await announceChange(context.redis, rainId);
  await sendAgain(work, waitMs);
  return undefined;
}

/** Whether it can be loaded again: nobody can have won in it. */
async function hasNotOpened(
  { redis, ledger }: RestoreContext,
  rain: BookedRain,
  kinds: ReadonlySet<string>,
): Promise<boolean> {
  return (
    (kinds.has('missing') || kinds.has('not_loaded')) &&
    !kinds.has('told') &&
    (await redisNow(redis)) < rain.opensAt &&
    (await ledger.credits(rain.id, undefined, 1)).length === 0
  );
}

async function rebuild(
  { context, rainId, did, dryRun, word }: Work,
  rain: BookedRain,
  kinds: ReadonlySet<string>,
): Promise<Refused | undefined> {
  const lost = await shardsToRebuild(
    context,
    rain,
    kinds.has('not_loaded') || kinds.has('credit_not_in_log') || kinds.has('claim_not_in_book'),
  );
  if (lost.length === 0) return undefined;
  const rebuilt = await rebuildRain(context, rain, lost, word, dryRun);
  if (!rebuilt.ok) return rebuilt;
  did.push(
    `rebuilt ${rebuilt.shards} of ${rain.shards} shards with ${rebuilt.packets} packets that nobody is known to have won${rebuilt.told > 0 ? `, and ${rebuilt.told} told wins` : ''}; go on with rain resume ${rainId}`,
  );
  return undefined;
}

/** Describes the steps after the rebuild. */
function describeRest({ did, word }: Work, kinds: ReadonlySet<string>): undefined {
  if (kinds.has('not_in_index')) did.push('put it into the index of rains');
  if (kinds.has('credit_not_in_log')) did.push('write the credits of the ledger back into Redis');
  if (kinds.has('credited_packet_in_list')) did.push('take their packets off the list');
  if (kinds.has('told') && word) did.push('have the told wins credited');
  if (kinds.has('top_up_not_in_redis')) did.push('load the packets of its top-ups');
  if (kinds.has('claim_not_in_book')) did.push('send claims again');
}

/** Credits, and on the operator's word told wins, into log and claims by user; then their packets off the lists. */
async function restoreWins({ context, did, word, waitMs }: Work, rain: BookedRain): Promise<void> {
  const allocation = allocationOf(rain);
  const booked = await readBooked(context, rain.id);
  const { credits } = booked;
  const shards = await Promise.all(
    Array.from({ length: rain.shards }, (_, shard) => readShardClaims(context, rain, allocation, shard)),
  );
  const logged = shards.flatMap((shard) => shard.logged.map(({ claim }) => claim));
  const credited = await putBack(context, rain, await bookedClaims(context, rain.id, await lostCredits(context, rain)));
  if (credited.written > 0) did.push(`wrote ${credited.written} credits of the ledger back into Redis`);
  const taken = takenPackets(booked, logged);
  const told = word
    ? (await readJudgedWins(context, rain, allocation, taken)).filter(({ verdict }) => verdict === 'payable')
    : [];
  const claims = told.map((win) => claimOf(rain.id, win));
  const back = await putBack(context, rain, claims);
  if (back.written > 0) did.push(`wrote ${back.written} told wins back into Redis, to be credited`);
  const unpaid = await postClaims(context, rain, back.refused, waitMs);
  if (back.refused.length > 0)
    did.push(`had ${back.refused.length - unpaid.length} of ${back.refused.length} told wins credited`);
  await forgetCredited(
    context,
    rain,
    logged.filter(({ redPacketId, userId }) => credits.get(redPacketId)?.userId !== userId),
  );
  const off = await takeOff(
    context,
    rain,
    allocation,
    [...credits.keys()].concat(claims.map(({ redPacketId }) => redPacketId)),
  );
  if (off > 0) did.push(`took ${off} packets off the list that are credited`);
}

/** All of them at once: nobody can grab meanwhile, and an operator waits. */
async function lostCredits(context: RestoreContext, rain: BookedRain): Promise<BookedCredit[]> {
  const search = findLostCredits(context, rain.id, rain);
  for (;;) {
    const step = await search.next();
    if (step.done) return step.value;
  }
}

/** Claims that an older ledger does not have are not credited any more, whatever a joiner heard before. */
async function forgetCredited(
  { redis, signer }: RestoreContext,
  { id, shards }: BookedRain,
  claims: readonly Claim[],
): Promise<void> {
  for (let shard = 0; shard < shards; shard++) {
    const marks = claims
      .filter(({ userId }) => shardOf(userId, shards) === shard)
      .map((claim) => signer.creditMark(claim));
    for (let at = 0; at < marks.length; at += MARKS_PER_CALL)
      await redis.srem(shardKeys(id, shard).credited, ...marks.slice(at, at + MARKS_PER_CALL));
  }
}

/** The ledger has settled the rain: nobody may win in it any more, whatever Redis says. */
async function endSettled(work: Work, rain: BookedRain): Promise<undefined> {
  const { context, rainId, did, dryRun, waitMs } = work;
  const live = (await findRain(context.redis, rainId)) ?? { shards: rain.shards, title: rain.title };
  const isThere = await context.redis.exists(shardKeys(rainId, 0).state);
  if (dryRun) return void did.push('close it, send claims again, and mark it as settled');
  if (isThere && (await close(context.redis, rainId, rain.shards, 'early')))
    did.push('closed it: the ledger has settled it');
  await restoreWins(work, rain);
  await sendAgain(work, waitMs);
  if (!isThere) return;
  const { outcome } = await settleRain(context, rainId, live);
  // A win that came after the settlement keeps the audit from balancing. The ledger has decided: nobody is paid from it
  // any more.
  const marked =
    outcome === 'settled' ||
    (await settle(context.redis, rainId, live, { ttlMs: SETTLED_TTL_MS, reveal: await revealOf(context, rainId) }));
  did.push(marked ? 'marked it as settled' : 'it cannot be marked as settled yet; repeat this command');
}

/** Redis has settled the rain, the ledger is older: the keys must not expire before its claims are credited again. */
async function reopenSettled(
  { context, rainId, did, dryRun, waitMs, ...rest }: Work,
  rain: BookedRain,
): Promise<Refused | undefined> {
  did.push('made it live again, for the workers to credit and to settle it');
  if (dryRun) return undefined;
  if (!(await relist(context.redis, rainId, liveOf(rain)))) return refuse('id', `${lostReason(rainId)}; try again`);
  await sendAgain({ context, rainId, did, dryRun, waitMs, ...rest }, waitMs);
  return undefined;
}

/** As the index of live rains has it. */
function liveOf({ shards, title, terms }: BookedRain): LiveRain {
  return { shards, title, ...(terms.rehearsal && { rehearsal: true }) };
}

async function sendAgain({ context, rainId, did }: Work, waitMs: number): Promise<void> {
  const repaired = await repairRain(context, rainId);
  if (!repaired.ok || repaired.claims === 0) return;
  const quiet = await untilQuiet(context, rainId, repaired.jobs, waitMs);
  did.push(
    `sent ${repaired.claims} claims again${quiet ? '' : '; the workers have not credited all of them yet'}${repaired.complete ? '' : '; there are more, run it again'}`,
  );
}
