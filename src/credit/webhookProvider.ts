import type { Posting } from '../ledger/credit.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Claim } from '../rain/claim.ts';
import { ofHttpStatus } from '../platform/network/retryable.ts';
import { createSemaphore } from '../platform/concurrency/semaphore.ts';
import type { PayoutProvider, PostOutcome } from './payoutProvider.ts';
import { giveUpOn, orRefused } from './conflict.ts';
import { askWallet, type WalletAddress, type WalletReply } from './walletClient.ts';
import { claimIdOf, excerpt, readResults, walletRequest, type ClaimResult, type WalletForm } from './walletMessage.ts';

export interface WebhookOptions extends WalletAddress {
  /** Claims per request; 1 is the single form. */
  batchMax: number;
  /** Requests under way, of all jobs together: protects the wallet from this process [R10]. */
  requestsMax?: number;
}

/** `taken`: the money is with the user. */
type WalletAnswer = { outcome: 'taken' } | Exclude<PostOutcome, { outcome: 'commit' }>;
type Again = Extract<PostOutcome, { outcome: 'reconsumeLater' }>;

/**
 * The port, kept by a wallet elsewhere. The order is what keeps the money right, see docs/reference/webhook.md:
 *
 *     reserve in the book → ask the wallet → credit in the book → commit
 *
 * A wallet knows nothing of rains: it would pay one packet to two users, or two packets to one, if it were asked to. So it is
 * only asked for what the book keeps for this user [R1][R2], under a name that never changes [R5]. And the book says credited
 * only after the wallet has said so: until then the claim is pending [R8]. Whatever dies in between is done again.
 */
export function webhookProvider(ledger: Pick<Ledger, 'reserve' | 'credit'>, { batchMax, requestsMax = 16, ...wallet }: WebhookOptions): PayoutProvider {
  const form: WalletForm = batchMax === 1 ? 'single' : 'batch';
  const inSlot = createSemaphore(requestsMax);

  /** By claim id. A claim that was handed in twice at once is asked about once. */
  async function ask(claims: readonly Claim[], perRequest: number): Promise<Map<string, WalletAnswer>> {
    const unique = [...new Map(claims.map((claim) => [claimIdOf(claim), claim])).values()];
    const requests = Array.from({ length: Math.ceil(unique.length / perRequest) }, (_, i) => unique.slice(i * perRequest, (i + 1) * perRequest));
    const answers = await Promise.all(requests.map((some) => inSlot(async () => {
      const reply = await askWallet(wallet, walletRequest(form, some));
      return some.map((claim): [string, WalletAnswer] => [claimIdOf(claim), answerFor(claim, some.length, form, reply)]);
    })));
    return new Map(answers.flat());
  }

  return {
    async post(_rainId, claims, apart = false) {
      const reserved = await orRefused(ledger.reserve(claims));
      const answers = await ask(claims.filter((_, i) => reserved[i]!.outcome === 'reserved'), apart ? 1 : batchMax);
      const taken = claims.filter((claim, i) => reserved[i]!.outcome === 'reserved' && answers.get(claimIdOf(claim))!.outcome === 'taken');
      const postings = await orRefused(ledger.credit(taken), PAID);
      const posted = new Map(taken.map((claim, i) => [claim, postings[i]!]));
      return claims.map((claim, i): PostOutcome => {
        const kept = reserved[i]!;
        switch (kept.outcome) {
          case 'credited': return { outcome: 'commit' };
          case 'discarded':
          case 'amount_differs':
          case 'told_twice': return giveUpOn(kept);
          case 'reserved': {
            const answer = answers.get(claimIdOf(claim))!;
            return answer.outcome === 'taken' ? toOutcome(posted.get(claim)!) : answer;
          }
          default: return kept satisfies never;
        }
      });
    },
  };
}

/** Only where another book-keeper was at work at the same time; then a person has to look, and should know. */
const PAID = 'the wallet has taken it; ';

function toOutcome(posting: Posting): PostOutcome {
  return posting.outcome === 'posted' || posting.outcome === 'already' ? { outcome: 'commit' } : giveUpOn(posting, PAID, 'paid_not_booked');
}

/** @param together how many claims the request held: an answer that names none of them is final for one that was alone only */
function answerFor(claim: Claim, together: number, form: WalletForm, reply: WalletReply): WalletAnswer {
  if (reply.kind === 'silent') return { outcome: 'reconsumeLater', detail: `the wallet: ${reply.detail}` };
  const { status, text, afterMs } = reply;
  const detail = `the wallet answered ${status}${text === undefined ? ', and broke off or went on too long' : text && `: ${excerpt(text)}`}`;
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
  if (!result) return { ...again, detail: `${again.detail}; the claim is not in it` };
  const detail = `the wallet said ${result.status}${result.reason ? `: ${excerpt(result.reason)}` : ''}`;
  switch (result.status) {
    case 'done':
    case 'already': return { outcome: 'taken' };
    case 'retry': return { outcome: 'reconsumeLater', detail };
    case 'refused': return { outcome: 'giveUp', reason: 'refused', detail };
    default: return result.status satisfies never;
  }
}
