import type { Packet } from '../../src/client/client.ts';
import type { CreditedMessage, RainSnapshot, ReceiptStatus, ResultMessage } from '../../src/protocol/messages.ts';
import { OUTCOMES, type OutcomeCode } from '../../src/protocol/outcomes.ts';
import type { ShownPlan } from '../../src/rain/plan.ts';
import type { TopUpPromise } from '../../src/rain/commitment.ts';
import { stateAt } from '../../src/rain/rain.ts';

/** The state of one rain for this user, from the server's messages. Immutable: every change returns a new value. */
export interface Round {
  readonly rainId: string;
  readonly rain?: RainSnapshot;
  readonly asking: boolean;
  /** The last final answer without a packet. */
  readonly verdict?: OutcomeCode;
  /**
   * `old`: won before this page joined. `recorded`: the server has it only as written down for the operator, from the
   * receipt.
   */
  readonly win?: {
    readonly redPacketId: string;
    readonly amount: string;
    readonly credited: boolean;
    readonly old?: true;
    readonly recorded?: true;
  };
  /**
   * The commitments as first received; later messages cannot replace them. `inTime`: all came before the rain was over.
   */
  readonly committed?: { readonly commitment: string; readonly added: readonly string[]; readonly inTime: boolean };
  readonly proof?: Proof | 'checking' | 'failed';
  /** By the server's clock, epoch ms: until when packets were left, and when none was. Absent: not heard yet. */
  readonly heard?: { readonly left?: number; readonly none?: number };
}

/**
 * `yours`: the player's packet matches the commitment · `all`: the player has none, and all packets match · `late`:
 * they match, but this page received the commitment only after the rain · `newer`: the plan matches, but this page is
 * too old to compute its packets · `broken`: no match
 */
export type Proof = 'yours' | 'all' | 'late' | 'newer' | 'broken';

/** The input of a proof. Plain values, so that they can be sent to a worker. */
export interface Provable {
  rainId: string;
  commitment: string;
  /** Commitments of the top-ups, as first received. */
  added?: readonly string[];
  inTime: boolean;
  seed: string;
  plan: ShownPlan;
  shards: number;
  topUps?: readonly TopUpPromise[];
  win?: { redPacketId: string; amount: string };
}

export type Face =
  | 'connecting'
  | 'scheduled'
  | 'open'
  | 'asking'
  | 'paused'
  | 'won'
  | 'missed'
  | 'gone'
  | 'too_late'
  | 'blocked'
  | 'win_limit_reached'
  | 'unknown_rain';

/** Between two snapshots of an open rain. After a longer time away the page cannot tell how fast the packets went. */
const UNSEEN_MS_MAX = 5_000;

export function newRound(rainId: string): Round {
  return { rainId, asking: false };
}

export function requested(round: Round): Round {
  const { verdict: _old, ...rest } = round;
  return { ...rest, asking: true };
}

export function gaveUp(round: Round): Round {
  return { ...round, asking: false };
}

export function seen(round: Round, rain: RainSnapshot): Round {
  const { verdict, ...known } = round;
  const committed = firstCommitments(round.committed, rain);
  const rest = { ...known, ...(committed && { committed }), heard: heardOf(round.heard, rain) };
  // Outdated: "unknown rain", because the grab came slightly too early; or "nothing left", because packets were added.
  const outdated = verdict === OUTCOMES['-8'].code || (verdict === OUTCOMES['-1'].code && hasGrown(round.rain, rain));
  return verdict === undefined || outdated ? { ...rest, rain } : { ...rest, verdict, rain };
}

function heardOf(before: Round['heard'], { left, serverTime }: RainSnapshot): Round['heard'] {
  if (left > 0) return { left: serverTime };
  return { ...before, none: before?.none ?? serverTime };
}

/**
 * @returns a number of seconds after the start by which all packets were gone; `undefined` if this page did not see
 * them go
 */
export function goneWithin({ rain, heard }: Round): number | undefined {
  if (!rain || heard?.left === undefined || heard.none === undefined) return undefined;
  const since = Math.max(heard.left, rain.opensAt);
  if (heard.none < rain.opensAt || heard.none - since > UNSEEN_MS_MAX) return undefined;
  return Math.max(1, Math.ceil((heard.none - rain.opensAt) / 1000));
}

/** The number of packets only decreases, unless there was a top-up. */
function hasGrown(before: RainSnapshot | undefined, now: RainSnapshot): boolean {
  return before !== undefined && now.left > 0 && (now.packets > before.packets || now.left > before.left);
}

