import type { ResultMessage } from '../protocol/messages.ts';
import { OUTCOMES, type OutcomeCode } from '../protocol/outcomes.ts';
import type { Verdict } from './grabRequest.ts';

/** A red packet that is somebody's. `amount` is a decimal string, such as "12.21". */
export interface Packet {
  redPacketId: string;
  amount: string;
}

/** How a grab ended; the kinds are the reasons of the page of codes, and two of our own. */
export type GrabOutcome =
  /** The packet is his. Also when the first answer was lost and a later one repeats it [R6]. */
  | { kind: 'won' } & Packet
  /** He had won it before he asked this time. */
  | { kind: 'already_claimed' } & Packet
  | { kind: 'nothing_left' | 'ended' | 'paused' | 'not_started' | 'blocked' | 'no_such_rain' | 'win_limit_reached' }
  /** Nobody could say, within the bounds of patience; asking again is safe and tells it [R6]. */
  | { kind: 'unanswered' }
  /** A code of a newer server, without a pause after which to ask again. */
  | { kind: 'unknown'; code: string; reason: string };

export function outcomeOf(verdict: Verdict): GrabOutcome {
  if (verdict.kind === 'unanswered') return verdict;
  const { result, doubtful } = verdict;
  const packet = packetOf(result);
  if (packet) return { kind: result.code === OUTCOMES['1'].code && !doubtful ? 'already_claimed' : 'won', ...packet };
  return refusalOf(result);
}

export function packetOf({ redPacketId, amount }: ResultMessage): Packet | undefined {
  return redPacketId === undefined || amount === undefined ? undefined : { redPacketId, amount };
}

function refusalOf({ code, reason }: ResultMessage): GrabOutcome {
  const known: OutcomeCode = code;
  switch (known) {
    case '-1':
    case '-2':
    case '-3':
    case '-4':
    case '-6':
    case '-8':
    case '-11': return { kind: OUTCOMES[known].reason };
    // Of these nobody is told here: those that are asked again, and wins, which name their packet.
    case '0':
    case '1':
    case '-5':
    case '-7':
    case '-9': return { kind: 'unanswered' };
    default:
      known satisfies never;
      return { kind: 'unknown', code, reason };
  }
}
