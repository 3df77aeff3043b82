import { atCreation, type BookedRain } from '../../ledger/rains.ts';
import { formatMoney, type Cents } from '../../rain/money.ts';
import { PACKETS_MAX } from '../../rain/plan.ts';
import { methodOf, restOf } from '../../rain/split/methods.ts';
import type { OperatorContext } from '../context.ts';
import { addToRain, ROLL_OVER, type TopUpRequest } from '../topUp.ts';

/**
 * Once a round is settled, what nobody has won in it goes into the next round that is not over, as a top-up: the operator has
 * it back first, and then adds it. The top-up is named after the round that it comes from, and no two top-ups share a name;
 * so this may be cut anywhere and done again, by several at once, and the money moves once. Where no round is left it stays with
 * the operator. Either way it is on record with the round that it comes from.
 *
 * @param rain settled in the book, and not yet in Redis: until then whoever settles it comes by here again
 * @param cents what went back when it was settled
 * @throws when a server cannot be reached; to be done again then
 */
export async function rollOver(context: OperatorContext, rain: BookedRain, cents: Cents): Promise<void> {
  if (!rain.campaign || cents === 0n) return;
  if (!(await context.ledger.campaign(rain.campaign.id))?.rollOver) return;
  if ((await context.ledger.actions(rain.id)).some(({ verb }) => verb === 'roll-over')) return;
  const to = await add(context, rain, cents);
  await context.ledger.record({ actor: context.actor, verb: 'roll-over', rainId: rain.id, details: { amount: formatMoney(cents), ...(to ? { to } : { keeps: 'the operator: no further round of the campaign goes on' }) } });
}

/** @returns the round that has it now; `undefined`: none takes it */
async function add(context: OperatorContext, rain: BookedRain, cents: Cents): Promise<string | undefined> {
  const id = `${ROLL_OVER}${rain.id}`;
  const begun = await holder(context, rain, id);
  if (begun) return finish(context, begun, id);
  for (const next of await context.ledger.rounds(rain.campaign!.id)) {
    if (next.campaign!.round <= rain.campaign!.round) continue;
    const added = await addToRain(context, next.id, { id, ...topUpFor(next, cents) });
    if (added.ok) return next.id;
    // Refused, and booked all the same: it was over before its packets were in Redis, or another was quicker than we.
    const holding = await holder(context, rain, id);
    if (holding) return finish(context, holding, id);
  }
  return undefined;
}

/** The round whose book has this top-up already. */
async function holder(context: OperatorContext, rain: BookedRain, id: string): Promise<BookedRain | undefined> {
  return (await context.ledger.rounds(rain.campaign!.id)).find(({ topUps }) => topUps.some((topUp) => topUp.id === id));
}

/** Brings its packets into Redis, if they are not there. Should the round be over by now they go back with what nobody has won. */
async function finish(context: OperatorContext, holding: BookedRain, id: string): Promise<string> {
  const { split } = holding.topUps.find((topUp) => topUp.id === id)!;
  await addToRain(context, holding.id, { id, ...split as unknown as Omit<TopUpRequest, 'id'> });
  return holding.id;
}

/**
 * As many packets as leave the mean amount of the round what it was planned to be, rounded down, and one at least. How they are
 * split is told by the round's method; its bounds do not count, since a rest that is smaller than the smallest packet must be won, too.
 * @throws when the round is split by a method that this version does not know: nothing is guessed about money
 */
export function topUpFor(next: Pick<BookedRain, 'budgetCents' | 'packets' | 'topUps' | 'split'>, cents: Cents): Pick<TopUpRequest, 'budget' | 'packets' | 'split'> {
  const planned = atCreation(next);
  const packets = Number(BigInt(planned.packets) * cents / planned.budgetCents);
  const method = methodOf(next.split['split']);
  // Booked by a newer version of this program: one of those has to settle it.
  if (!method) throw new Error('the next round is split in a way that this version does not know');
  return {
    budget: formatMoney(cents),
    packets: Math.max(1, Math.min(packets, PACKETS_MAX - next.packets)),
    split: { method: restOf(method).name },
  };
}
