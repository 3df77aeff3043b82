import type { Claim } from '../rain/claim.ts';
import type { ClaimIdForm } from './claimId.ts';
import type { PostOutcome } from './payoutProvider.ts';
import { excerpt, type Payment } from './walletAnswer.ts';

/** `taken`: the money is with the user. */
export type WalletOutcome = { outcome: 'taken' } | Exclude<PostOutcome, { outcome: 'commit' }>;
export type Again = Extract<PostOutcome, { outcome: 'reconsumeLater' }>;

/**
 * Whether the wallet must name what it has paid: `trust_status` believes an answer that says "paid" and nothing else.
 */
export type ReceiptPolicy = 'required' | 'trust_status';

/** A claim as the wallet was asked to pay it. */
interface Asked extends Pick<Claim, 'userId' | 'amount'> {
  claimId: string;
  idForm: ClaimIdForm;
}

/**
 * The outcome when the wallet says that it has paid now. Without a receipt, or with another one, nothing is known: the
 * claim comes again.
 * @param again the wallet's word
 * @param said its fields beside the receipts. It proves nothing, but may contradict them
 */
export function whenPaidNow(
  asked: Asked,
  receipts: readonly Payment[],
  policy: ReceiptPolicy,
  again: Again,
  said: Payment = {},
): WalletOutcome {
  const other = [...receipts, said].find((paid) => differs(asked, paid, policy));
  if (other)
    return {
      ...again,
      detail: `${again.detail}; its receipt is for ${written(other)}, expected ${JSON.stringify({ amount: asked.amount, userId: asked.userId })}`,
    };
  if (receipts.length > 0 || policy === 'trust_status') return { outcome: 'taken' };
  return {
    ...again,
    detail: `${again.detail}; without a receipt for ${asked.claimId}, expected ${JSON.stringify({ receipts: [{ id: asked.claimId, amount: asked.amount }] })}`,
  };
}

/**
 * The outcome when the wallet says that it paid this claim id before. Paid to somebody else, or another amount: a
 * restored backup has given the id to another claim, and crediting this user would be money from nowhere. One that
 * cannot be read is neither.
 */
export function whenPaidBefore(
  asked: Asked,
  payments: readonly Payment[],
  policy: ReceiptPolicy,
  again: Again,
): WalletOutcome {
  const other = payments.find((payment) => payment.unreadable === undefined && differs(asked, payment, policy));
  if (other)
    return {
      outcome: 'giveUp',
      reason: 'paid_differs',
      detail: `the wallet has paid ${asked.claimId} before: ${written(other)}`,
    };
  if (policy === 'trust_status') return { outcome: 'taken' };
  const unreadable = payments.find((payment) => differs(asked, payment, policy));
  // An id of the newer form names the user, so a payment under it is this user's.
  const named =
    payments.some(({ amount }) => amount !== undefined) &&
    (asked.idForm !== 'webhook' || payments.some(({ userId }) => userId !== undefined));
  if (named && !unreadable) return { outcome: 'taken' };
  const said = unreadable
    ? `what it paid cannot be read, ${written(unreadable)}`
    : 'it does not say whom and how much it paid';
  return {
    ...again,
    detail: `${again.detail}; ${said}, expected ${JSON.stringify({ claimId: asked.claimId, userId: asked.userId, amount: asked.amount })}`,
  };
}

/** Whether the wallet has, or may have, paid somebody else or another amount. */
function differs(
  asked: Asked,
  { amount = asked.amount, userId = asked.userId, unreadable }: Payment,
  policy: ReceiptPolicy,
): boolean {
  // A wallet that is believed without receipts need not write them well.
  return amount !== asked.amount || userId !== asked.userId || (unreadable !== undefined && policy !== 'trust_status');
}

const written = (paid: Payment): string => excerpt(paid.unreadable ?? JSON.stringify(paid));
