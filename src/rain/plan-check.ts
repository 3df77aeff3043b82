import type { z } from 'zod';
import { CENTS_MAX, formatMoney, parseMoney, type Cents } from './money.ts';
import { PACKETS_MAX, rainPlan, type CheckedPlan, type CheckedTier } from './plan.ts';
import { refusalsOf, type Refusal } from './refusal.ts';

export type PlanVerdict = { ok: true; plan: CheckedPlan } | { ok: false; refusals: Refusal[] };

/**
 * Anything → a plan whose every cent is accounted for before a single packet exists, or all the reasons why not [R12].
 * Never throws.
 */
export function checkPlan(asked: unknown): PlanVerdict {
  const parsed = rainPlan.safeParse(asked);
  if (!parsed.success) return { ok: false, refusals: refusalsOf(parsed.error, 'plan') };
  const refusals: Refusal[] = [];
  const plan = readPlan(parsed.data, refusals);
  // Figures that could not be read cannot be compared.
  if (plan) judge(plan, refusals);
  return plan && refusals.length === 0 ? { ok: true, plan } : { ok: false, refusals };
}

function readPlan(asked: z.output<typeof rainPlan>, refusals: Refusal[]): CheckedPlan | undefined {
  const { packets } = asked;
  if (!Number.isInteger(packets)) refusals.push({ field: 'packets', reason: `${packets} is not a whole number of packets` });
  else if (packets < 1) refusals.push({ field: 'packets', reason: `${figure(packets)} packets: a rain has at least 1` });
  else if (packets > PACKETS_MAX) refusals.push({ field: 'packets', reason: `${figure(packets)} packets: a rain has at most ${figure(PACKETS_MAX)}` });
  const budgetCents = readAmount('budget', asked.budget, refusals);
  const minCents = readAmount('min', asked.min, refusals);
  const maxCents = asked.max === undefined ? budgetCents : readAmount('max', asked.max, refusals);
  const tiers = asked.split.method === 'tiers' ? asked.split.tiers : [];
  const readTiers: CheckedTier[] = tiers.map(({ count, amount }, index) => ({
    count,
    cents: readAmount(`split.tiers.${index}.amount`, amount, refusals) ?? 0n,
  }));
  if (refusals.length > 0 || budgetCents === undefined || minCents === undefined || maxCents === undefined) return undefined;
  return { budgetCents, packets, minCents, maxCents, split: asked.split.method === 'tiers' ? { method: 'tiers', tiers: readTiers } : asked.split };
}

function readAmount(field: string, text: string, refusals: Refusal[]): Cents | undefined {
  const cents = parseMoney(text);
  const reason = amountReason(text, cents);
  if (reason === undefined) return cents;
  refusals.push({ field, reason });
  return undefined;
}

function amountReason(text: string, cents: Cents | undefined): string | undefined {
  const shown = JSON.stringify(text);
  if (cents === undefined) {
    if (/^-\d+(\.\d+)?$/.test(text)) return `${shown} is negative: an amount is above zero`;
    if (/^\d+\.\d{3,}$/.test(text)) return `${shown} is not a whole number of cents: write two decimals, such as "12.21"`;
    if (/^\d{15,}(\.\d\d)?$/.test(text)) return `${shown} is more than the largest budget, ${formatMoney(CENTS_MAX)}`;
    return `${shown} is not an amount: write it with two decimals, such as "12.21"`;
  }
  if (cents === 0n) return `${shown} is zero: an amount is above zero`;
  if (cents > CENTS_MAX) return `${shown} is more than the largest budget, ${formatMoney(CENTS_MAX)}`;
  return undefined;
}

function judge(plan: CheckedPlan, refusals: Refusal[]): void {
  const { budgetCents, packets, minCents, maxCents, split } = plan;
  if (minCents > maxCents) {
    refusals.push({ field: 'min', reason: `the smallest packet, ${formatMoney(minCents)}, is above the largest, ${formatMoney(maxCents)}` });
    return;
  }
  judgeShare(plan, 'packets', packets, budgetCents, 'the budget', refusals);
  if (split.method !== 'tiers') return;

  split.tiers.forEach((tier, index) => {
    const field = `split.tiers.${index}.amount`;
    if (tier.cents < minCents) refusals.push({ field, reason: `${formatMoney(tier.cents)} is below the smallest packet, ${formatMoney(minCents)}` });
    if (tier.cents > maxCents) refusals.push({ field, reason: `${formatMoney(tier.cents)} is above the largest packet, ${formatMoney(maxCents)}` });
  });
  const tierPackets = split.tiers.reduce((sum, tier) => sum + tier.count, 0);
  const tierCents = split.tiers.reduce((sum, tier) => sum + BigInt(tier.count) * tier.cents, 0n);
  const tooMany = tierPackets > packets;
  const tooMuch = tierCents > budgetCents;
  if (tooMany) refusals.push({ field: 'split.tiers', reason: `the tiers hold ${figure(tierPackets)} packets, more than the rain's ${figure(packets)}` });
  if (tooMuch) refusals.push({ field: 'split.tiers', reason: `the tiers hold ${formatMoney(tierCents)}, more than the budget ${formatMoney(budgetCents)}` });
  if (!tooMany && !tooMuch) judgeShare(plan, 'split.tiers', packets - tierPackets, budgetCents - tierCents, 'what the tiers leave,', refusals);
}

/** Can `packets` packets within [min, max] hold exactly `cents`? */
function judgeShare({ minCents, maxCents }: CheckedPlan, field: string, packets: number, cents: Cents, whose: string, refusals: Refusal[]): void {
  const least = BigInt(packets) * minCents;
  const most = BigInt(packets) * maxCents;
  const noun = packets === 1 ? 'packet' : 'packets';
  if (least > cents) {
    const reason = `${figure(packets)} ${noun} of at least ${formatMoney(minCents)} would take ${formatMoney(least)}`;
    refusals.push({ field, reason: `${reason}, more than ${whose} ${formatMoney(cents)}` });
  }
  if (most < cents) {
    const reason = `${figure(packets)} ${noun} of at most ${formatMoney(maxCents)} can hold ${formatMoney(most)}`;
    refusals.push({ field, reason: `${reason}, less than ${whose} ${formatMoney(cents)}` });
  }
}

function figure(count: number): string {
  return count.toLocaleString('en-US');
}
