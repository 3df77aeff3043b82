import type { Claim } from '../rain/claim.ts';
import { batchKey, type SignedRequest } from '../platform/network/signedPost.ts';
import { claimIdOf, type ClaimIdForm } from './claimId.ts';

/**
 * Requests to an external wallet, documented for its developers in docs/reference/webhook.md.
 * `single`: one claim per request. `batch`: several claims, and the answer lists each.
 */
export type WalletForm = 'single' | 'batch';

export function walletRequest(form: WalletForm, idForm: ClaimIdForm, claims: readonly Claim[]): SignedRequest {
  const payload = claims.map((claim) => {
    const { rainId, redPacketId, userId, amount, at } = claim;
    return { claimId: claimIdOf(idForm, claim), rainId, redPacketId, userId, amount, at };
  });
  if (form === 'single') return { key: payload[0]!.claimId, body: JSON.stringify(payload[0]) };
  return { key: batchKey(payload.map(({ claimId }) => claimId)), body: JSON.stringify({ claims: payload }) };
}
