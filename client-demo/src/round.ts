import type { CreditedMessage, RainSnapshot, ResultMessage } from '../../src/protocol/messages.ts';
import { OUTCOMES, type OutcomeCode } from '../../src/protocol/outcomes.ts';
import type { ShownPlan } from '../../src/rain/plan.ts';
import type { TopUpPromise } from '../../src/rain/top-up.ts';
import { stateAt } from '../../src/rain/rain.ts';

/** What this user has lived through in one rain, as far as the server has told. Values; every change is a new one. */
export interface Round {
  readonly rainId: string;
  readonly rain?: RainSnapshot;
  /** A tap whose answer is awaited. */
  readonly asking: boolean;
  /** The last answer that ended the asking without a packet. */
  readonly verdict?: OutcomeCode;
  /** `old`: won before this page came to the rain, and told by its join. */
  readonly win?: { readonly redPacketId: string; readonly amount: string; readonly credited: boolean; readonly old?: true };
  /**
   * The commitment as it was heard first, and those of what was added to the rain: what is told later cannot replace them.
   * `inTime`: all of them before the rain was over.
   */
  readonly promised?: { readonly commitment: string; readonly added: readonly string[]; readonly inTime: boolean };
  readonly proof?: Proof | 'checking' | 'failed';
}

/**
 * `yours` the player's packet is the one promised · `all` he has none, and the packets are those promised · `late` the same,
 * but this page heard of the promise only when the rain was over · `newer` the plan is the one promised, and this page is too old to
 * compute its packets · `broken` not what was promised
 */
export type Proof = 'yours' | 'all' | 'late' | 'newer' | 'broken';

/** All that a proof needs; plain values, for a worker. */
export interface Provable {
  rainId: string;
  commitment: string;
  /** Of what was added to the rain, as they were heard. */
  added?: readonly string[];
  inTime: boolean;
  seed: string;
  plan: ShownPlan;
  shards: number;
  topUps?: readonly TopUpPromise[];
  win?: { redPacketId: string; amount: string };
}

/** What the screen shows of a round. */
export type Face =
  | 'connecting' | 'scheduled' | 'open' | 'asking' | 'paused' | 'won' | 'missed' | 'gone' | 'too_late' | 'blocked' | 'win_limit_reached' | 'unknown_rain';

export function newRound(rainId: string): Round {
  return { rainId, asking: false };
}

export function asked(round: Round): Round {
  const { verdict: _old, ...rest } = round;
  return { ...rest, asking: true };
}

export function gaveUp(round: Round): Round {
  return { ...round, asking: false };
}

export function seen(round: Round, rain: RainSnapshot): Round {
  const { verdict, ...known } = round;
  const promised = heard(round.promised, rain);
  const rest = { ...known, ...(promised && { promised }) };
  // It exists after all: it was asked for a moment too early. Or packets were added, and it goes on.
  const outdated = verdict === OUTCOMES['-8'].code || (verdict === OUTCOMES['-1'].code && hasGrown(round.rain, rain));
  return verdict === undefined || outdated ? { ...rest, rain } : { ...rest, verdict, rain };
}

/** Packets only ever become fewer, unless some were added. */
function hasGrown(before: RainSnapshot | undefined, now: RainSnapshot): boolean {
  return before !== undefined && now.left > 0 && (now.packets > before.packets || now.left > before.left);
}

function heard(before: Round['promised'], { commitment, topUps = [], state }: RainSnapshot): Round['promised'] {
  if (before === undefined && commitment === undefined) return undefined;
  const inTime = state !== 'closed' && state !== 'settled';
  const { added, ...first } = before ?? { commitment: commitment!, added: [], inTime };
  const more = topUps.slice(added.length);
  return { ...first, added: [...added, ...more.map((topUp) => topUp.commitment)], inTime: first.inTime && (more.length === 0 || inTime) };
}

