import { atCreation, type BookedRain } from '../../ledger/rains.ts';
import { formatMoney, type Cents } from '../../rain/money.ts';
import { PACKETS_MAX } from '../../rain/plan.ts';
import { methodOf, restOf } from '../../rain/split/methods.ts';
import type { OperatorContext } from '../context.ts';
import { addToRain, ROLL_OVER, type TopUpRequest } from '../topUp.ts';

/**
 * When a round is settled, its unclaimed money goes to the next round that is not over, as a top-up; when none is left,
 * it stays with the operator. The top-up's id contains the round that it comes from, and ids are unique. So this may be
 * cut anywhere, repeated, and run by several callers at once, and the money moves once.
 * @param rain settled in the ledger, and not yet in Redis: until then a settlement calls this again
 * @throws when a server cannot be reached; repeat it then
 */
export async function rollOver(context: OperatorContext, rain: BookedRain, cents: Cents): Promise<void> {
  if (!rain.campaign || cents === 0n) return;
  if (!(await context.ledger.campaign(rain.campaign.id))?.rollOver) return;
  if ((await context.ledger.actions(rain.id)).some(({ verb }) => verb === 'roll-over')) return;
  const to = await add(context, rain, cents);
  await context.ledger.record({
    actor: context.actor,
    verb: 'roll-over',
    rainId: rain.id,
    details: {
      amount: formatMoney(cents),
      ...(to ? { to } : { keeps: 'the operator: no further round of the campaign goes on' }),
    },
  });
}

/** @returns the round that received the money; `undefined`: no round takes it */
async function add(context: OperatorContext, rain: BookedRain, cents: Cents): Promise<string | undefined> {
  const id = `${ROLL_OVER}${rain.id}`;
  const earlier = await finish(context, rain, id);
  if (earlier !== undefined) return earlier;
  for (const next of await context.ledger.rounds(rain.campaign!.id)) {
    if (next.campaign!.round <= rain.campaign!.round) continue;
    const added = await addToRain(context, next.id, { id, ...topUpFor(next, cents) });
    if (added.ok) return next.id;
    // Refused but booked: the round ended before its packets were in Redis, or another caller was faster.
    const receiver = await finish(context, rain, id);
    if (receiver !== undefined) return receiver;
  }
  return undefined;
}

/** Loads the top-up's packets into Redis if a round has it in the ledger and is not over. @returns that round */
async function finish(context: OperatorContext, rain: BookedRain, id: string): Promise<string | undefined> {
  for (const { id: receiver, topUps } of await context.ledger.rounds(rain.campaign!.id)) {
    const booked = topUps.find((topUp) => topUp.id === id);
    if (!booked) continue;
    await addToRain(context, receiver, { id, ...(booked.split as unknown as Omit<TopUpRequest, 'id'>) });
    return receiver;
  }
  return undefined;
}

/**
 * Keeps the round's planned mean amount, at least one packet; without the bounds of its split: a small rest must be won
 * too.
 */
export function topUpFor(
  next: Pick<BookedRain, 'budgetCents' | 'packets' | 'topUps' | 'split'>,
  cents: Cents,
): Pick<TopUpRequest, 'budget' | 'packets' | 'split'> {
  const planned = atCreation(next);
  const packets = Number((BigInt(planned.packets) * cents) / planned.budgetCents);
  const method = methodOf(next.split['split']);
  // Booked by a newer version of this program: that version has to settle it.
  if (!method) throw new Error('this version does not know the split method of the next round');
  return {
    budget: formatMoney(cents),
    packets: Math.max(1, Math.min(packets, PACKETS_MAX - next.packets)),
    split: { method: restOf(method).name },
  };
}
