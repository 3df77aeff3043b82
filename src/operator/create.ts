import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { SHARDS_MAX } from '../store/keys.ts';
import { announceChange } from '../store/transitions.ts';
import { redisNow } from '../store/rains.ts';
import { draftRain, isTaken } from '../store/loadPackets.ts';
import type { Json } from '../ledger/actions.ts';
import type { RainField } from '../ledger/rains.ts';
import { rainId } from '../rain/claim.ts';
import { seed } from '../rain/fairness.ts';
import { iso } from '../rain/figures.ts';
import { checkPlan } from '../rain/plan-check.ts';
import { refusalsOf } from '../rain/refusal.ts';
import { askedTerms, judgeTerms } from '../rain/terms-check.ts';
import { draftOf } from './commitment.ts';
import { nameRain, roundRequest } from './campaign/round.ts';
import { refuse, type OperatorContext, type Refused } from './context.ts';
import { hasLost } from './lostRains.ts';
import { rainTitle } from './wording.ts';

/** A rain may be planned this far ahead and last this long; beyond it somebody mistook seconds for milliseconds. */
const AHEAD_MS_MAX = 366 * 86_400_000;
const DURATION_MS_MAX = 7 * 86_400_000;

const MOMENT = 'expected epoch milliseconds';
/** What is none is refused here: a time that no date can have could not even be told. */
export const moment = z.int(MOMENT).min(0, MOMENT).max(8_640_000_000_000_000, MOMENT);
const createRequest = z.strictObject({
  id: rainId.optional(),
  title: rainTitle.optional(),
  /** Budget, packets, split, min, max: judged by `checkPlan`. */
  plan: z.unknown(),
  opensAt: moment,
  closesAt: moment,
  shards: z.int().min(1, 'expected at least 1 shard').max(SHARDS_MAX, `expected at most ${SHARDS_MAX} shards`).optional(),
  /** A round of a campaign: then it is called `<campaign>.<round>`, and has as many shards as all rounds. */
  campaign: roundRequest.optional(),
  /** All else that is decided about it, see rain/terms.ts. */
  terms: askedTerms.default({}),
  /** Only for reproducing a rain; whoever knows it beforehand knows every packet, and that of a settled rain is known to all. */
  seed: seed.optional(),
});
export type CreateRequest = z.input<typeof createRequest>;

/** What the operator calls a field that the book calls otherwise. */
const ASKED_AS: Partial<Record<RainField, string>> = { budgetCents: 'budget', split: 'plan' };

/**
 * `commitment` is absent when an old rain that has none was created again, and of a dry run, which tells instead whether money would
 * leave the operator's account.
 */
type Created = { ok: true; rainId: string; opensAt: number; closesAt: number; commitment?: string; funded?: boolean } | Refused;

/** A new id: the time makes it sort, the random part makes it unique. */
export function newRainId(now: number): string {
  return `${now.toString(36)}${randomBytes(4).toString('hex')}`;
}

/**
 * Plans a rain: puts the budget aside in the book, then writes the empty rain down in Redis. Killed in between, it is
 * finished by `load` or by creating it again.
 * @param dryRun only say whether it would be taken
 */
export async function createRain(context: OperatorContext, request: CreateRequest, { dryRun = false }: { dryRun?: boolean } = {}): Promise<Created> {
  const parsed = createRequest.safeParse(request);
  const verdict = checkPlan(request.plan);
  const refusals = [
    ...(parsed.success ? [] : refusalsOf(parsed.error, 'rain')),
    ...(verdict.ok ? [] : verdict.refusals),
    ...(parsed.success ? judgeTerms(parsed.data.terms, parsed.data.campaign !== undefined) : []),
  ];
  if (!parsed.success || !verdict.ok || refusals.length > 0) return { ok: false, refusals };
  const now = await redisNow(context.redis);
  const { opensAt, closesAt, terms } = parsed.data;
  const named = await nameRain(context, parsed.data, () => newRainId(now));
  if (!named.ok) return named;
  const { id, shards, campaign } = named;
  const standing = await context.ledger.rain(id);
  if (standing?.settledAt) return refuse('id', `the rain ${standing.id} is settled`);
  if (standing && await hasLost(context, standing)) return refuse('id', `Redis has lost the rain ${standing.id} after it had opened`);
  // One that was created in time and cut before Redis is finished even now, so that its money can go back.
  const wrong = judgeWindow({ opensAt, closesAt }, now, standing !== undefined);
  if (wrong) return wrong;

  const title = parsed.data.title ?? `Rain ${id}`;
  const { plan } = verdict;
  const booked = await context.ledger.createRain({
    id, title, budgetCents: plan.budgetCents, packets: plan.packets, split: request.plan as Json,
    seed: parsed.data.seed ?? randomBytes(32).toString('hex'), shards, opensAt, closesAt, terms,
    ...(campaign && { campaign }),
  }, context.actor, dryRun);
  // Asked again without a seed, the rain keeps the one it was given first.
  const differing = booked.outcome === 'differs' ? booked.fields.filter((field) => field !== 'seed' || parsed.data.seed !== undefined) : [];
  if (differing.length > 0) return refuse('id', `a rain ${id} exists already, with another ${differing.map((field) => ASKED_AS[field] ?? field).join(', ')}`);
  if (dryRun) {
    if (!standing && await isTaken(context.redis, id, shards)) return refuse('id', `Redis still holds another rain ${id}`);
    return { ok: true, rainId: id, opensAt, closesAt, funded: booked.outcome === 'created' };
  }
  const draft = await draftOf(context, (await context.ledger.rain(id))!);
  const drafted = await draftRain(context.redis, draft);
  if (drafted === 'taken') return refuse('id', `Redis still holds another rain ${id}`);
  await announceChange(context.redis, id);
  return { ok: true, rainId: id, opensAt, closesAt, ...(draft.commitment !== undefined && { commitment: draft.commitment }) };
}

/** Why a rain cannot be planned for this time. @param now epoch ms @param known it was planned before, so that it may be over by now */
export function judgeWindow({ opensAt, closesAt }: { opensAt: number; closesAt: number }, now: number, known = false): Refused | undefined {
  if (closesAt <= opensAt) return refuse('closesAt', `${iso(closesAt)} is not after the start at ${iso(opensAt)}`);
  if (closesAt <= now && !known) return refuse('closesAt', `${iso(closesAt)} has passed already`);
  if (opensAt - now > AHEAD_MS_MAX) return refuse('opensAt', `${iso(opensAt)} is more than a year ahead`);
  if (closesAt - opensAt > DURATION_MS_MAX) return refuse('closesAt', 'a rain lasts a week at most');
  return undefined;
}
