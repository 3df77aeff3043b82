import { liveRains, settledRains, readRain, redisNow, findRain, type LiveRain } from '../../store/rains.ts';
import { remembersEnd } from '../../store/endedRains.ts';
import { RESTORING } from '../../store/holds.ts';
import { hasOlderLabels, olderLabelsReason } from '../../store/olderLabels.ts';
import { liveSales, settledSales } from '../../store/sales.ts';
import { readTold, toldRains } from '../../store/told.ts';
import type { BookedRain } from '../../ledger/rains.ts';
import { parseClaim } from '../../rain/claim.ts';
import { formatMoney } from '../../rain/money.ts';
import { stateAt } from '../../rain/rain.ts';
import { readBooked } from '../audit/booked.ts';
import { logPages } from '../audit/claimLog.ts';
import { allocationOf } from '../../ledger/allocation.ts';
import { wasLoaded } from '../lostRains.ts';
import { isWrittenOff } from '../writeOff/unknownRain.ts';
import { writtenOffWins } from '../writeOff/unpayableWins.ts';
import { compareClaims } from './compareClaims.ts';
import { compareSale } from './compareSale.ts';
import { compareWindow } from './compareWindow.ts';
import type { RestoreContext } from './context.ts';
import { collectDifferences, type Difference, type DifferenceKind, type RainDifferences } from './difference.ts';
import { comparePayments, lostRainPayments } from './comparePayments.ts';
import { readShardClaims } from './knownWins.ts';
import type { Payments } from './payments.ts';
import { readPresence, wholenessOf } from './presence.ts';
import { readJudgedWins, takenPackets, type JudgedWin } from './toldWins.ts';

/** Rains of the ledger, and sales, that are compared for one answer, newest first [R10]. */
const RAINS_MAX = 10_000;

/**
 * Every rain and sale that either store knows and that is not settled in both; and settled ones whose keys Redis still
 * has.
 * @param payments the wallet's, to be compared, too; then also every rain that they name
 */
export async function* compareAll(context: RestoreContext, payments?: Payments): AsyncGenerator<RainDifferences> {
  const ids = new Set(
    [...(await liveRains(context.redis)), ...(await settledRains(context.redis))].map(([rainId]) => rainId),
  );
  for (const { id } of await context.ledger.rains(RAINS_MAX, 'unsettled')) ids.add(id);
  for (const id of [...(await toldRains(context.redis)), ...(payments?.rainIds ?? [])]) ids.add(id);
  for (const id of [...ids].sort()) {
    const found = await compareRain(context, id, payments);
    if (found) yield found;
  }
  for (const id of await saleIds(context)) {
    const found = await compareSale(context, id);
    if (found) yield found;
  }
}

async function saleIds({ redis, ledger }: RestoreContext): Promise<string[]> {
  const ids = new Set([...(await liveSales(redis)).keys(), ...(await settledSales(redis)).keys()]);
  for (const { id } of await ledger.sales(RAINS_MAX, 'unsettled')) ids.add(id);
  return [...ids].sort();
}

/**
 * Differences that only one store knows of this rain. `undefined`: no store knows it.
 * @param payments the wallet's, to be compared, too
 * @param again the first look was in the middle of a settlement or a move
 */
