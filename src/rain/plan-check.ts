import type { z } from 'zod';
import { CENTS_MAX, formatMoney, parseMoney, type Cents } from './money.ts';
import { PACKETS_MAX, rainPlan, type CheckedPlan } from './plan.ts';
import { refusalsOf, type Refusal } from './refusal.ts';
import { figure } from './figures.ts';
import { shareRefusals, type ReadRow } from './split/method.ts';
import { methodNamed, type Split } from './split/methods.ts';

type PlanVerdict = { ok: true; plan: CheckedPlan } | { ok: false; refusals: Refusal[] };

/** Checks any value: returns a plan that accounts for every cent, or all reasons against it [R12]. Never throws. */
export function checkPlan(requested: unknown): PlanVerdict {
  const parsed = rainPlan.safeParse(requested);
  if (!parsed.success) return { ok: false, refusals: refusalsOf(parsed.error, 'plan') };
  const refusals: Refusal[] = [];
  const plan = readPlan(parsed.data, refusals);
  // Values that could not be parsed cannot be compared.
  if (plan) checkFigures(plan, refusals);
  return plan && refusals.length === 0 ? { ok: true, plan } : { ok: false, refusals };
}

function readPlan(requested: z.output<typeof rainPlan>, refusals: Refusal[]): CheckedPlan | undefined {
  const { packets } = requested;
  if (!Number.isInteger(packets))
    refusals.push({ field: 'packets', reason: `${packets} is not a whole number of packets` });
  else if (packets < 1)
    refusals.push({ field: 'packets', reason: `${figure(packets)} packets: a rain has at least 1` });
  else if (packets > PACKETS_MAX)
    refusals.push({
      field: 'packets',
      reason: `${figure(packets)} packets: a rain has at most ${figure(PACKETS_MAX)}`,
    });
  const budgetCents = readAmount('budget', requested.budget, refusals);
  const minCents = readAmount('min', requested.min, refusals);
  const maxCents = requested.max === undefined ? budgetCents : readAmount('max', requested.max, refusals);
  const rows = readRows(requested.split, refusals);
  if (refusals.length > 0 || budgetCents === undefined || minCents === undefined || maxCents === undefined)
    return undefined;
  return { budgetCents, packets, minCents, maxCents, split: { method: requested.split.method, rows } };
}

/** The rows of the method, their amounts in cents; empty for a method without rows. */
function readRows(split: Split, refusals: Refusal[]): ReadRow[] {
  const { rows } = methodNamed(split.method);
  if (!rows) return [];
  const requested = Object.entries(split).find(([field]) => field === rows.field)![1] as readonly Record<
    string,
    string | number
  >[];
  return requested.map((row, index) =>
    Object.fromEntries(
      Object.entries(row).map(([column, value]) => {
        if (typeof value === 'number') return [column, value];
        return [column, readAmount(`split.${rows.field}.${index}.${column}`, value, refusals) ?? 0n];
      }),
    ),
  );
}

function readAmount(field: string, text: string, refusals: Refusal[]): Cents | undefined {
  const cents = parseMoney(text);
  const reason = amountReason(text, cents);
  if (reason !== undefined) refusals.push({ field, reason });
  return reason === undefined ? cents : undefined;
}

function amountReason(text: string, cents: Cents | undefined): string | undefined {
  const shown = JSON.stringify(text);
  if (cents === 0n) return `${shown} is zero: an amount is above zero`;
  const tooLarge = cents === undefined ? /^\d{15,}(\.\d\d)?$/.test(text) : cents > CENTS_MAX;
  if (tooLarge) return `${shown} is more than the largest budget, ${formatMoney(CENTS_MAX)}`;
  if (cents !== undefined) return undefined;
  if (/^-\d+(\.\d+)?$/.test(text)) return `${shown} is negative: an amount is above zero`;
  if (/^\d+\.\d{3,}$/.test(text)) return `${shown} is not a whole number of cents: write two decimals, such as "12.21"`;
  return `${shown} is not an amount: write it with two decimals, such as "12.21"`;
}

function checkFigures(plan: CheckedPlan, refusals: Refusal[]): void {
  const { minCents, maxCents, split } = plan;
  if (minCents > maxCents) {
    refusals.push({
      field: 'min',
      reason: `the smallest packet, ${formatMoney(minCents)}, is above the largest, ${formatMoney(maxCents)}`,
    });
    return;
  }
  refusals.push(...shareRefusals(plan, 'packets', 'the budget'));
  const method = methodNamed(split.method);
  if (method.rows) refusals.push(...method.check(plan, split.rows));
}
