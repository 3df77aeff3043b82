import { createHash, createHmac } from 'node:crypto';
import { z } from 'zod';
import type { Claim } from '../rain/claim.ts';
import { readJson } from '../rain/json.ts';

/**
 * What is written to a wallet elsewhere and how its answer is read; docs/reference/webhook.md tells it to whoever keeps the wallet.
 *
 * `single`: one claim per request, and the status is the answer. `batch`: several, and the answer names each.
 */
export type WalletForm = 'single' | 'batch';

export interface WalletRequest {
  /** Idempotency-Key: the same for the same claims, in whatever order. */
  key: string;
  body: string;
}

/**
 * The name under which a wallet remembers a claim: the packet's, since a packet is one user's for good. As it can stand in a
 * header, which not every id can; for ids of letters, digits, `-`, `_` and `.` it is the id itself.
 */
export function claimIdOf({ redPacketId }: Claim): string {
  return encodeURIComponent(redPacketId);
}

export function walletRequest(form: WalletForm, claims: readonly Claim[]): WalletRequest {
  const told = claims.map((claim) => {
    const { rainId, redPacketId, userId, amount, at } = claim;
    return { claimId: claimIdOf(claim), rainId, redPacketId, userId, amount, at };
  });
  if (form === 'single') return { key: told[0]!.claimId, body: JSON.stringify(told[0]) };
  const ids = told.map(({ claimId }) => claimId).sort().join(' ');
  return { key: `batch-${createHash('sha256').update(ids).digest('hex').slice(0, 32)}`, body: JSON.stringify({ claims: told }) };
}

/** Proves to the wallet who asks, and when. @param timestamp epoch ms, as the header has it */
export function signatureOf(secret: string, timestamp: string, body: string): string {
  return `v1=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`;
}

const batchAnswer = z.object({ results: z.array(z.unknown()) });
const claimResult = z.object({
  claimId: z.string(),
  status: z.enum(['done', 'already', 'refused', 'retry']),
  reason: z.string().optional().catch(undefined),
});
export type ClaimResult = z.infer<typeof claimResult>;

/**
 * The results of a batch by claim id; `undefined`: this is no such answer. A result that cannot be read counts as not there,
 * and two that contradict each other as neither: what is not known is asked again.
 */
export function readResults(text: string): Map<string, ClaimResult> | undefined {
  const parsed = batchAnswer.safeParse(readJson(text));
  if (!parsed.success) return undefined;
  const results = new Map<string, ClaimResult>();
  for (const one of parsed.data.results) {
    const { success, data } = claimResult.safeParse(one);
    if (!success) continue;
    const other = results.get(data.claimId);
    results.set(data.claimId, other && other.status !== data.status ? { ...data, status: 'retry', reason: `answered both ${other.status} and ${data.status}` } : data);
  }
  return results;
}

/** Text from outside, fit for a dead letter: one short line. */
export function excerpt(text: string): string {
  return text.slice(0, 200).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu, ' ').trim();
}
