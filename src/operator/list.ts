import { liveRains, readRain, redisNow, type StoredRain } from '../store/rains.ts';
import { payoutSettingOf } from '../credit/payoutProviders.ts';
import { recordedCommitment } from '../ledger/commitment.ts';
import type { RainFigures } from '../ledger/rainFigures.ts';
import type { BookedRain } from '../ledger/rains.ts';
import { formatMoney } from '../rain/money.ts';
import type { ShownPlan } from '../rain/plan.ts';
import { stateAt, type RainState } from '../rain/rain.ts';
import type { Terms } from '../rain/terms.ts';
import type { Greeting } from '../rain/theme.ts';
import type { OperatorContext } from './context.ts';
import { wasLoaded } from './lostRains.ts';
import type { TicketRules } from '../rain/ticketRules.ts';

/** A rain at a glance: plan and credits from the ledger, the rest from Redis. Amounts are decimal strings. */
export interface RainView {
  rainId: string;
  title: string;
  /** In a rehearsal all amounts are test money. */
  terms: Terms;
  /** Only for a round of a campaign. */
  campaign?: { id: string; round: number };
  /** Also `draft` while the rain is not in Redis yet; `lost`: it was loaded, and Redis does not have it as a whole. */
  state: RainState | 'lost';
  opensAt: string;
  closesAt: string;
  budget: string;
  packets: number;
  shards: number;
  left: number;
  claims: number;
  spoiled: number;
  /** Claims added to the queue, and claims credited in the ledger. */
  relayed: number;
  credited: number;
  creditedAmount: string;
  recycled: string;
  /** Absent: no tickets are required by the rain itself. */
  ticketRules?: TicketRules;
  /** Why nothing is granted at present, see `src/store/holds.ts`. */
  held?: string;
}

/** A top-up of a rain since its creation; `topUp` counts from 1, the operator has chosen `id`. */
interface TopUpView {
  topUp: number;
  id: string;
  budget: string;
  packets: number;
  commitment: string;
  at: string;
  /** Only for a settled rain. */
  seed?: string;
}

export interface RainDetail extends RainView {
  /** Packets loaded into Redis so far: fewer than `packets` until the rain and all its top-ups are loaded. */
  loaded: number;
  /**
   * The setting PAYOUT_PROVIDER that pays it; the first one assigned stays. Absent before that, and for a rehearsal.
   */
  payoutProvider?: ReturnType<typeof payoutSettingOf>;
  /** As it was requested at the creation, without the top-ups. */
  plan: ShownPlan;
  /** In order; empty when nothing was added. */
  topUps: TopUpView[];
  /** Absent: the host says nothing, and it has the default theme. */
  greeting?: Greeting;
  commitment?: string;
  /** Only for a settled rain: until then it is a secret. */
  seed?: string;
}

/** `rains`: newest first; `total`: all rains in the ledger, listed or not. */
export type RainList = { rains: RainView[]; total: number };

export const RAINS_MAX = 1_000;

/** The newest rains, at most `limit`. */
export async function listRains(context: OperatorContext, limit = 100): Promise<RainList> {
  const [rains, total] = await Promise.all([
    context.ledger.rains(Math.min(limit, RAINS_MAX)),
    context.ledger.countRains(),
  ]);
  return { rains: await viewRains(context, rains), total };
}

/** Views of these rains, in the given order. */
export async function viewRains(context: OperatorContext, rains: readonly BookedRain[]): Promise<RainView[]> {
  const [live, now, figures] = await Promise.all([
    liveRains(context.redis),
    redisNow(context.redis),
    context.ledger.rainFigures(rains.map(({ id }) => id)),
  ]);
  return Promise.all(
    rains.map(async (rain) => {
      const found = live.get(rain.id);
      const snapshot = found && (await readRain(context.redis, rain.id, found));
      return view(context, rain, figures.get(rain.id)!, snapshot, now);
    }),
  );
}

export async function showRain(context: OperatorContext, rainId: string): Promise<RainDetail | undefined> {
  const [rain, figures, live, now, commitment, greeting = {}] = await Promise.all([
    context.ledger.rain(rainId),
    context.ledger.rainFigures([rainId]),
    liveRains(context.redis),
    redisNow(context.redis),
    recordedCommitment(context, rainId),
    context.ledger.greeting(rainId),
  ]);
  if (!rain) return undefined;
  const found = live.get(rainId);
  const snapshot = found && (await readRain(context.redis, rainId, found));
  const summary = await view(context, rain, figures.get(rainId)!, snapshot, now);
  const topUps = rain.topUps.map(
    ({ ordinal, id, budgetCents, packets, commitment: promised, createdAt, seed }): TopUpView => ({
      topUp: ordinal,
      id,
      budget: formatMoney(budgetCents),
      packets,
      commitment: promised,
      at: new Date(createdAt).toISOString(),
      ...(rain.settledAt !== undefined && { seed }),
    }),
  );
  return {
    ...summary,
    loaded: snapshot?.loaded ?? (rain.settledAt === undefined ? 0 : rain.packets),
    ...(rain.payoutProvider && { payoutProvider: payoutSettingOf(rain.payoutProvider) }),
    plan: rain.split as unknown as ShownPlan,
    topUps,
    ...(Object.keys(greeting).length > 0 && { greeting }),
    ...(commitment !== undefined && { commitment }),
    ...(rain.settledAt !== undefined && { seed: rain.seed }),
  };
}

async function view(
  context: OperatorContext,
  rain: BookedRain,
  figures: RainFigures,
  snapshot: StoredRain | undefined,
  nowMs: number,
): Promise<RainView> {
  const { credited, recycledCents } = figures;
  return {
    rainId: rain.id,
    title: rain.title,
    terms: rain.terms,
    ...(rain.campaign && { campaign: rain.campaign }),
    state: rain.settledAt
      ? 'settled'
      : snapshot
        ? stateAt(snapshot, nowMs)
        : (await wasLoaded(context, rain.id, figures))
          ? 'lost'
          : 'draft',
    opensAt: new Date(rain.opensAt).toISOString(),
    closesAt: new Date(rain.closesAt).toISOString(),
    budget: formatMoney(rain.budgetCents),
    packets: rain.packets,
    shards: rain.shards,
    left: snapshot?.left ?? 0,
    claims: snapshot?.claims ?? credited.count,
    spoiled: snapshot?.spoiled ?? 0,
    relayed: snapshot?.relayed ?? credited.count,
    credited: credited.count,
    creditedAmount: formatMoney(credited.cents),
    recycled: formatMoney(recycledCents),
    ...(snapshot?.ticketRules && snapshot.ticketRules.tickets !== 'off' && { ticketRules: snapshot.ticketRules }),
    ...(snapshot?.held !== undefined && rain.settledAt === undefined && { held: snapshot.held }),
  };
}
