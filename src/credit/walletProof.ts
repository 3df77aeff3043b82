import type { Claim } from '../rain/claim.ts';
import type { ClaimIdForm } from './claimId.ts';
import type { PostOutcome } from './payoutProvider.ts';
import { excerpt, type Payment } from './walletAnswer.ts';

/** `taken`: the money is with the user. */
export type WalletOutcome = { outcome: 'taken' } | Exclude<PostOutcome, { outcome: 'commit' }>;
export type Again = Extract<PostOutcome, { outcome: 'reconsumeLater' }>;

/** Whether the wallet must name what it has paid: `trust_status` believes an answer that says "paid" and nothing else. */
export type ReceiptPolicy = 'required' | 'trust_status';

/** A claim as the wallet was asked to pay it. */
interface Asked extends Pick<Claim, 'userId' | 'amount'> {
  claimId: string;
  idForm: ClaimIdForm;
}

/**
 * The outcome when the wallet says that it has paid now. Without a receipt, or with another one, nothing is known: the claim comes again.
 * @param again what the wallet said
 */
export function whenPaidNow(asked: Asked, receipts: readonly Payment[], policy: ReceiptPolicy, again: Again): WalletOutcome {
  const other = receipts.find((receipt) => !fits(asked, receipt));
  if (other) return { ...again, detail: `${again.detail}; its receipt is for ${excerpt(JSON.stringify(other))}, expected ${JSON.stringify({ amount: asked.amount, userId: asked.userId })}` };
  if (receipts.length > 0 || policy === 'trust_status') return { outcome: 'taken' };
  return { ...again, detail: `${again.detail}; without a receipt for ${asked.claimId}, expected ${JSON.stringify({ receipts: [{ id: asked.claimId, amount: asked.amount }] })}` };
}

/**
 * The outcome when the wallet says that it paid this claim id before. Paid to somebody else, or another amount: a restored backup has
 * given the id to another claim, and crediting this user would be money from nowhere.
 */
export function whenPaidBefore(asked: Asked, payments: readonly Payment[], policy: ReceiptPolicy, again: Again): WalletOutcome {
  const other = payments.find((payment) => !fits(asked, payment));
  if (other) return { outcome: 'giveUp', reason: 'paid_differs', detail: `the wallet has paid ${asked.claimId} before: ${excerpt(JSON.stringify(other))}` };
  // An id of the newer form names the user, so a payment under it is this user's.
  const named = payments.some(({ userId }) => userId !== undefined || asked.idForm !== 'webhook');
  if (named || policy === 'trust_status') return { outcome: 'taken' };
  return { ...again, detail: `${again.detail}; it does not say whom and how much it paid, expected ${JSON.stringify({ claimId: asked.claimId, userId: asked.userId, amount: asked.amount })}` };
}

function fits({ userId, amount }: Asked, paid: Payment): boolean {
  return paid.amount === amount && (paid.userId === undefined || paid.userId === userId);
}
