import type { RainPlan } from './plan.ts';
import type { RequestedTerms } from './terms.ts';
import type { Greeting } from './theme.ts';
import type { TicketRules } from './ticketRules.ts';

/** Templates in the ledger: a list that people choose from [R10]. */
export const TEMPLATES_MAX = 100;

/**
 * The rains of a template: all fields of a new rain except its start. The plan is kept as it was
 * requested.
 */
export interface TemplateRain {
  /** The title of the rain; players see it. */
  title?: string;
  plan: RainPlan;
  durationMs: number;
  shards?: number;
  terms: RequestedTerms;
  ticketRules?: TicketRules;
  greeting?: Greeting;
}
