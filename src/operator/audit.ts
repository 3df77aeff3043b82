import { redPacketId } from '../rain/red-packet.ts';
import { addsUp, toReport, type AuditReport, type Equation, type Share } from '../rain/equation.ts';
import { formatMoney } from '../rain/money.ts';
import type { Desk } from './desk.ts';
import { allocationOf } from './load.ts';
import { readTrail, type Trail } from './trail.ts';

export interface Audit {
  report: AuditReport;
  equation: Equation;
  /** What does not fit, packet by packet, in plain words; the first hundred. */
  problems: string[];
}

const PROBLEMS_MAX = 100;

/**
 * The money equation [R8] of one rain, from three witnesses that know nothing of each other: the allocation computed
 * anew from the recorded seed, what Redis holds, and the book. It holds while the rain is in full swing, too, since the
 * packets are read before the book and the book before the claim log: whatever moves meanwhile only moves forward.
 * @returns undefined when there is no such rain
 */
export async function auditRain(desk: Desk, rainId: string): Promise<Audit | undefined> {
  const rain = await desk.ledger.rain(rainId);
  if (!rain) return undefined;
  const amounts = allocationOf(rain);
  const trail = await readTrail(desk, rain);
  const { equation, problems } = weigh(rainId, rain.budgetCents, amounts, trail);
  const report = toReport(rainId, equation);
  return { report: { ...report, adds_up: addsUp(equation) && problems.length === 0 }, equation, problems: problems.slice(0, PROBLEMS_MAX) };
}

const none = (): Share => ({ count: 0, cents: 0n });

function add(share: Share, cents: bigint): void {
  share.count++;
  share.cents += cents;
}

/** Puts every allocated packet into exactly one term. Pure: the same trail gives the same verdict. */
export function weigh(rainId: string, budgetCents: bigint, amounts: BigInt64Array, trail: Trail): { equation: Equation; problems: string[] } {
  const problems: string[] = [];
  const [credited, pending, unclaimed, recycled, spoiled] = [none(), none(), none(), none(), none()];
  const known = { claims: 0, credits: 0 };
  for (let index = 0; index < amounts.length; index++) {
    const id = redPacketId(rainId, index);
    const cents = amounts[index]!;
    const claim = trail.claims.get(id);
    const credit = trail.credits.get(id);
    if (claim) {
      known.claims++;
      if (claim.cents !== cents) problems.push(`${id} was won as ${formatMoney(claim.cents)} and allocated as ${formatMoney(cents)}`);
    }
    if (credit) {
      known.credits++;
      add(credited, credit.cents);
      if (credit.cents !== cents) problems.push(`${id} was credited ${formatMoney(credit.cents)} and allocated as ${formatMoney(cents)}`);
      if (!claim && !trail.expired) problems.push(`${id} was credited to ${credit.userId} and is not in the claim log`);
      if (claim && claim.userId !== credit.userId) problems.push(`${id} is promised twice: credited to ${credit.userId}, in the log of ${claim.userId}`);
    } else if (claim) add(pending, claim.cents);
    else if (trail.unclaimed(id, index)) add(unclaimed, cents);
    else add(spoiled, cents);
  }
  if (known.claims < trail.claims.size) problems.push(`claims of packets that were never allocated: ${trail.claims.size - known.claims}`);
  if (known.credits < trail.credits.size) problems.push(`credits of packets that were never allocated: ${trail.credits.size - known.credits}`);
  if (!trail.expired && spoiled.count > trail.spoiled) problems.push(`packets neither won nor left: ${spoiled.count}, of which set aside as spoiled: ${trail.spoiled}`);
  problems.push(...trail.problems);
  // What the book has given back is no longer unclaimed or spoiled; should they differ, the rest stays visible as unclaimed.
  recycled.cents = trail.recycledCents;
  if (trail.recycledCents === unclaimed.cents + spoiled.cents) {
    recycled.count = unclaimed.count + spoiled.count;
    unclaimed.count = spoiled.count = 0;
    unclaimed.cents = spoiled.cents = 0n;
  } else unclaimed.cents -= trail.recycledCents;
  return { equation: { budget: { count: amounts.length, cents: budgetCents }, credited, pending, unclaimed, recycled, spoiled }, problems };
}
