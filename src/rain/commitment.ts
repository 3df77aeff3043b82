import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { z } from 'zod';
import { seed as seedText } from './fairness.ts';
import { canonicalJson } from './json.ts';
import { formatMoney } from './money.ts';
import { PACKETS_MAX } from './plan.ts';
import { checkPlan } from './plan-check.ts';
import { redPacketIndex } from './red-packet.ts';
import { firstRefusal, type Refusal } from './refusal.ts';
import { splitBudget } from './split.ts';

const COMMITMENT = 'expected a commitment of 64 hex digits (SHA-256)';

/**
 * A promise that can be checked. When a rain is created its commitment is shown, a hash that tells nothing; when it is
 * settled the seed is shown, and everybody can see that the packets are those that were meant from the beginning. The
 * recipe for other languages, and what it does not prove, stands in docs/reference/fairness-recipe.md.
 */
export const commitment = z.string(COMMITMENT).regex(/^[0-9a-f]{64}$/, COMMITMENT);

/**
 * Names the recipe; another way from seed to packets needs another name, which its plans carry as `recipe`. The commitment is made in
 * the same way for all of them, so that this version can tell a newer promise from a broken one.
 */
const VERSION = 'red-packet-rain/v1';

/** Everything that decides who gets which amount. Title and times do not. */
export interface Promised {
  /** Begins the packets' ids. */
  rainId: string;
  /** 64 hex digits */
  seed: string;
  /** As the operator asked and the book recorded it, defaults left out as he left them out; judged by `checkPlan`. */
  plan: unknown;
  /** Packet i lies in shard i mod shards, and a user belongs to one shard. */
  shards: number;
  /** Of what was added later: the index of its first packet. Absent for the rain as it was created, whose first is 0. */
  first?: number;
}

/** What is hashed: one line of JSON. */
export function canonicalText({ rainId, seed, plan, shards, first }: Promised): string {
  const { recipe } = Object(plan) as { recipe?: unknown };
  return canonicalJson({ version: typeof recipe === 'string' ? recipe : VERSION, rainId, seed, plan, shards, first });
}

/** @returns 64 hex digits */
export function commitmentOf(promised: Promised): string {
  return bytesToHex(sha256(utf8ToBytes(canonicalText(promised))));
}

/** In order of precedence; `topUp`: which promise is broken, 0 for that of the creation, and absent then. */
type FairnessVerdict =
  | { outcome: 'bad_seed'; reason: string; topUp?: number }
  /** The plan is the one that was committed to, and this version cannot carry it out: a newer one has made it. */
  | { outcome: 'newer'; refusals: Refusal[]; topUp?: number }
  | { outcome: 'bad_plan'; refusals: Refusal[]; topUp?: number }
  /** Seed or parameters are not those that were committed to; `recomputed` is what they hash to. */
  | { outcome: 'commitment_differs'; recomputed: string; topUp?: number }
  /** Every packet, in cents, in the order in which they are handed out. */
  | { outcome: 'ok'; allocation: BigInt64Array };

/** What is shown of one promise. */
export interface Shown {
  commitment: string;
  seed: string;
  plan: unknown;
}

/**
 * Recomputes the packets from what was shown, if it is what was promised. Never throws.
 * @param shown `topUps`: what was added since, in order
 */
export function verifyFairness({ rainId, shards, topUps = [], ...creation }: Shown & { rainId: string; shards: number; topUps?: readonly Shown[] }): FairnessVerdict {
  const parts: BigInt64Array[] = [];
  let first = 0;
  for (const [topUp, shown] of [creation, ...topUps].entries()) {
    const verdict = verifyTopUp({ rainId, shards, ...shown, ...(topUp > 0 && { first }) });
    if (verdict.outcome !== 'ok') return { ...verdict, ...(topUp > 0 && { topUp }) };
    parts.push(verdict.allocation);
    first += verdict.allocation.length;
    // What is shown by a stranger is not computed without end [R10].
    if (first > PACKETS_MAX) return { outcome: 'bad_plan', refusals: [{ field: 'packets', reason: `a rain has at most ${PACKETS_MAX} packets` }], topUp };
  }
  return { outcome: 'ok', allocation: joined(parts) };
}

function verifyTopUp({ commitment: promise, ...shown }: Promised & { commitment: string }): FairnessVerdict {
  const seed = seedText.safeParse(shown.seed);
  if (!seed.success) return { outcome: 'bad_seed', reason: firstRefusal(seed.error, 'seed').reason };
  const verdict = checkPlan(shown.plan);
  const recomputed = commitmentOf(shown);
  if (!verdict.ok) return { outcome: recomputed === promise ? 'newer' : 'bad_plan', refusals: verdict.refusals };
  if (recomputed !== promise) return { outcome: 'commitment_differs', recomputed };
  return { outcome: 'ok', allocation: splitBudget(verdict.plan, seed.data) };
}

/** The packets of all top-ups, one top-up after the other. */
export function joined(parts: readonly BigInt64Array[]): BigInt64Array {
  if (parts.length === 1) return parts[0]!;
  const all = new BigInt64Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** What a winner was told: the fields of a claim, of a `result` and of a `credited` message. */
export interface Receipt {
  rainId: string;
  redPacketId: string;
  /** `"12.21"` */
  amount: string;
}

/** In order of precedence. */
export type ReceiptVerdict =
  | { outcome: 'other_rain' }
  | { outcome: 'no_such_packet' }
  | { outcome: 'amount_differs'; promised: string }
  | { outcome: 'ok' };

/** Is this packet one of the rain's, with this amount? */
export function checkReceipt(allocation: BigInt64Array, rainId: string, { rainId: told, redPacketId, amount }: Receipt): ReceiptVerdict {
  if (told !== rainId) return { outcome: 'other_rain' };
  const cents = allocation[redPacketIndex(rainId, redPacketId) ?? -1];
  if (cents === undefined) return { outcome: 'no_such_packet' };
  const promised = formatMoney(cents);
  return promised === amount ? { outcome: 'ok' } : { outcome: 'amount_differs', promised };
}
