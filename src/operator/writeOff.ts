import { leave } from '../store/campaign.ts';
import { remembersEnd } from '../store/endedRains.ts';
import { SETTLED_TTL_MS, shardKeys } from '../store/keys.ts';
import { hasOlderLabels, olderLabelsReason } from '../store/olderLabels.ts';
import { findRain } from '../store/rains.ts';
import { announceChange } from '../store/transitions.ts';
import type { BookedRain } from '../ledger/rains.ts';
import { formatMoney, parseMoney } from '../rain/money.ts';
import { readBooked } from './audit/booked.ts';
import { needsApproval } from './approval/ask.ts';
import { bookOf, refuse, type OperatorContext, type QueueContext, type Refused } from './context.ts';
import { allocationOf } from '../ledger/allocation.ts';
import { hasLost } from './lostRains.ts';
import { postClaims } from './restore/postClaims.ts';
import { lostReason, unknownReason } from './restore/presence.ts';
import { claimOf, readJudgedWins, takenPackets, type JudgedWin } from './restore/toldWins.ts';
import { readReason } from './wording.ts';
import { lostTopUpPackets, writeOffLostTopUp } from './writeOff/lostTopUp.ts';
import { writeOffUnknownRain } from './writeOff/unknownRain.ts';
import type { UnpayableWin } from './writeOff/unpayableWins.ts';

export interface WriteOffRequest extends Omit<WriteOffOptions, 'waitMs' | 'dryRun'> {
  reason: string;
}

interface WriteOffOptions {
  dryRun?: boolean | undefined;
  /**
   * Whether the told wins that receipt and plan confirm are paid first; absent: the write-off is refused while there
   * are any.
   */
  payTold?: boolean | undefined;
  /** The operator's word that this database replaces a lost one; see `writeOffUnknownRain`. */
  newDatabase?: boolean | undefined;
  /** How long it waits for the workers to credit them, ms. */
  waitMs?: number;
}

/**
 * `amount`: money that went back, a decimal string; `told`: wins that users were told and that were not credited,
 * absent if none is known · `unknown`: the ledger has no such rain, so all that is known is that list · `withdrawn`:
 * packets of a lost top-up that were taken off the list
 */
type WrittenOff =
  | { ok: true; amount: string; told?: (JudgedWin | UnpayableWin)[]; unknown?: true; withdrawn?: number }
  | Refused;

const RECORDED_MAX = 20;

/**
 * Closes the ledger of a rain that Redis has lost: the rest goes back. One that the ledger has lost ends in Redis, see
 * `writeOffUnknownRain`; a lost top-up is taken off its rain. Users who were told of a win and are not credited are
 * listed, as far as gateways or they themselves have left a record; they are paid first, or on the operator's word not
 * at all. If it is cut, repeat it.
 */
export async function writeOffRain(
  context: OperatorContext,
  rainId: string,
  why: string,
  { dryRun = false, payTold, newDatabase = false, waitMs = 15_000 }: WriteOffOptions = {},
): Promise<WrittenOff> {
  const given = readReason(why);
  if (!given.ok) return given;
  const rain = await context.ledger.rain(rainId);
  const live = rain ? undefined : await findRain(context.redis, rainId);
  if (live) {
    const done = await writeOffUnknownRain(context, rainId, live, { reason: given.reason, dryRun, newDatabase });
    return done.ok ? { ok: true, amount: formatMoney(0n), unknown: true, told: done.told } : done;
  }
  if (!rain) return refuse('id', await unknownReason(context, rainId));
  const lost = rain.settledAt === undefined ? await lostTopUpPackets(context, rainId, rain.shards) : 0;
  if (lost > 0) {
    const done = await writeOffLostTopUp(context, rain, lost, { reason: given.reason, dryRun });
    return done.ok ? { ...done, amount: formatMoney(0n) } : done;
  }
  const refusal = await notLost(context, rain);
  if (refusal !== undefined) return refuse('id', refusal);
  const told = await toldWins(context, rain);
  const payable = told.filter(({ verdict }) => verdict === 'payable');
  if (payable.length > 0 && payTold === undefined && !dryRun) {
    return refuse(
      'told',
      `${payable.length} users were told wins that are not credited: ${nameWins(payable)}; pay them with --pay-told, or close the ledger without them with --no-pay-told`,
    );
  }
  const paying = payTold ? payable : [];
  const waiting = !dryRun && (await waitsForApproval(context, rain, { reason: given.reason, payTold, newDatabase }));
  if (waiting) return waiting;
  return closeLedger(context, rain, { reason: given.reason, told, paying, dryRun, waitMs });
}

