import type { Ledger } from '../ledger/ledger.ts';
import type { Claim } from '../rain/claim.ts';
import { ofHttpStatus } from '../platform/network/retryable.ts';
import { postSigned, type SignedAddress, type SignedReply } from '../platform/network/signedPost.ts';
import { createSemaphore } from '../platform/concurrency/semaphore.ts';
import { claimIdOf, type ClaimIdForm } from './claimId.ts';
import type { PayoutProvider, PostOutcome } from './payoutProvider.ts';
import { giveUpFor, orRefused, toOutcome } from './ledgerProvider.ts';
import { excerpt, readPaidBefore, readReceipts, readResults } from './walletAnswer.ts';
import { walletRequest, type WalletForm } from './walletMessage.ts';
import { whenPaidBefore, whenPaidNow, type Again, type ReceiptPolicy, type WalletOutcome } from './walletProof.ts';

export interface WebhookOptions extends SignedAddress {
  /** Claims per request; 1 means the single form. */
  batchMax: number;
  receipts: ReceiptPolicy;
  /** Concurrent requests of all jobs: protects the wallet from this process [R10]. */
  requestsMax?: number;
}

/**
 * The payout providers of an external wallet, one for each form of claim ids; they share its limit of requests. The
 * order of the steps keeps the money right, see docs/reference/webhook.md:
 *
 *     reserve in the ledger → ask the wallet → credit in the ledger → commit
 *
 * A wallet would pay one packet to two users, or two packets to one user. So it is only asked to pay what the ledger
 * has reserved for this user [R1][R2], under an id that never changes [R5]. The ledger credits only after the wallet
 * has confirmed: until then the claim is pending [R8]. An interrupted step is repeated.
 */
export function webhookProviders(
  ledger: Pick<Ledger, 'reserve' | 'credit'>,
  { batchMax, receipts, requestsMax = 16, ...wallet }: WebhookOptions,
): Record<ClaimIdForm, PayoutProvider> {
  const form: WalletForm = batchMax === 1 ? 'single' : 'batch';
  const inSlot = createSemaphore(requestsMax);

  /** Answers by claim id. A claim that occurs twice is sent once. */
  async function sendAll(
    claims: readonly Claim[],
    perRequest: number,
    idForm: ClaimIdForm,
  ): Promise<Map<string, WalletOutcome>> {
    const unique = [...new Map(claims.map((claim) => [claimIdOf(idForm, claim), claim])).values()];
    const requests = Array.from({ length: Math.ceil(unique.length / perRequest) }, (_, i) =>
      unique.slice(i * perRequest, (i + 1) * perRequest),
    );
    const answers = await Promise.all(
      requests.map((some) =>
        inSlot(async () => {
          const outcomeOf = reading(
            form,
            some.length,
            receipts,
            await postSigned(wallet, walletRequest(form, idForm, some)),
          );
          return some.map((claim): [string, WalletOutcome] => [claimIdOf(idForm, claim), outcomeOf(claim, idForm)]);
        }),
      ),
    );
    return new Map(answers.flat());
  }

  const paying = (idForm: ClaimIdForm): PayoutProvider => ({
    async post(_rainId, claims, apart = false) {
      const reserved = await orRefused(ledger.reserve(claims));
      const answers = await sendAll(
        claims.filter((_, i) => reserved[i]!.outcome === 'reserved'),
        apart ? 1 : batchMax,
        idForm,
      );
      const answerTo = (claim: Claim) => answers.get(claimIdOf(idForm, claim))!;
      const taken = claims.filter(
        (claim, i) => reserved[i]!.outcome === 'reserved' && answerTo(claim).outcome === 'taken',
      );
      const postings = await orRefused(ledger.credit(taken), PAID);
      const posted = new Map(taken.map((claim, i) => [claim, postings[i]!]));
      return claims.map((claim, i): PostOutcome => {
        const reservation = reserved[i]!;
        switch (reservation.outcome) {
          case 'credited':
            return { outcome: 'commit' };
          case 'discarded':
          case 'amount_differs':
          case 'told_twice':
            return giveUpFor(reservation);
          case 'reserved': {
            const answer = answerTo(claim);
            return answer.outcome === 'taken' ? toOutcome(posted.get(claim)!, PAID, 'paid_not_booked') : answer;
          }
          default:
            return reservation satisfies never;
        }
      });
    },
  });
  return { webhook: paying('webhook'), webhook_v2: paying('webhook_v2') };
}

/** Only when another process changed the ledger at the same time: an operator has to check, and should know this. */
const PAID = 'the wallet has paid it;  ';

/**
 * Reads one reply, for each claim of its request.
 * @param together claims in the request: an answer that names none of them is final only for a claim that was alone
 */
function reading(
  form: WalletForm,
  together: number,
  policy: ReceiptPolicy,
  reply: SignedReply,
): (claim: Claim, idForm: ClaimIdForm) => WalletOutcome {
  if (reply.kind === 'silent') return () => ({ outcome: 'reconsumeLater', detail: `the wallet: ${reply.detail}` });
  const { status, text, afterMs } = reply;
  const detail = `the wallet answered ${status}${text === undefined ? ', and its answer was cut off or too long' : text && `: ${excerpt(text)}`}`;
  const again: Again = { outcome: 'reconsumeLater', detail, ...(afterMs !== undefined && { afterMs }) };
  // Its rest may say otherwise than its status and its headers.
  if (text === undefined) return () => again;
  const verdict = ofHttpStatus(status);
  const receipts = readReceipts(text, reply.receipt);
  const results =
    verdict === 'done' && form === 'batch' ? (readResults(text) ?? new Map<string, undefined>()) : undefined;
  return (claim, idForm) => {
    const claimId = claimIdOf(idForm, claim);
    const asked = { claimId, idForm, userId: claim.userId, amount: claim.amount };
    const proofs = receipts.get(claimId) ?? [];
    if (results) {
      const result = results.get(claimId);
      if (!result) return { ...again, detail: `${detail}; the claim is not in its answer` };
      const said: Again = {
        outcome: 'reconsumeLater',
        detail: `the wallet said ${result.status}${result.reason ? `: ${excerpt(result.reason)}` : ''}`,
      };
      switch (result.status) {
        case 'done':
          return whenPaidNow(asked, proofs, policy, said, result.said);
        case 'already':
          return whenPaidBefore(asked, [result.said, ...proofs], policy, said);
        case 'retry':
          return said;
        case 'refused':
          return { outcome: 'giveUp', reason: 'refused', detail: said.detail };
        default:
          return result.status satisfies never;
      }
    }
    if (verdict !== 'again' && together > 1) return again;
    switch (verdict) {
      case 'done':
        return whenPaidNow(asked, proofs, policy, again);
      case 'already':
        return whenPaidBefore(asked, [...proofs, ...readPaidBefore(text, claimId)], policy, again);
      case 'again':
        return again;
      case 'giveUp':
        return { outcome: 'giveUp', reason: 'refused', detail };
      default:
        return verdict satisfies never;
    }
  };
}