export async function compareRain(
  context: RestoreContext,
  rainId: string,
  payments?: Payments,
  again = false,
): Promise<RainDifferences | undefined> {
  const [rain, live] = [await context.ledger.rain(rainId), await findRain(context.redis, rainId)];
  if (!rain) return live ? onlyInRedis(context, rainId, live, payments) : inNoStore(context, rainId, payments);
  const found = collectDifferences(rainId, rain.title);
  const presence = await readPresence(context, rainId, rain.shards);
  const wholeness = wholenessOf(presence);
  const note = (kind: DifferenceKind, sentence: string) => found.add({ kind, sentence });
  const isSettled = rain.settledAt !== undefined;
  const states = presence.shards.map(({ state }) => state);
  if (wholeness !== 'whole') {
    if (await hasOlderLabels(context.redis, rainId, rain.shards)) {
      note('older_labels', olderLabelsReason(rainId));
      return found;
    }
    if (!isSettled) await noteAbsence(context, rainId, wholeness, presence.index, note);
  }
  if (presence.shards.some(({ held }) => held === RESTORING))
    note('half_restored', 'a restore of this rain was interrupted');
  if (wholeness === 'whole') {
    // The settler may be between the two stores right now.
    if (!again && isBetweenStores(isSettled, states)) return compareRain(context, rainId, payments, true);
    noteStates(isSettled, states, presence.index, note);
    if (!isSettled) {
      await noteUnloaded(context, rainId, states, note);
      await compareTopUps(context, rain, note);
      const moved = states.includes('settled') ? undefined : await compareWindow(context, rain, presence.shards);
      // A command moves it in the ledger first.
      if (moved && !again) return compareRain(context, rainId, payments, true);
      if (moved) found.add(moved);
    }
  }
  const allocation = allocationOf(rain);
  const booked = await readBooked(context, rainId);
  const claims = await Promise.all(states.map((_, shard) => readShardClaims(context, rain, allocation, shard)));
  // Once the keys of a settled rain have expired, only the ledger has its wins.
  if (claims.some(({ logLength }) => logLength > 0) || wholeness === 'whole') {
    await compareClaims(
      context,
      rain,
      { booked, claims, isCarried: presence.index === 'live' && wholeness === 'whole' },
      found.add,
    );
  }
  await addWrittenOff(context, rainId, found.add);
  const wins = claims.flatMap(({ logged, byUser }) => [...logged.map(({ claim }) => claim), ...byUser.values()]);
  const taken = takenPackets(booked, wins);
  addToldWins(await readJudgedWins(context, rain, allocation, taken), found.add);
  if (payments)
    await comparePayments(context, { rain, allocation, booked, claims: wins, taken }, payments.of(rainId), found.add);
  return found;
}

type Presence = Awaited<ReturnType<typeof readPresence>>;
type State = Presence['shards'][number]['state'];
type Note = (kind: DifferenceKind, sentence: string) => void;

/** Redis does not have the rain as a whole, and the ledger has not settled it. */
async function noteAbsence(
  context: RestoreContext,
  rainId: string,
  wholeness: ReturnType<typeof wholenessOf>,
  index: Presence['index'],
  note: Note,
): Promise<void> {
  if (!(await wasLoaded(context, rainId))) return;
  if (wholeness === 'state_missing')
    note('state_missing', 'Redis has lost the state of the rain; its claim log, or other keys, are there');
  else if ((await remembersEnd(context.redis, rainId)) || index === 'settled')
    note(
      'winners_unknown',
      'Redis remembers that the rain was settled, and the ledger does not: it has lost credits, and the keys have expired',
    );
  else note('missing', 'the rain was loaded, and Redis does not have it');
}

const isBetweenStores = (isSettled: boolean, states: State[]): boolean =>
  isSettled ? states.some((state) => state !== 'settled') : states.includes('settled');

function noteStates(isSettled: boolean, states: State[], index: Presence['index'], note: Note): void {
  if (isSettled && states.some((state) => state !== 'settled'))
    note(
      'settled_in_book',
      `the ledger has settled the rain, in Redis it is ${states.find((state) => state !== 'settled')}`,
    );
  else if (!isSettled && states.every((state) => state === 'settled'))
    note('settled_in_redis', 'Redis has the rain as settled, the ledger does not');
  else if (!isSettled && index !== 'live' && !states.includes('draft'))
    note('not_in_index', 'Redis has the rain, but not in its index of rains: nobody finds it');
}

async function noteUnloaded(context: RestoreContext, rainId: string, states: State[], note: Note): Promise<void> {
  if (states.includes('draft') && (await wasLoaded(context, rainId)))
    note('not_loaded', 'the rain was loaded, and Redis has it from before that: nobody could win in it');
}

