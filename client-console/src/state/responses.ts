import type { z } from 'zod';
import type { Api } from '../../../src/console/contract/api.ts';
import type { EquationPart } from '../../../src/rain/equation-parts.ts';
import type { MethodName } from '../../../src/rain/split/methods.ts';

/**
 * The answers of the console's HTTP API, derived from its contract. Only types are imported, so no code of the contract
 * gets into the page. Amounts are decimal strings, times ISO strings.
 */
type Answer<E> = E extends { answer: infer A extends z.ZodType } ? z.output<A> : never;

export type Session = Answer<Api['session']['current']>;
export type Access = Answer<Api['session']['list']>['sessions'][number];
export type TotpSetup = Answer<Api['session']['beginTotp']>;
export type TotpConfirmed = Answer<Api['session']['confirmTotp']>;

export type Approval = Answer<Api['approvals']['list']>['approvals'][number];

export type RainView = Answer<Api['rains']['list']>['rains'][number];
export type RainState = RainView['state'];
export type RainDetail = Answer<Api['rains']['show']>;

export type ParticipantList = Answer<Api['participants']['listParticipants']>;
export type Participant = ParticipantList['participants'][number];
export type ParticipantImport = Answer<Api['participants']['importParticipants']>;
export type ParticipantCard = Answer<Api['participants']['participantCards']>['cards'][number];

export type Theme = Answer<Api['themes']['listThemes']>['themes'][number];

export type Template = Answer<Api['templates']['listTemplates']>['templates'][number];

export type PersonalData = Answer<Api['users']['exportUser']>['data'];

/** A plan as typed. The console validates it. */
export interface Plan {
  budget: string;
  packets: number;
  split: { method: MethodName } & Record<string, unknown>;
  min?: string;
  max?: string;
}

export type Previewed = Answer<Api['rains']['preview']>;
export type Preview = Extract<Previewed, { ok: true }>;
export type FieldRefusal = Extract<Previewed, { ok: false }>['refusals'][number];

export type Equation = Record<EquationPart | 'budget', string> & {
  balanced: boolean;
  /** Time of the audit; only in live samples, which are not audited every second. */
  at?: string;
};

export type AuditAnswer = Answer<Api['rains']['audit']>;
export type Verdict = Answer<Api['rains']['verify']>;
export type Sample = Answer<Api['live']['watch']>;
export type SaleView = Answer<Api['sales']['show']>;
export type SaleItem = SaleView['items'][number];
export type SaleAudit = Answer<Api['sales']['audit']>;
export type SaleEquation = SaleAudit['items'][number];
export type SaleWrittenOff = Answer<Api['sales']['writeOff']>;
export type SaleRepair = Answer<Api['sales']['repair']>;
export type SaleSample = Answer<Api['sales']['watch']>;
export type Order = Answer<Api['orders']['list']>['orders'][number];
export type OrderTotals = Answer<Api['orders']['totals']>;
export type Winner = Answer<Api['winners']['list']>['winners'][number];
export type Reconciliation = Answer<Api['reconcile']['compare']>;
export type RestoreCheck = Answer<Api['restore']['check']>;
export type DifferingRain = RestoreCheck['rains'][number];
export type Letter = Answer<Api['dead']['list']>['letters'][number];
export type OrderLetter = Answer<Api['orderLetters']['list']>['letters'][number];
export type OrderLettersRequeued = Answer<Api['orderLetters']['requeueSale']>;
export type Block = Answer<Api['system']['blocks']>['blocks'][number];
export type Switch = Answer<Api['system']['switches']>['switches'][number];
export type Action = Answer<Api['system']['actions']>['actions'][number];
export type Gateway = Answer<Api['system']['gateways']>['gateways'][number];
export type QueuesAnswer = Answer<Api['queues']['list']>;
export type Queue = QueuesAnswer['queues'][number];
export type QueueJobs = Answer<Api['queues']['jobs']>;
export type SystemAnswer = Answer<Api['system']['system']>;
export type CampaignView = Answer<Api['campaigns']['list']>['campaigns'][number];
export type CampaignDetail = Answer<Api['campaigns']['show']>;
export type Excluded = Answer<Api['campaigns']['excludeWinners']>;
export type ExcludedList = Answer<Api['campaigns']['excludeListed']>;
