import { z } from 'zod';
import { checkPlan } from '../rain/plan-check.ts';
import type { CheckedPlan } from '../rain/plan.ts';
import { refusalsOf } from '../rain/refusal.ts';
import { checkTerms, requestedTerms } from '../rain/terms-check.ts';
import type { RequestedTerms } from '../rain/terms.ts';
import { requestedGreeting } from '../rain/theme/check.ts';
import { ticketRules } from '../rain/ticket-rules-check.ts';
import { shardCount } from './campaign/create.ts';
import type { Refused } from './context.ts';
import { rainTitle } from './wording.ts';

/**
 * The operator's choices for a rain besides its id and its times: the same in a request for a rain and in a template of
 * rains.
 */
export const rainForm = {
  title: rainTitle.optional(),
  /** Budget, packets, split, min, max: checked by `checkPlan`. */
  plan: z.unknown(),
  shards: shardCount.optional(),
  /** All other terms, see rain/terms.ts. */
  terms: requestedTerms.default({}),
  /** Whether a grab needs a ticket, and a ticket a proof of work; can be changed later, see operator/tickets.ts. */
  ticketRules: ticketRules.optional(),
  /** The host's words with it, and its theme; can be changed later, see operator/themes.ts. */
  greeting: requestedGreeting.optional(),
};

type Read<T> = { ok: true; data: T; plan: CheckedPlan } | Refused;

/**
 * Everything that can be said of such a form without the stores, or all reasons against it.
 * @param isRound whether it is for a round of a campaign
 */
export function readForm<T extends { terms: RequestedTerms; plan?: unknown }>(
  schema: z.ZodType<T>,
  requested: unknown,
  isRound: (data: T) => boolean,
): Read<T> {
  const parsed = schema.safeParse(requested);
  const checked = checkPlan((Object(requested) as { plan?: unknown }).plan);
  const refusals = [
    ...(parsed.success ? [] : refusalsOf(parsed.error, 'rain')),
    ...(checked.ok ? [] : checked.refusals),
    ...(parsed.success ? checkTerms(parsed.data.terms, isRound(parsed.data)) : []),
  ];
  return parsed.success && checked.ok && refusals.length === 0
    ? { ok: true, data: parsed.data, plan: checked.plan }
    : { ok: false, refusals };
}
