import type { Ledger } from '../ledger/ledger.ts';
import type { Claim } from '../rain/claim.ts';
import { ofHttpStatus } from '../platform/network/retryable.ts';
import { createSemaphore } from '../platform/concurrency/semaphore.ts';
import type { PayoutProvider, PostOutcome } from './payoutProvider.ts';
import { giveUpFor, orRefused, toOutcome } from './ledgerProvider.ts';
import { sendToWallet, type WalletAddress, type WalletReply } from './walletClient.ts';
import { claimIdOf, excerpt, readResults, walletRequest, type ClaimResult, type WalletForm } from './walletMessage.ts';

export interface WebhookOptions extends WalletAddress {
  /** Claims per request; 1 means the single form. */
  batchMax: number;
  /** Concurrent requests of all jobs: protects the wallet from this process [R10]. */
  requestsMax?: number;
}

/** `taken`: the money is with the user. */
type WalletAnswer = { outcome: 'taken' } | Exclude<PostOutcome, { outcome: 'commit' }>;
type Again = Extract<PostOutcome, { outcome: 'reconsumeLater' }>;

/**
 * The payout provider of an external wallet. The order of the steps keeps the money right, see docs/reference/webhook.md:
 *
 *     reserve in the ledger → ask the wallet → credit in the ledger → commit
 *
 * A wallet would pay one packet to two users, or two packets to one user. So it is only asked to pay what the ledger has reserved
 * for this user [R1][R2], under an id that never changes [R5]. The ledger credits only after the wallet has confirmed: until then
 * the claim is pending [R8]. Whatever is interrupted in between is repeated.
 */
export function webhookProvider(ledger: Pick<Ledger, 'reserve' | 'credit'>, { batchMax, requestsMax = 16, ...wallet }: WebhookOptions): PayoutProvider {
  const form: WalletForm = batchMax === 1 ? 'single' : 'batch';
  const inSlot = createSemaphore(requestsMax);

  /** Answers by claim id. A claim that occurs twice is sent once. */
  async function sendAll(claims: readonly Claim[], perRequest: number): Promise<Map<string, WalletAnswer>> {
    const unique = [...new Map(claims.map((claim) => [claimIdOf(claim), claim])).values()];
    const requests = Array.from({ length: Math.ceil(unique.length / perRequest) }, (_, i) => unique.slice(i * perRequest, (i + 1) * perRequest));
    const answers = await Promise.all(requests.map((some) => inSlot(async () => {
      const reply = await sendToWallet(wallet, walletRequest(form, some));
      return some.map((claim): [string, WalletAnswer] => [claimIdOf(claim), answerFor(claim, some.length, form, reply)]);
    })));
    return new Map(answers.flat());
  }

  return {
    async post(_rainId, claims, apart = false) {
      const reserved = await orRefused(ledger.reserve(claims));
      const answers = await sendAll(claims.filter((_, i) => reserved[i]!.outcome === 'reserved'), apart ? 1 : batchMax);
      const taken = claims.filter((claim, i) => reserved[i]!.outcome === 'reserved' && answers.get(claimIdOf(claim))!.outcome === 'taken');
      const postings = await orRefused(ledger.credit(taken), PAID);
      const posted = new Map(taken.map((claim, i) => [claim, postings[i]!]));
      return claims.map((claim, i): PostOutcome => {
        const reservation = reserved[i]!;
        switch (reservation.outcome) {
          case 'credited': return { outcome: 'commit' };
          case 'discarded':
          case 'amount_differs':
          case 'told_twice': return giveUpFor(reservation);
          case 'reserved': {
            const answer = answers.get(claimIdOf(claim))!;
            return answer.outcome === 'taken' ? toOutcome(posted.get(claim)!, PAID, 'paid_not_booked') : answer;
          }
          default: return reservation satisfies never;
        }
      });
    },
  };
}

/** Only when another process changed the ledger at the same time: an operator has to check, and should know this. */
const PAID = 'the wallet has paid it;  ';

/** @param together claims in the request: an answer that names none of them is final only for a claim that was alone */
function answerFor(claim: Claim, together: number, form: WalletForm, reply: WalletReply): WalletAnswer {
  if (reply.kind === 'silent') return { outcome: 'reconsumeLater', detail: `the wallet: ${reply.detail}` };
  const { status, text, afterMs } = reply;
  const detail = `the wallet answered ${status}${text === undefined ? ', and its answer was cut off or too long' : text && `: ${excerpt(text)}`}`;
  const again: Again = { outcome: 'reconsumeLater', detail, ...(afterMs !== undefined && { afterMs }) };
  const verdict = ofHttpStatus(status);
  if (verdict === 'done' && form === 'batch') return resultFor(readResults(text ?? '')?.get(claimIdOf(claim)), again);
  if (verdict !== 'again' && together > 1) return again;
  switch (verdict) {
    case 'done':
    case 'already': return { outcome: 'taken' };
    case 'again': return again;
    case 'giveUp': return { outcome: 'giveUp', reason: 'refused', detail };
    default: return verdict satisfies never;
  }
}

function resultFor(result: ClaimResult | undefined, again: Again): WalletAnswer {
  if (!result) return { ...again, detail: `${again.detail}; the claim is not in its answer` };
  const detail = `the wallet said ${result.status}${result.reason ? `: ${excerpt(result.reason)}` : ''}`;
  switch (result.status) {
    case 'done':
    case 'already': return { outcome: 'taken' };
    case 'retry': return { outcome: 'reconsumeLater', detail };
    case 'refused': return { outcome: 'giveUp', reason: 'refused', detail };
    default: return result.status satisfies never;
  }
}
