import type { ResultMessage } from '../protocol/messages.ts';
import { OUTCOMES } from '../protocol/outcomes.ts';
import type { Verdict } from './grabRequest.ts';

/** A red packet that a user has won. `amount` is a decimal string, such as "12.21". */
export interface Packet {
  redPacketId: string;
  amount: string;
}

/** How a grab ended; the kinds are the reasons from the table of codes, and two of our own. */
export type GrabOutcome =
  /** The user has won the packet. Also when the first answer was lost and a later one repeats it [R6]. */
  | { kind: 'won' } & Packet
  /** The user had won the packet before this grab. */
  | { kind: 'already_claimed' } & Packet
  | { kind: 'nothing_left' | 'ended' | 'paused' | 'not_started' | 'blocked' | 'no_such_rain' | 'win_limit_reached' }
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
  // A newer server may have more codes.
  if (!Object.hasOwn(OUTCOMES, code)) return { kind: 'unknown', code, reason };
  switch (code) {
    // These codes are no refusals: wins name their packet, and the others are retried.
    case '0':
    case '1':
    case '-5':
    case '-7':
    case '-9': return { kind: 'unanswered' };
    default: return { kind: OUTCOMES[code].reason };
  }
}
