import { z } from 'zod';
import { rainId as rainIdText } from './ids.ts';
import { EQUATION_PARTS } from './equation-parts.ts';
import { formatMoney, parseMoney, type Cents } from './money.ts';

/** Some packets and the money in them. */
export interface Share {
  count: number;
  cents: Cents;
}

/**
 * The money equation: budget = credited + pending + unclaimed + recycled + spoiled, always, in cents and in packets
 * [R8].
 */
export interface Equation {
  /** Money put into the rain. */
  budget: Share;
  /** Posted to winners' accounts in the ledger. */
  credited: Share;
  /** Won, not yet credited. */
  pending: Share;
  /** Still to be won, or won by nobody and not yet given back. */
  unclaimed: Share;
  /**
   * Given back to the operator: unclaimed money after the close, discarded claims at once. Such a packet counts nowhere
   * else.
   */
  recycled: Share;
  /** Set aside because the list element cannot be decoded. */
  spoiled: Share;
}

/**
 * A negative term would hide invented money behind a total that happens to match, so the equation then never balances.
 */
export function isBalanced(equation: Equation): boolean {
  const parts = EQUATION_PARTS.map((name) => equation[name]);
  return (
    parts.every((share) => share.count >= 0 && share.cents >= 0n) &&
    parts.reduce((sum, share) => sum + share.cents, 0n) === equation.budget.cents &&
    parts.reduce((sum, share) => sum + share.count, 0) === equation.budget.count
  );
}

/** May be negative: an audit must be able to show an error. */
const auditedAmount = z
  .string()
  .refine((text) => parseMoney(text.replace(/^-/, '')) !== undefined, 'expected an amount such as "12.21"');

const TERMS = ['budget', ...EQUATION_PARTS] as const;
type Term = (typeof TERMS)[number];

function eachTerm<T>(read: (term: Term) => T): Record<Term, T> {
  return Object.fromEntries(TERMS.map((term) => [term, read(term)])) as Record<Term, T>;
}

/** The audit as printed by `--json`. Amounts are decimal strings; `packets` counts the packets of the budget. */
export const auditReport = z.object({
  rainId: rainIdText,
  ...eachTerm(() => auditedAmount),
  packets: z.int().min(0),
  winners: z.int().min(0),
  balanced: z.boolean(),
});
export type AuditReport = z.infer<typeof auditReport>;

export function toReport(rainId: string, equation: Equation): AuditReport {
  return {
    rainId,
    ...eachTerm((term) => formatMoney(equation[term].cents)),
    packets: equation.budget.count,
    winners: equation.credited.count + equation.pending.count,
    balanced: isBalanced(equation),
  };
}

/** The number of packets of each amount in the report. */
export function countsOf(equation: Equation): Record<Term, number> {
  return eachTerm((term) => equation[term].count);
}
