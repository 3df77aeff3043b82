import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { announceChange } from '../store/transitions.ts';
import { redisNow } from '../store/rains.ts';
import { draftRain, isTaken } from '../store/loadPackets.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import { slotTable } from '../platform/redis/owner.ts';
import type { Json } from '../ledger/actions.ts';
import type { BookedRain } from '../ledger/rains.ts';
import { idAt } from '../rain/idAt.ts';
import { rainId } from '../rain/ids.ts';
import type { Cents } from '../rain/money.ts';
import { seed } from '../rain/fairness.ts';
import { draftOf } from './commitment.ts';
import { nameRain, roundRequest } from './campaign/create.ts';
import { existsAlready, refuse, type OperatorContext, type Refused } from './context.ts';
import { hasLost } from './lostRains.ts';
import { goneReason } from './restore/presence.ts';
import { needsApproval } from './approval/ask.ts';
import { drawEvenId, unevenReason } from './placement.ts';
import { readForm, rainForm } from './rainForm.ts';
import { themeRefusal } from './themes.ts';
import { followTickets } from './tickets.ts';
import { checkWindow, moment } from './window.ts';

const createRequest = z.strictObject({
  id: rainId.optional(),
  ...rainForm,
  opensAt: moment,
  closesAt: moment,
  /**
   * The round of a campaign that this rain is. Its id is then `<campaign>.<round>`, and it has as many shards as all
   * rounds.
   */
  campaign: roundRequest.optional(),
  /** Only to reproduce a rain. The seed predicts every packet, and the seed of a settled rain is public. */
  seed: seed.optional(),
});
export type CreateRequest = z.input<typeof createRequest>;

/**
 * `commitment`: absent for an old rain without one, and in a dry run. `funded`: only in a dry run, whether money would
 * move. `uneven`: see `unevenReason`.
 */
type Created =
  | {
      ok: true;
      rainId: string;
      opensAt: number;
      closesAt: number;
      commitment?: string;
      funded?: boolean;
      uneven?: string;
    }
  | Refused;

export function newRainId(now: number): string {
  return idAt(now, randomBytes(4));
}

/** The same for a rain of so many shards: they spread over the masters that this client knows. */
export function newPlacedId(now: number, shards: number, redis: RedisClient): string {
  return drawEvenId(slotTable(redis), shards, () => newRainId(now));
}

/** The title of a rain that was given none. */
export function usualTitle(id: string): string {
  return `Rain ${id}`;
}

/**
 * Reserves the budget in the ledger, then writes the empty rain to Redis. If cut in between, `load` or a second call
 * finishes it.
 */
export async function createRain(
  context: OperatorContext,
  request: CreateRequest,
  { dryRun = false }: { dryRun?: boolean } = {},
): Promise<Created> {
  const read = readForm(createRequest, request, ({ campaign }) => campaign !== undefined);
  if (!read.ok) return read;
  const { data, plan } = read;
  const now = await redisNow(context.redis);
  const { opensAt, closesAt, terms } = data;
  const named = await nameRain(context, data, 'rain', (shards) => newPlacedId(now, shards, context.redis));
  if (!named.ok) return named;
  const { id, shards, campaign } = named;
  const existing = await context.ledger.rain(id);
  const refusal = existing
    ? await refuseAgain(context, existing, { opensAt, closesAt }, now)
    : await refuseNew(context, { id, shards }, data, now);
  if (refusal) return refusal;

  // Test money needs no second operator, and a rain that is booked moves none.
  const waiting =
    !existing &&
    !dryRun &&
    terms.rehearsal !== true &&
    (await needsApproval(context, {
      verb: 'create',
      rainId: id,
      request: { ...request, id, opensAt, closesAt },
      amountCents: plan.budgetCents,
    }));
  if (waiting) return waiting;
  const booked = await context.ledger.createRain(
    {
      id,
      title: titleOf(id, data.title),
      budgetCents: plan.budgetCents,
      packets: plan.packets,
      split: request.plan as Json,
      seed: data.seed ?? randomBytes(32).toString('hex'),
      shards,
      opensAt,
      closesAt,
      terms,
      ...(campaign && { campaign }),
    },
    context.actor,
    dryRun,
    data,
  );
  // Repeated without a seed, the rain keeps its first one.
  const differing =
    booked.outcome === 'differs' ? booked.fields.filter((field) => field !== 'seed' || data.seed !== undefined) : [];
  if (differing.length > 0) return existsAlready('rain', id, differing);
  const uneven = unevenReason(slotTable(context.redis), id, shards);
  const known = { ok: true as const, rainId: id, opensAt, closesAt, ...(uneven !== undefined && { uneven }) };
  if (dryRun) return { ...known, funded: booked.outcome === 'created' };
  const draft = await draftOf(context, (await context.ledger.rain(id))!);
  const drafted = await draftRain(context.redis, context.signer, draft);
  if (drafted === 'taken') {
    // Somebody was faster since we looked. The rain booked just now has no packets yet: its money goes back, and the
    // rain is over.
    if (booked.outcome === 'created') await giveBack(context, id, plan.budgetCents);
    return takenBy(id);
  }
  await followTickets(context, 'rain', id, shards);
  await announceChange(context.redis, id);
  return { ...known, ...(draft.commitment !== undefined && { commitment: draft.commitment }) };
}

const titleOf = (id: string, title: string | undefined): string => title ?? usualTitle(id);

/** Why a rain that is booked cannot be finished. */
async function refuseAgain(
  context: OperatorContext,
  existing: BookedRain,
  window: Pick<BookedRain, 'opensAt' | 'closesAt'>,
  now: number,
): Promise<Refused | undefined> {
  if (existing.settledAt) return refuse('id', `the rain ${existing.id} is settled`);
  if (await hasLost(context, existing)) return refuse('id', await goneReason(context.redis, existing));
  // A rain that was created in time but never reached Redis is finished even now, so that its money can go back.
  return checkWindow(window, now, true);
}

async function refuseNew(
  context: OperatorContext,
  { id, shards }: { id: string; shards: number },
  { opensAt, closesAt, greeting }: Pick<z.output<typeof createRequest>, 'opensAt' | 'closesAt' | 'greeting'>,
  now: number,
): Promise<Refused | undefined> {
  const refusal =
    checkWindow({ opensAt, closesAt }, now, false) ?? (await themeRefusal(context, greeting?.theme, 'greeting.theme'));
  if (refusal) return refusal;
  // Read the ledger again: the same request may have been booked and written meanwhile.
  return (await isTaken(context.redis, id, shards)) && !(await context.ledger.rain(id)) ? takenBy(id) : undefined;
}

const takenBy = (id: string): Refused => refuse('id', `Redis still holds another rain ${id}`);

async function giveBack({ ledger, actor }: OperatorContext, id: string, budgetCents: Cents): Promise<void> {
  await ledger.seal(id);
  await ledger.recycle(id, budgetCents, actor);
  await ledger.settle(id);
}