function firstCommitments(
  before: Round['committed'],
  { commitment, topUps = [], state }: RainSnapshot,
): Round['committed'] {
  if (before === undefined && commitment === undefined) return undefined;
  const inTime = state !== 'closed' && state !== 'settled';
  const { added, ...first } = before ?? { commitment: commitment!, added: [], inTime };
  const more = topUps.slice(added.length);
  return {
    ...first,
    added: [...added, ...more.map((topUp) => topUp.commitment)],
    inTime: first.inTime && (more.length === 0 || inTime),
  };
}

/** @returns `undefined` while the seed is secret */
export function provable({ rainId, rain, committed, win }: Round): Provable | undefined {
  if (rain?.seed === undefined || rain.plan === undefined || committed === undefined) return undefined;
  return {
    rainId,
    ...committed,
    seed: rain.seed,
    plan: rain.plan,
    shards: rain.shards ?? 0,
    topUps: rain.topUps ?? [],
    ...(win && { win: { redPacketId: win.redPacketId, amount: win.amount } }),
  };
}

export function proved(round: Round, proof: NonNullable<Round['proof']>): Round {
  return { ...round, proof };
}

/** A final answer. @param arriving the page has just been opened, so a win that it did not request is old */
export function answered(round: Round, { code, redPacketId, amount, ref }: ResultMessage, arriving = false): Round {
  if (redPacketId !== undefined && amount !== undefined) {
    const before = round.win?.redPacketId === redPacketId ? round.win : undefined;
    const old = before ? before.old : arriving && ref === undefined;
    return {
      ...round,
      asking: false,
      win: { redPacketId, amount, credited: before?.credited ?? false, ...(old && { old }) },
    };
  }
  // The snapshot with the pause may arrive later. The answer is newer than our snapshot.
  const rain = code === OUTCOMES['-4'].code && round.rain ? { ...round.rain, state: 'paused' as const } : round.rain;
  return { ...round, asking: false, verdict: code, ...(rain && { rain }) };
}

/** Also adds a win whose own answer was lost. */
export function credited(round: Round, { redPacketId, amount }: CreditedMessage): Round {
  const old = round.win?.redPacketId === redPacketId && round.win.old;
  return { ...round, asking: false, win: { redPacketId, amount, credited: true, ...(old && { old }) } };
}

/**
 * A win that only its receipt has brought back. Another packet that the server has named since stays: the ledger
 * decides between them.
 */
export function shownReceipt(round: Round, { redPacketId, amount }: Packet, status: ReceiptStatus): Round {
  const isKept = status === 'known' || status === 'restored' || status === 'recorded';
  if (!isKept || (round.win && round.win.redPacketId !== redPacketId)) return round;
  const before = round.win ?? { credited: false, old: true as const };
  return {
    ...round,
    asking: false,
    win: {
      redPacketId,
      amount,
      credited: before.credited,
      ...(before.old && { old: before.old }),
      ...(status === 'recorded' && !before.credited && { recorded: true }),
    },
  };
}

/** The face of each final answer. For `undefined` the state of the rain decides. A missing code does not compile. */
const FACE_OF: Readonly<Record<OutcomeCode, Face | undefined>> = {
  // These two name a packet.
  0: undefined,
  1: undefined,
  '-1': 'missed',
  '-2': undefined,
  '-3': 'too_late',
  '-4': undefined,
  '-5': undefined,
  '-6': 'blocked',
  '-7': undefined,
  '-8': 'unknown_rain',
  '-9': undefined,
  '-11': 'win_limit_reached',
};

/** @param now epoch ms by the server's clock */
export function faceOf({ rain, asking, verdict, win }: Round, now: number): Face {
  if (win) return 'won';
  const settled = verdict && FACE_OF[verdict];
  if (settled) return settled;
  if (asking) return 'asking';
  if (!rain) return 'connecting';
  // Between two snapshots the clock decides about opening and closing, by the same function as on the server.
  const state = stateAt({ ...rain, state: rain.state === 'open' ? 'loaded' : rain.state }, now);
  switch (state) {
    case 'draft':
    case 'loaded':
      return 'scheduled';
    case 'open':
      return rain.left === 0 ? 'gone' : 'open';
    case 'paused':
      return 'paused';
    case 'closed':
    case 'settled':
      return 'too_late';
  }
}

/** Whether nobody can win in it any more. @param now epoch ms by the server's clock */
export function isOver({ state, left, closesAt }: RainSnapshot, now: number): boolean {
  return state === 'closed' || state === 'settled' || left === 0 || now >= closesAt;
}