/** `undefined` as long as the seed is a secret. */
export function provable({ rainId, rain, promised, win }: Round): Provable | undefined {
  if (rain?.seed === undefined || rain.plan === undefined || promised === undefined) return undefined;
  return {
    rainId, ...promised, seed: rain.seed, plan: rain.plan, shards: rain.shards ?? 0, topUps: rain.topUps ?? [],
    ...(win && { win: { redPacketId: win.redPacketId, amount: win.amount } }),
  };
}

export function proved(round: Round, proof: NonNullable<Round['proof']>): Round {
  return { ...round, proof };
}

/**
 * An answer that settles the question: a packet, or a refusal that asking again would not change.
 * @param arriving the page has only just come: what it did not ask for is no news
 */
export function answered(round: Round, { code, redPacketId, amount, ref }: ResultMessage, arriving = false): Round {
  if (redPacketId !== undefined && amount !== undefined) {
    const before = round.win?.redPacketId === redPacketId ? round.win : undefined;
    const old = before ? before.old : arriving && ref === undefined;
    return { ...round, asking: false, win: { redPacketId, amount, credited: before?.credited ?? false, ...(old && { old }) } };
  }
  // The news that the rain is paused may still be on its way to us; the answer was decided later and is the truth.
  const rain = code === OUTCOMES['-4'].code && round.rain ? { ...round.rain, state: 'paused' as const } : round.rain;
  return { ...round, asking: false, verdict: code, ...(rain && { rain }) };
}

/** Also tells of a win whose own answer was lost. */
export function credited(round: Round, { redPacketId, amount }: CreditedMessage): Round {
  const old = round.win?.redPacketId === redPacketId && round.win.old;
  return { ...round, asking: false, win: { redPacketId, amount, credited: true, ...(old && { old }) } };
}

/** What an answer shows that settles the question; after the others the rain itself says what is shown. A code without a line does not compile. */
const FACE_OF: Readonly<Record<OutcomeCode, Face | undefined>> = {
  // These two name a packet.
  0: undefined, 1: undefined,
  '-1': 'missed', '-2': undefined, '-3': 'too_late', '-4': undefined, '-5': undefined, '-6': 'blocked', '-7': undefined, '-8': 'unknown_rain', '-9': undefined, '-11': 'win_limit_reached',
};

/** Nothing is left to do in this rain: another one may be offered. A face without a line does not compile. */
const FINAL: Readonly<Record<Face, boolean>> = {
  connecting: false, scheduled: false, open: false, asking: false, paused: false,
  won: true, missed: true, gone: true, too_late: true, blocked: true, win_limit_reached: true, unknown_rain: true,
};

export function isFinal(face: string): boolean {
  return (FINAL as Partial<Record<string, boolean>>)[face] === true;
}

/** @param now epoch ms by the server's clock */
export function faceOf({ rain, asking, verdict, win }: Round, now: number): Face {
  if (win) return 'won';
  const settled = verdict && FACE_OF[verdict];
  if (settled) return settled;
  if (asking) return 'asking';
  if (!rain) return 'connecting';
  // Between two snapshots the window is followed by the clock, by the same law as the server's.
  const state = stateAt({ ...rain, state: rain.state === 'open' ? 'loaded' : rain.state }, now);
  switch (state) {
    case 'draft':
    case 'loaded': return 'scheduled';
    case 'open': return rain.left === 0 ? 'gone' : 'open';
    case 'paused': return 'paused';
    case 'closed':
    case 'settled': return 'too_late';
  }
}

/** Nothing can be won in it any more, whoever asks. @param now epoch ms by the server's clock */
export function isOver({ state, left, closesAt }: RainSnapshot, now: number): boolean {
  return state === 'closed' || state === 'settled' || left === 0 || now >= closesAt;
}

/** Only test money is won in it. */
export function isRehearsal(rain: (RainSnapshot & { readonly rehearsal?: boolean }) | undefined): boolean {
  return rain?.rehearsal === true;
}
