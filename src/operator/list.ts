import { liveRains, readRain, redisNow, type LiveRain, type StoredRain } from '../store/rains.ts';
import type { PayoutProviderName } from '../ledger/assignPayout.ts';
import type { BookedRain } from '../ledger/rains.ts';
import { formatMoney } from '../rain/money.ts';
import { stateAt, type RainState } from '../rain/rain.ts';
import type { Terms } from '../rain/terms.ts';
import { recordedCommitment } from './commitment.ts';
import { bookOf, type OperatorContext } from './context.ts';

/** A rain at a glance: the plan from the book, the rest from Redis, credits from the book. Amounts are decimal strings. */
export interface RainView {
  rainId: string;
  title: string;
  /** Of a rehearsal all its amounts are test money. */
  terms: Terms;
  /** Only of a round. */
  campaign?: { id: string; round: number };
  /** `draft` also while Redis knows nothing of it yet. */
  state: RainState;
  opensAt: string;
  closesAt: string;
  budget: string;
  packets: number;
  shards: number;
  left: number;
  claims: number;
  spoiled: number;
  /** Claims handed to the queue, and claims in the book. */
  relayed: number;
  credited: number;
  creditedAmount: string;
  recycled: string;
}

/** What was added to a rain since its creation. */
interface TopUpView {
  /** From 1. */
  topUp: number;
  /** The operator's word for it. */
  id: string;
  budget: string;
  packets: number;
  commitment: string;
  at: string;
  /** Only of a settled rain. */
  seed?: string;
}

export interface RainDetail extends RainView {
  /** Packets that have been in Redis so far: fewer than `packets` while a rain, or what was added to it, is not loaded. */
  loaded: number;
  /** Who keeps its users' money, as PAYOUT_PROVIDER says: whoever took it on first. Absent before that, and of a rehearsal. */
  payoutProvider?: PayoutProviderName;
  /** In order; empty when nothing was added. */
  topUps: TopUpView[];
  /** Absent for a rain that was created before there were commitments. */
  commitment?: string;
  /** Only of a settled rain: until then it is a secret. */
  seed?: string;
}

export interface RainList {
  /** Newest first. */
  rains: RainView[];
  /** In the book, listed or not. */
  total: number;
}

export const RAINS_MAX = 1_000;

/** The newest rains, so many of them. */
export async function listRains(context: OperatorContext, limit = 100): Promise<RainList> {
  const [rains, total] = await Promise.all([context.ledger.rains(Math.min(limit, RAINS_MAX)), context.ledger.countRains()]);
  return { rains: await viewRains(context, rains), total };
}

/** These, in their order. */
export async function viewRains(context: OperatorContext, rains: readonly BookedRain[]): Promise<RainView[]> {
  const [live, now] = await Promise.all([liveRains(context.redis), redisNow(context.redis)]);
  return Promise.all(rains.map(async (rain) => view(context, rain, await reading(context, rain.id, live.get(rain.id)), now)));
}

export async function showRain(context: OperatorContext, rainId: string): Promise<RainDetail | undefined> {
  const [rain, live, now, commitment] = await Promise.all([
    context.ledger.rain(rainId), liveRains(context.redis), redisNow(context.redis), recordedCommitment(context, rainId),
  ]);
  if (!rain) return undefined;
  const held = await reading(context, rainId, live.get(rainId));
  const seen = await view(context, rain, held, now);
  const topUps = rain.topUps.map(({ ordinal, id, budgetCents, packets, commitment: told, createdAt, seed }): TopUpView => ({
    topUp: ordinal, id, budget: formatMoney(budgetCents), packets, commitment: told, at: new Date(createdAt).toISOString(), ...(rain.settledAt !== undefined && { seed }),
  }));
  return { ...seen, loaded: held?.loaded ?? (rain.settledAt === undefined ? 0 : rain.packets), ...(rain.payoutProvider && { payoutProvider: rain.payoutProvider }), topUps, ...(commitment !== undefined && { commitment }), ...(rain.settledAt !== undefined && { seed: rain.seed }) };
}

async function reading(context: OperatorContext, rainId: string, live: LiveRain | undefined): Promise<StoredRain | undefined> {
  return live && readRain(context.redis, rainId, live);
}

async function view(context: OperatorContext, rain: BookedRain, now: StoredRain | undefined, clock: number): Promise<RainView> {
  const book = await bookOf(context, rain.id);
  return {
    rainId: rain.id,
    title: rain.title,
    terms: rain.terms,
    ...(rain.campaign && { campaign: rain.campaign }),
    state: rain.settledAt ? 'settled' : now ? stateAt(now, clock) : 'draft',
    opensAt: new Date(rain.opensAt).toISOString(),
    closesAt: new Date(rain.closesAt).toISOString(),
    budget: formatMoney(rain.budgetCents),
    packets: rain.packets,
    shards: rain.shards,
    left: now?.left ?? 0,
    claims: now?.claims ?? book.credited.count,
    spoiled: now?.spoiled ?? 0,
    relayed: now?.relayed ?? book.credited.count,
    credited: book.credited.count,
    creditedAmount: formatMoney(book.credited.cents),
    recycled: formatMoney(book.recycledCents + book.discarded.cents),
  };
}
