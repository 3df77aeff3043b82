import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { z } from 'zod';
import { seed as seedText } from './fairness.ts';
import { canonicalJson } from './json.ts';
import { formatMoney } from './money.ts';
import { checkPlan } from './plan-check.ts';
import { redPacketIndex } from './red-packet.ts';
import { firstRefusal, type Refusal } from './refusal.ts';
import { splitBudget } from './split.ts';

const COMMITMENT = 'expected a commitment of 64 hex digits (SHA-256)';

/**
 * A promise that can be checked. When a rain is created its commitment is shown, a hash that tells nothing; when it is
 * settled the seed is shown, and everybody can see that the packets are those that were meant from the beginning. The
 * recipe for other languages, and what it does not prove, stands in docs/fairness.md.
 */
export const commitment = z.string(COMMITMENT).regex(/^[0-9a-f]{64}$/, COMMITMENT);

/** Names the recipe; another way from seed to packets needs another name. */
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
}

/** What is hashed: one line of JSON. */
export function canonicalText({ rainId, seed, plan, shards }: Promised): string {
  return canonicalJson({ version: VERSION, rainId, seed, plan, shards });
}

/** @returns 64 hex digits */
export function commitmentOf(promised: Promised): string {
  return bytesToHex(sha256(utf8ToBytes(canonicalText(promised))));
}

/** In order of precedence. */
export type FairnessVerdict =
  | { outcome: 'bad_seed'; reason: string }
  | { outcome: 'bad_plan'; refusals: Refusal[] }
  /** Seed or parameters are not those that were committed to; `recomputed` is what they hash to. */
  | { outcome: 'commitment_differs'; recomputed: string }
  /** Every packet, in cents, in the order in which they are handed out. */
  | { outcome: 'ok'; allocation: BigInt64Array };

/** Recomputes the packets from what was shown, if it is what was promised. Never throws. */
export function verifyFairness({ commitment: promise, ...shown }: Promised & { commitment: string }): FairnessVerdict {
  const seed = seedText.safeParse(shown.seed);
  if (!seed.success) return { outcome: 'bad_seed', reason: firstRefusal(seed.error, 'seed').reason };
  const verdict = checkPlan(shown.plan);
  if (!verdict.ok) return { outcome: 'bad_plan', refusals: verdict.refusals };
  const recomputed = commitmentOf(shown);
  if (recomputed !== promise) return { outcome: 'commitment_differs', recomputed };
  return { outcome: 'ok', allocation: splitBudget(verdict.plan, seed.data) };
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
