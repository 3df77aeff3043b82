/** What the console's HTTP API says, as far as this page reads it. Amounts are decimal strings, times ISO strings. */

export type Role = 'viewer' | 'operator';

export interface Session {
  name: string;
  role: Role;
  csrf: string;
  expiresAt: string;
}

export type RainState = 'draft' | 'loaded' | 'open' | 'paused' | 'closed' | 'settled';

export interface RainView {
  rainId: string;
  title: string;
  state: RainState;
  opensAt: string;
  closesAt: string;
  budget: string;
  packets: number;
  shards: number;
  left: number;
  claims: number;
  spoiled: number;
  relayed: number;
  credited: number;
  creditedAmount: string;
  recycled: string;
  /** Shadow money. */
  rehearsal?: boolean;
  /** Only of a round. */
  campaign?: { id: string; round: number; excludeEarlierWinners: boolean };
}

/** What was added to a rain since its creation. */
export interface Portion {
  /** From 1. */
  portion: number;
  budget: string;
  packets: number;
  commitment: string;
  at: string;
}

export interface RainDetail extends RainView {
  commitment?: string;
  seed?: string;
  portions?: Portion[];
}

export type Split = { method: 'even' } | { method: 'double-mean' } | { method: 'tiers'; tiers: { count: number; amount: string }[] };

export interface Plan {
  budget: string;
  packets: number;
  split?: Split;
  min?: string;
  max?: string;
}

export interface FieldRefusal {
  field: string;
  reason: string;
}

export interface Preview {
  ok: true;
  packets: number;
  budget: string;
  min: string;
  max: string;
  mean: string;
  median: string;
  luckiest: string;
  histogram: { from: string; to: string; count: number }[];
  sample: string[];
}

export type Previewed = Preview | { ok: false; refusals: FieldRefusal[] };

export interface Created {
  rainId: string;
  opensAt: number | string;
  closesAt: number | string;
  commitment?: string;
}

export const EQUATION_PARTS = ['credited', 'pending', 'unclaimed', 'recycled', 'spoiled'] as const;
export type EquationPart = (typeof EQUATION_PARTS)[number];
export type Equation = Record<EquationPart | 'budget', string> & {
  adds_up: boolean;
  /** When it was weighed, of a live one: not every second. */
  at?: string;
};

export interface AuditAnswer extends Equation {
  packets: number;
  winners: number;
  counts?: Record<EquationPart | 'budget', number>;
  promised_twice?: number;
  laid_to_rest?: number;
  findings?: string[];
}

export interface Verdict {
  ok?: boolean;
  fair?: boolean;
  checked?: { left: number; claims: number; credits: number; receipts: number };
  outOfTurn?: number;
  problems?: string[];
  refusals?: FieldRefusal[];
}

export interface Sample {
  at: string | number;
  state: RainState;
  opensAt: string | number;
  closesAt: string | number;
  packets: number;
  left: number;
  wins: number;
  credited: number;
  creditLagMs: number | null;
  sockets: number;
  gateways: number;
  grabsPerSecond: number;
  winsPerSecond: number;
  answersPerSecond: Record<string, number>;
  equation: Equation | null;
}

export interface Winner {
  redPacketId: string;
  userId: string;
  amount: string;
  at: string;
  status: 'credited' | 'pending' | 'dead' | 'discarded';
}

export interface Letter {
  letterId: string;
  rainId: string;
  userId?: string;
  amount?: string;
  reason: string;
  /** What the reason means. */
  text?: string;
  detail: string;
  at: string;
  laidToRest?: { reason: string; actor: string; at: string };
}

export interface Block {
  kind: 'user' | 'address';
  who: string;
  reason: string;
  actor?: string;
  since?: string | number;
  until?: string | number;
}

export interface Switch {
  name: string;
  position?: 'on' | 'off' | 'auto';
  held?: { position: 'on' | 'off'; reason: string; actor: string; since: string | number; until?: string | number };
}

export interface Action {
  id: string;
  actor: string;
  verb: string;
  rainId?: string;
  details: Record<string, unknown>;
  at: string;
}

export interface Gateway {
  id: string;
  address: string;
  version: string;
  startedAt: string;
  at: string;
  sockets: number;
  grabsPending: number;
  pressed: boolean;
  answers: Record<string, number>;
}

interface Lane {
  waiting: number;
  active: number;
  delayed: number;
  failed: number;
}

export interface SystemAnswer {
  version: string;
  redis: { up: boolean; version?: string; usedMemoryBytes?: number };
  database: { up: boolean };
  queues: { credit: Lane; later: Lane; dead: number } | null;
  workers: number | null;
}

export interface CampaignView {
  campaignId: string;
  title: string;
  /** How many rounds a user may win. */
  winsPerUserMax: number;
  shards: number;
  rollOver: boolean;
  createdAt: string;
  rounds: number;
}

export interface CampaignDetail extends Omit<CampaignView, 'rounds'> {
  rounds: RainView[];
  /** As the book knows them. `beyond`: credited with more than anybody may win. */
  winners: { users: number; wins: number; beyond: number };
}
