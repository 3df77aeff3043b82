import type { z } from 'zod';
import type { callersApi } from '../../../src/console/contract/callers.ts';
import type { campaignsApi } from '../../../src/console/contract/campaigns.ts';
import type { deadApi } from '../../../src/console/contract/dead.ts';
import type { Endpoint } from '../../../src/console/contract/endpoint.ts';
import type { LiveSample } from '../../../src/console/contract/live.ts';
import type { rainsApi } from '../../../src/console/contract/rains.ts';
import type { sessionApi } from '../../../src/console/contract/session.ts';
import type { systemApi } from '../../../src/console/contract/system.ts';
import type { winnersApi } from '../../../src/console/contract/winners.ts';
import type { OutcomeCode as Code } from '../../../src/protocol/outcomes.ts';
import type { EquationPart } from '../../../src/rain/equation-parts.ts';
import type { RainState as State } from '../../../src/rain/rain.ts';
import type { MethodName } from '../../../src/rain/split/methods.ts';

/**
 * The answers of the console's HTTP API, derived from its contract. Only types are imported, so no code of the contract gets into
 * the page. Amounts are decimal strings, times ISO strings.
 */
type Answer<E> = E extends Endpoint<z.ZodType, z.ZodType, z.ZodType, infer A extends z.ZodType> ? z.output<A> : never;

export type Session = Answer<typeof sessionApi.current>;

export type RainState = State;
export type OutcomeCode = Code;
export type RainView = Answer<typeof rainsApi.list>['rains'][number];
export type RainDetail = Answer<typeof rainsApi.show>;

/** A plan as typed. The console validates it. */
export interface Plan {
  budget: string;
  packets: number;
  split: { method: MethodName } & Record<string, unknown>;
  min?: string;
  max?: string;
}

export type Previewed = Answer<typeof rainsApi.preview>;
export type Preview = Extract<Previewed, { ok: true }>;
export type FieldRefusal = Extract<Previewed, { ok: false }>['refusals'][number];
export type Created = Answer<typeof rainsApi.create>;

export type Equation = Record<EquationPart | 'budget', string> & {
  balanced: boolean;
  /** Time of the audit; only in live samples, which are not audited every second. */
  at?: string;
};

export type AuditAnswer = Answer<typeof rainsApi.audit>;
export type Verdict = Answer<typeof rainsApi.verify>;
export type Sample = LiveSample;
export type Winner = Answer<typeof winnersApi.list>['winners'][number];
export type Letter = Answer<typeof deadApi.list>['letters'][number];
export type Block = Answer<typeof callersApi.blocks>['blocks'][number];
export type Switch = Answer<typeof callersApi.switches>['switches'][number];
export type Action = Answer<typeof systemApi.actions>['actions'][number];
export type Gateway = Answer<typeof systemApi.gateways>['gateways'][number];
export type SystemAnswer = Answer<typeof systemApi.system>;
export type CampaignView = Answer<typeof campaignsApi.list>['campaigns'][number];
export type CampaignDetail = Answer<typeof campaignsApi.show>;