/** @param told users without a credit @param paying those of them that are paid first */
async function closeLedger(
  context: OperatorContext,
  rain: BookedRain,
  {
    reason,
    told,
    paying,
    dryRun,
    waitMs,
  }: { reason: string; told: JudgedWin[]; paying: JudgedWin[]; dryRun: boolean; waitMs: number },
): Promise<WrittenOff> {
  const { id: rainId } = rain;
  if (!dryRun)
    await context.ledger.record({
      actor: context.actor,
      verb: 'write-off',
      rainId,
      details: {
        reason,
        ...(told.length > 0 && {
          told: told.length,
          paid: paying.length,
          wins: paying.slice(0, RECORDED_MAX).map(({ redPacketId, userId }) => `${redPacketId} ${userId}`),
        }),
      },
    });
  const unpaid = dryRun ? undefined : await pay(context, rain, paying, waitMs);
  if (unpaid) return unpaid;
  // Sealed first: nothing can be added after this, so the sums below are final.
  if (!dryRun) await context.ledger.seal(rainId);
  const { fundedCents, credited, discarded, recycledCents } = await bookOf(context, rainId);
  const toPayCents = dryRun ? paying.reduce((sum, { amount }) => sum + parseMoney(amount)!, 0n) : 0n;
  const restCents = fundedCents - credited.cents - discarded.cents - recycledCents - toPayCents;
  const back = {
    ok: true,
    amount: formatMoney(recycledCents + (recycledCents === 0n ? restCents : 0n)),
    ...(told.length > 0 && { told }),
  } as const;
  if (dryRun) return back;
  if (recycledCents === 0n) await context.ledger.recycle(rainId, restCents, context.actor);
  await context.ledger.settle(rainId);
  await leave(context.redis, rainId, rain.shards, SETTLED_TTL_MS);
  await announceChange(context.redis, rainId);
  return back;
}

/** All that the ledger of the rain still has moves: to users, or back. */
async function waitsForApproval(
  context: OperatorContext,
  { id: rainId }: BookedRain,
  request: WriteOffRequest,
): Promise<Refused | undefined> {
  const { fundedCents, credited, discarded } = await bookOf(context, rainId);
  return needsApproval(context, {
    verb: 'write-off',
    rainId,
    request,
    amountCents: fundedCents - credited.cents - discarded.cents,
  });
}

/** Why the rain must not be written off; `undefined`: Redis has lost it. */
async function notLost(context: OperatorContext, rain: BookedRain): Promise<string | undefined> {
  if (rain.settledAt !== undefined) return `the rain ${rain.id} is settled`;
  if (await hasOlderLabels(context.redis, rain.id, rain.shards)) return olderLabelsReason(rain.id);
  const keys = Array.from({ length: rain.shards }, (_, shard) => shardKeys(rain.id, shard));
  const states = await Promise.all(keys.map(({ state }) => context.redis.exists(state)));
  if (!states.includes(0)) return `Redis still holds the rain ${rain.id}; end it with close`;
  const rest = await Promise.all(
    keys.map(({ state, claims, claimed }) => context.redis.exists(state, claims, claimed)),
  );
  if (rest.some((found) => found > 0)) return lostReason(rain.id);
  if (!(await hasLost(context, rain)))
    return `nobody can have won in ${rain.id}: load it again with load, or wait: its money goes back when its time is over`;
  const wasSettled = await remembersEnd(context.redis, rain.id);
  const imported =
    wasSettled &&
    (await context.ledger.actions(rain.id)).some(
      ({ verb, details }) => verb === 'restore' && Object.hasOwn(details ?? {}, 'imported'),
    );
  return wasSettled && !imported
    ? `Redis remembers that the rain ${rain.id} was settled, so the ledger has lost its credits; first import the winners with rain restore import ${rain.id}, if there was none with a file of the header alone`
    : undefined;
}

/** Told wins that are not credited. */
async function toldWins(context: OperatorContext, rain: BookedRain): Promise<JudgedWin[]> {
  const taken = takenPackets(await readBooked(context, rain.id), []);
  return (await readJudgedWins(context, rain, allocationOf(rain), taken)).filter(({ verdict }) => verdict !== 'known');
}

/** @returns a refusal when not all could be paid: then nothing goes back */
async function pay(
  context: OperatorContext,
  rain: BookedRain,
  wins: readonly JudgedWin[],
  waitMs: number,
): Promise<Refused | undefined> {
  if (wins.length === 0) return undefined;
  if (!hasQueues(context))
    throw new TypeError('told wins are paid through the credit queue, which this context does not have');
  const unpaid = new Set(
    await postClaims(
      context,
      rain,
      wins.map((win) => claimOf(rain.id, win)),
      waitMs,
    ),
  );
  if (unpaid.size === 0) return undefined;
  return refuse(
    'told',
    `${unpaid.size} of ${wins.length} told wins are not credited yet, and nothing went back; see rain dead list --rain ${rain.id}, check that a worker runs, and repeat this command`,
  );
}

function hasQueues(context: OperatorContext): context is QueueContext {
  return context.queues !== undefined;
}

function nameWins(wins: readonly JudgedWin[]): string {
  const named = wins
    .slice(0, 10)
    .map(({ redPacketId, userId, amount }) => `${userId} ${redPacketId} ${amount}`)
    .join(', ');
  return wins.length > 10 ? `${named} and ${wins.length - 10} more` : named;
}
