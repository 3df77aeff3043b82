import { createHash, createHmac } from 'node:crypto';
import { z } from 'zod';
import type { Claim } from '../rain/claim.ts';
import { readJson } from '../rain/json.ts';

/**
 * Requests to an external wallet and its answers, documented for its developers in docs/reference/webhook.md.
 * `single`: one claim per request, and the HTTP status is the answer. `batch`: several claims, and the answer lists each.
 */
export type WalletForm = 'single' | 'batch';

export interface WalletRequest {
  /** Idempotency-Key: the same for the same claims, in any order. */
  key: string;
  body: string;
}

/** The id under which a wallet remembers a claim: the packet id, since a packet belongs to one user only. Encoded for a header. */
export function claimIdOf({ redPacketId }: Claim): string {
  return encodeURIComponent(redPacketId);
}

export function walletRequest(form: WalletForm, claims: readonly Claim[]): WalletRequest {
  const payload = claims.map((claim) => {
    const { rainId, redPacketId, userId, amount, at } = claim;
    return { claimId: claimIdOf(claim), rainId, redPacketId, userId, amount, at };
  });
  if (form === 'single') return { key: payload[0]!.claimId, body: JSON.stringify(payload[0]) };
  const ids = payload.map(({ claimId }) => claimId).sort().join(' ');
  return { key: `batch-${createHash('sha256').update(ids).digest('hex').slice(0, 32)}`, body: JSON.stringify({ claims: payload }) };
}

/** Proves sender and time to the wallet. @param timestamp epoch ms, as in the header */
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
 * The results of a batch by claim id; `undefined`: not a valid answer. An unreadable result counts as missing, and two
 * contradicting results count as unknown: the claim is sent again.
 */
export function readResults(text: string): Map<string, ClaimResult> | undefined {
  const parsed = batchAnswer.safeParse(readJson(text));
  if (!parsed.success) return undefined;
  const results = new Map<string, ClaimResult>();
  for (const result of parsed.data.results) {
    const { success, data } = claimResult.safeParse(result);
    if (!success) continue;
    const other = results.get(data.claimId);
    results.set(data.claimId, other && other.status !== data.status ? { ...data, status: 'retry', reason: `answered both ${other.status} and ${data.status}` } : data);
  }
  return results;
}

/** External text shortened to one line for a dead letter. */
export function excerpt(text: string): string {
  return text.slice(0, 200).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu, ' ').trim();
}
