import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { announceChange } from '../store/transitions.ts';
import { redisNow } from '../store/rains.ts';
import { draftRain, isTaken } from '../store/loadPackets.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import { slotTable } from '../platform/redis/owner.ts';
import type { Json } from '../ledger/actions.ts';
import { rainId } from '../rain/ids.ts';
import type { Cents } from '../rain/money.ts';
import { seed } from '../rain/fairness.ts';
import { checkPlan } from '../rain/plan-check.ts';
import { refusalsOf } from '../rain/refusal.ts';
import { requestedTerms, checkTerms } from '../rain/terms-check.ts';
import { requestedGreeting } from '../rain/theme/check.ts';
import { ticketRules } from '../rain/ticket-rules-check.ts';
import { draftOf } from './commitment.ts';
import { nameRain, roundRequest, shardCount } from './campaign/create.ts';
import { existsAlready, refuse, type OperatorContext, type Refused } from './context.ts';
import { hasLost } from './lostRains.ts';
import { goneReason } from './restore/presence.ts';
import { needsApproval } from './approval/ask.ts';
import { drawEvenId, unevenReason } from './placement.ts';
import { themeRefusal } from './themes.ts';
import { followTickets } from './tickets.ts';
import { checkWindow, moment } from './window.ts';
import { rainTitle } from './wording.ts';

const createRequest = z.strictObject({
  id: rainId.optional(),
  title: rainTitle.optional(),
  /** Budget, packets, split, min, max: checked by `checkPlan`. */
  plan: z.unknown(),
  opensAt: moment,
  closesAt: moment,
  shards: shardCount.optional(),
  /** The round of a campaign that this rain is. Its id is then `<campaign>.<round>`, and it has as many shards as all rounds. */
  campaign: roundRequest.optional(),
  /** All other terms, see rain/terms.ts. */
  terms: requestedTerms.default({}),
  /** Whether a grab needs a ticket, and a ticket a proof of work; can be changed later, see operator/tickets.ts. */
  ticketRules: ticketRules.optional(),
  /** What the host says with it, and its theme; can be changed later, see operator/themes.ts. */
  greeting: requestedGreeting.optional(),
  /** Only to reproduce a rain. The seed predicts every packet, and the seed of a settled rain is public. */
  seed: seed.optional(),
});
export type CreateRequest = z.input<typeof createRequest>;

/** `commitment`: absent for an old rain without one, and in a dry run. `funded`: only in a dry run, whether money would move. `uneven`: see `unevenReason`. */
type Created = { ok: true; rainId: string; opensAt: number; closesAt: number; commitment?: string; funded?: boolean; uneven?: string } | Refused;

/** A new id: the time makes it sortable, the random part makes it unique. */
export function newRainId(now: number): string {
  return `${now.toString(36)}${randomBytes(4).toString('hex')}`;
}

/** The same for a rain of so many shards: they spread over the masters that this client knows. */
export function newPlacedId(now: number, shards: number, redis: RedisClient): string {
  return drawEvenId(slotTable(redis), shards, () => newRainId(now));
}

/** Reserves the budget in the ledger, then writes the empty rain to Redis. If cut in between, `load` or a second call finishes it. */
export async function createRain(context: OperatorContext, request: CreateRequest, { dryRun = false }: { dryRun?: boolean } = {}): Promise<Created> {
  const parsed = createRequest.safeParse(request);
  const checked = checkPlan(request.plan);
  const refusals = [
    ...(parsed.success ? [] : refusalsOf(parsed.error, 'rain')),
    ...(checked.ok ? [] : checked.refusals),
    ...(parsed.success ? checkTerms(parsed.data.terms, parsed.data.campaign !== undefined) : []),
  ];
  if (!parsed.success || !checked.ok || refusals.length > 0) return { ok: false, refusals };
  const now = await redisNow(context.redis);
  const { opensAt, closesAt, terms } = parsed.data;
  const named = await nameRain(context, parsed.data, 'rain', (shards) => newPlacedId(now, shards, context.redis));
  if (!named.ok) return named;
  const { id, shards, campaign } = named;
  const existing = await context.ledger.rain(id);
  if (existing?.settledAt) return refuse('id', `the rain ${existing.id} is settled`);
  if (existing && await hasLost(context, existing)) return refuse('id', await goneReason(context.redis, existing));
  // A rain that was created in time but never reached Redis is finished even now, so that its money can go back.
  const refusal = checkWindow({ opensAt, closesAt }, now, existing !== undefined);
  if (refusal) return refusal;
  const noTheme = existing ? undefined : await themeRefusal(context, parsed.data.greeting?.theme, 'greeting.theme');
  if (noTheme) return noTheme;
  const taken = refuse('id', `Redis still holds another rain ${id}`);
  // Read the ledger again: the same request may have been booked and written meanwhile.
  if (!existing && await isTaken(context.redis, id, shards) && !await context.ledger.rain(id)) return taken;

  const title = parsed.data.title ?? `Rain ${id}`;
  const { plan } = checked;
  // Test money needs no second operator, and a rain that is booked moves none.
  const waiting = !existing && !dryRun && terms.rehearsal !== true && await needsApproval(context, { verb: 'create', rainId: id, request: { ...request, id, opensAt, closesAt }, amountCents: plan.budgetCents });
  if (waiting) return waiting;
  const booked = await context.ledger.createRain({
    id, title, budgetCents: plan.budgetCents, packets: plan.packets, split: request.plan as Json,
    seed: parsed.data.seed ?? randomBytes(32).toString('hex'), shards, opensAt, closesAt, terms,
    ...(campaign && { campaign }),
  }, context.actor, dryRun, parsed.data);
  // Repeated without a seed, the rain keeps its first one.
  const differing = booked.outcome === 'differs' ? booked.fields.filter((field) => field !== 'seed' || parsed.data.seed !== undefined) : [];
  if (differing.length > 0) return existsAlready('rain', id, differing);
  const uneven = unevenReason(slotTable(context.redis), id, shards);
  const known = { ok: true as const, rainId: id, opensAt, closesAt, ...(uneven !== undefined && { uneven }) };
  if (dryRun) return { ...known, funded: booked.outcome === 'created' };
  const draft = await draftOf(context, (await context.ledger.rain(id))!);
  const drafted = await draftRain(context.redis, context.signer, draft);
  if (drafted === 'taken') {
    // Somebody was faster since we looked. What was booked just now has no packets yet: its money goes back, and the rain is over.
    if (booked.outcome === 'created') await giveBack(context, id, plan.budgetCents);
    return taken;
  }
  await followTickets(context, 'rain', id, shards);
  await announceChange(context.redis, id);
  return { ...known, ...(draft.commitment !== undefined && { commitment: draft.commitment }) };
}

async function giveBack({ ledger, actor }: OperatorContext, rainId: string, budgetCents: Cents): Promise<void> {
  await ledger.seal(rainId);
  await ledger.recycle(rainId, budgetCents, actor);
  await ledger.settle(rainId);
}
