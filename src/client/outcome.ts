import type { ResultMessage } from '../protocol/messages.ts';
import { isRefusal, OUTCOMES, type KnownOutcome, type Refused } from '../protocol/outcomes.ts';
import type { Verdict } from './grabRequest.ts';

/** A red packet that a user has won. `amount` is a decimal string, such as "12.21". */
export interface Packet {
  redPacketId: string;
  amount: string;
}

/** How a grab ended; the kinds are the reasons from the table of codes, and two of our own. */
export type GrabOutcome =
  /** The user has won the packet. Also when the first answer was lost and a later one repeats it [R6]. */
  | ({ kind: 'won' } & Packet)
  /** The user had won the packet before this grab. */
  | ({ kind: 'already_claimed' } & Packet)
  /** Nothing was won, and a retry now would not change that. */
  | { kind: Refused['reason'] }
  /** No answer within the limits of the retries. A new grab is safe and returns the outcome [R6]. */
  | { kind: 'unanswered' }
  /** A code of a newer server, without a pause for a retry. */
  | { kind: 'unknown'; code: string; reason: string };

export function outcomeOf(verdict: Verdict): GrabOutcome {
  if (verdict.kind === 'unanswered') return verdict;
  const { result, doubtful } = verdict;
  const packet = packetOf(result);
  if (packet) return { kind: result.code === '1' && !doubtful ? 'already_claimed' : 'won', ...packet };
  return refusalOf(result);
}

export function packetOf({ redPacketId, amount }: ResultMessage): Packet | undefined {
  return redPacketId === undefined || amount === undefined ? undefined : { redPacketId, amount };
}

function refusalOf({ code, reason }: ResultMessage): GrabOutcome {
  const known = (OUTCOMES as Partial<Record<string, KnownOutcome>>)[code];
  if (!known) return { kind: 'unknown', code, reason };
  // The other codes are no refusals: wins name their packet, and the rest is retried.
  return isRefusal(known) ? { kind: known.reason } : { kind: 'unanswered' };
}
