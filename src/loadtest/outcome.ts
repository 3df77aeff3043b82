import { OUTCOMES, reasonOf } from '../protocol/outcomes.ts';

/** How it ended for one bot. */
export type BotOutcome =
  /** `again`: he had won before, and this is that packet [R6]. `credited`: he has heard that the money is his. */
  | { kind: 'won'; redPacketId: string; amount: string; again: boolean; credited: boolean }
  /** An answer that leaves nothing to wait for. */
  | { kind: 'lost'; code: string }
  /** The upgrade was refused for good. */
  | { kind: 'refused'; status: number }
  /** Out of patience, without an answer; whether he has won is for the audit to say. */
  | { kind: 'gave_up'; reason: string }
  | { kind: 'aborted' };

/** The line of the report in which this outcome is counted. */
export function outcomeName(outcome: BotOutcome): string {
  switch (outcome.kind) {
    case 'won': return outcome.again ? OUTCOMES['1'].reason : OUTCOMES['0'].reason;
    case 'lost': return reasonOf(outcome.code);
    case 'refused': return `refused_${outcome.status}`;
    case 'gave_up': return `gave_up: ${outcome.reason}`;
    case 'aborted': return 'aborted';
    default: return outcome satisfies never;
  }
}
