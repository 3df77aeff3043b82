import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { z } from 'zod';
import type { Claim } from './claim.ts';
import { seed as seedText } from './fairness.ts';
import { canonicalJson } from './json.ts';
import { formatMoney } from './money.ts';
import { PACKETS_MAX, type ShownPlan } from './plan.ts';
import { checkPlan } from './plan-check.ts';
import { redPacketIndex } from './red-packet.ts';
import { firstRefusal, type Refusal } from './refusal.ts';
import { splitBudget } from './split.ts';

const COMMITMENT = 'expected a commitment of 64 hex digits (SHA-256)';

/**
 * A hash that is shown when the rain is created and reveals nothing. The seed is shown when the rain is settled, and
 * proves that the packets were fixed from the beginning. docs/reference/fairness-recipe.md has the recipe, and says
 * what it does not prove.
 */
export const commitment = z.string(COMMITMENT).regex(/^[0-9a-f]{64}$/, COMMITMENT);

/**
 * Another way from the seed to the packets of a split method that exists needs another version, which its plans carry
 * as `recipe`. A new method needs none: its name tells older versions that it is newer. The commitment is computed
 * alike for all versions, so that this one can distinguish a newer commitment from a broken one.
 */
const VERSION = 'red-packet-rain/v1';

/** Everything that determines the amounts. Title and times do not. */
export interface Promised {
  /** Prefix of the packet ids. */
  rainId: string;
  /** 64 hex digits */
  seed: string;
  /** As requested by the operator and recorded in the ledger, with defaults left out; checked by `checkPlan`. */
  plan: unknown;
  /** Packet i is in shard i mod shards, and a user belongs to one shard. */
  shards: number;
  /** Only for a top-up: the index of its first packet. Absent for the rain as created, whose first index is 0. */
  first?: number;
}

/** The hashed text: one line of JSON. */
export function canonicalText({ rainId, seed, plan, shards, first }: Promised): string {
  const { recipe } = Object(plan) as { recipe?: unknown };
  return canonicalJson({ version: typeof recipe === 'string' ? recipe : VERSION, rainId, seed, plan, shards, first });
}

/** @returns 64 hex digits */
export function commitmentOf(promised: Promised): string {
  return bytesToHex(sha256(utf8ToBytes(canonicalText(promised))));
}

/** In order of precedence; `topUp`: the number of the top-up whose commitment fails, absent for the rain as created. */
type FairnessVerdict =
  | { outcome: 'bad_seed'; reason: string; topUp?: number }
  /** `newer`: the plan matches the commitment, but this version cannot execute it: a newer version created it. */
  | { outcome: 'newer' | 'bad_plan'; refusals: Refusal[]; topUp?: number }
  /** Seed or parameters do not match the commitment; `recomputed` is their hash. */
  | { outcome: 'commitment_differs'; recomputed: string; topUp?: number }
  /** Every packet, in cents, in the order in which they are handed out. */
  | { outcome: 'ok'; allocation: BigInt64Array };

/** The revealed values of one commitment. */
export interface Shown {
  commitment: string;
  seed: string;
  plan: unknown;
}

/**
 * Recomputes the packets from the revealed values, if they match the commitments. Never throws.
 * @param topUps in order
 */
export function verifyFairness({
  rainId,
  shards,
  topUps = [],
  ...creation
}: Shown & { rainId: string; shards: number; topUps?: readonly Shown[] }): FairnessVerdict {
  const allocations: BigInt64Array[] = [];
  let first = 0;
  for (const [topUp, shown] of [creation, ...topUps].entries()) {
    const verdict = verifyTopUp({ rainId, shards, ...shown, ...(topUp > 0 && { first }) });
    if (verdict.outcome !== 'ok') return { ...verdict, ...(topUp > 0 && { topUp }) };
    allocations.push(verdict.allocation);
    first += verdict.allocation.length;
    // Values from a stranger must not cause unbounded work [R10].
    if (first > PACKETS_MAX)
      return {
        outcome: 'bad_plan',
        refusals: [{ field: 'packets', reason: `a rain has at most ${PACKETS_MAX} packets` }],
        topUp,
      };
  }
  return { outcome: 'ok', allocation: joined(allocations) };
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

export function joined(allocations: readonly BigInt64Array[]): BigInt64Array {
  if (allocations.length === 1) return allocations[0]!;
  const all = new BigInt64Array(allocations.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const allocation of allocations) {
    all.set(allocation, at);
    at += allocation.length;
  }
  return all;
}

/** Each top-up has its own commitment, shown to everybody. The limit keeps snapshots small [R10]. */
export const TOP_UPS_MAX = 32;

/**
 * A top-up of a rain as everybody may see it. Its packets follow all earlier ones. Seed and plan appear once the rain
 * is settled.
 */
export interface TopUpPromise {
  commitment: string;
  packets: number;
  seed?: string;
  plan?: ShownPlan;
}

/** A winner's receipt: fields of a claim, a `result` and a `credited` message. */
export type Receipt = Pick<Claim, 'rainId' | 'redPacketId' | 'amount'>;

/** In order of precedence. */
export type ReceiptVerdict =
  | { outcome: 'other_rain' | 'no_such_packet' }
  | { outcome: 'amount_differs'; promised: string }
  | { outcome: 'ok' };

/** Whether this packet belongs to the rain and has this amount. */
export function checkReceipt(
  allocation: BigInt64Array,
  rainId: string,
  { rainId: receiptRainId, redPacketId, amount }: Receipt,
): ReceiptVerdict {
  if (receiptRainId !== rainId) return { outcome: 'other_rain' };
  const cents = allocation[redPacketIndex(rainId, redPacketId) ?? -1];
  if (cents === undefined) return { outcome: 'no_such_packet' };
  const promised = formatMoney(cents);
  return promised === amount ? { outcome: 'ok' } : { outcome: 'amount_differs', promised };
}
