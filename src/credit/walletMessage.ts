import { createHash, createHmac } from 'node:crypto';
import type { Claim } from '../rain/claim.ts';
import { claimIdOf, type ClaimIdForm } from './claimId.ts';

/**
 * Requests to an external wallet, documented for its developers in docs/reference/webhook.md.
 * `single`: one claim per request. `batch`: several claims, and the answer lists each.
 */
export type WalletForm = 'single' | 'batch';

export interface WalletRequest {
  /** Idempotency-Key: the same for the same claims, in any order. */
  key: string;
  body: string;
}

export function walletRequest(form: WalletForm, idForm: ClaimIdForm, claims: readonly Claim[]): WalletRequest {
  const payload = claims.map((claim) => {
    const { rainId, redPacketId, userId, amount, at } = claim;
    return { claimId: claimIdOf(idForm, claim), rainId, redPacketId, userId, amount, at };
  });
  if (form === 'single') return { key: payload[0]!.claimId, body: JSON.stringify(payload[0]) };
  const ids = payload.map(({ claimId }) => claimId).sort().join(' ');
  return { key: `batch-${createHash('sha256').update(ids).digest('hex').slice(0, 32)}`, body: JSON.stringify({ claims: payload }) };
}

/** Proves sender and time to the wallet. @param timestamp epoch ms, as in the header */
export function signatureOf(secret: string, timestamp: string, body: string): string {
  return `v1=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`;
}