function addToldWins(wins: readonly JudgedWin[], add: (difference: Difference) => void): void {
  for (const { verdict, why, userId, redPacketId, amount } of wins) {
    if (verdict === 'known') continue;
    const kind = verdict === 'payable' ? 'told' : (`told_${verdict}` as const);
    const sentence = `${userId} was told ${redPacketId} with ${amount}, and neither store has it: ${why}`;
    add({ kind, userId, redPacketId, amount, sentence });
  }
}

/** A rain that only its winners know: they have shown their receipts. */
async function inNoStore(
  { redis, signer }: RestoreContext,
  rainId: string,
  payments?: Payments,
): Promise<RainDifferences | undefined> {
  const found = collectDifferences(rainId, '');
  for (const { userId, redPacketId, amount } of await readTold(redis, signer, rainId)) {
    found.add({
      kind: 'told_of_lost_rain',
      userId,
      redPacketId,
      amount,
      sentence: `${userId} was told ${redPacketId} with ${amount}, and neither store knows the rain`,
    });
  }
  if (payments) lostRainPayments(payments.ofUnknown(rainId), found.add);
  return found.differences.length > 0 ? found : undefined;
}

/** Its wins are listed by name: nobody pays them while the ledger does not know the rain. */
async function onlyInRedis(
  context: RestoreContext,
  rainId: string,
  live: LiveRain,
  payments?: Payments,
): Promise<RainDifferences> {
  const { redis } = context;
  const found = collectDifferences(rainId, live.title);
  if (await isWrittenOff(context, rainId, live)) {
    found.add({
      kind: 'written_off',
      sentence: 'Redis has the rain, the ledger does not know it, and it was given up',
    });
    await addWrittenOff(context, rainId, found.add);
    return found;
  }
  const snapshot = await readRain(redis, rainId, live);
  const details = snapshot
    ? `${stateAt(snapshot, await redisNow(redis))}, ${snapshot.claims} won, ${snapshot.left} left`
    : 'without its keys';
  found.add({
    kind: 'not_in_book',
    sentence: `Redis has the rain (${details}), and the ledger does not know it: no win of it can be paid`,
  });
  for (let shard = 0; shard < live.shards; shard++) {
    for await (const page of logPages(redis, rainId, shard)) {
      for (const { entry } of page) {
        const parsed = parseClaim(entry);
        if (!parsed.ok) continue;
        const { userId, redPacketId, amount } = parsed.claim;
        found.add({
          kind: 'claim_not_in_book',
          userId,
          redPacketId,
          amount,
          sentence: `${userId} won ${redPacketId} with ${amount}, and the ledger does not know the rain`,
        });
      }
    }
  }
  if (payments) lostRainPayments(payments.of(rainId), found.add);
  return found;
}

/** Wins that the operator has given up. */
async function addWrittenOff(
  context: RestoreContext,
  rainId: string,
  add: (difference: Difference) => void,
): Promise<void> {
  for await (const { userId, redPacketId, amount } of writtenOffWins(context, rainId)) {
    add({
      kind: 'unpayable',
      userId,
      redPacketId,
      amount,
      sentence: `${userId} was told ${redPacketId} with ${amount}, and it was given up`,
    });
  }
}

async function compareTopUps(
  { redis, ledger }: RestoreContext,
  rain: BookedRain,
  note: (kind: DifferenceKind, sentence: string) => void,
): Promise<void> {
  const stored = await readRain(redis, rain.id, rain);
  if (!stored || stored.state === 'draft') return;
  // A top-up that was added meanwhile is in the ledger before it is in Redis.
  const { packets, budgetCents } = (await ledger.rain(rain.id)) ?? rain;
  const figures = `${stored.loaded} packets in Redis, ${packets} in the ledger, ${formatMoney(budgetCents)}`;
  if (stored.packets > packets)
    note('top_up_not_in_book', `Redis has a top-up that the ledger does not know: ${figures}`);
  else if (stored.loaded < packets && (stored.state === 'loaded' || stored.state === 'paused'))
    note('top_up_not_in_redis', `Redis lacks packets of a top-up: ${figures}`);
}
