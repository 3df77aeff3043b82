import { createHash } from 'node:crypto';
import type { PayoutProviderName } from '../ledger/rains.ts';
import type { Claim } from '../rain/claim.ts';

/**
 * How the claim ids of a rain are formed. It is part of the rain's payout provider and never changes: a claim that a
 * wallet is asked to pay under two ids is paid twice.
 */
export type ClaimIdForm = Exclude<PayoutProviderName, 'ledger'>;

/** Longest part that is written out; so an id has at most 219 characters, and a wallet may store it in 255. */
const PART_CHARACTERS_MAX = 100;

/**
 * The id under which a wallet remembers a claim, in characters valid in a header. Two different claims never have the
 * same id.
 */
export function claimIdOf(
  form: ClaimIdForm,
  { redPacketId, userId, amount }: Pick<Claim, 'redPacketId' | 'userId' | 'amount'>,
): string {
  switch (form) {
    // The form of older rains: after a restore the packet may belong to another user, and the wallet cannot see that.
    case 'webhook':
      return encodeURIComponent(redPacketId);
    case 'webhook_v2':
      return `${part(redPacketId)}:${part(userId)}:${amount}`;
    default:
      return form satisfies never;
  }
}

/** Encoded text contains neither `:` nor `=`. */
function part(text: string): string {
  const encoded = encodeURIComponent(text);
  return encoded.length <= PART_CHARACTERS_MAX ? encoded : `=${createHash('sha256').update(text).digest('hex')}`;
}

/** The first part of a claim id of either form: the packet id as it is written there. */
export function packetPartOf(claimId: string): string {
  return claimId.split(':', 1)[0]!;
}

/** The user whom a claim id names; `undefined`: it names none, as older ids do, or only the hash of one. */
export function userPartOf(claimId: string): string | undefined {
  const named = claimId.split(':')[1];
  if (!named || named.startsWith('=')) return undefined;
  try {
    return decodeURIComponent(named);
  } catch {
    return named;
  }
}
