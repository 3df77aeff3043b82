import { OUTCOMES, reasonOf } from '../../protocol/outcomes.ts';

export type BotOutcome =
  /** `again`: the answer repeats an earlier win [R6]. `credited`: the bot has received `credited`. */
  | { kind: 'won'; redPacketId: string; amount: string; again: boolean; credited: boolean }
  /** A final answer without a packet. */
  | { kind: 'lost'; code: string }
  /** The upgrade was refused for good. */
  | { kind: 'refused'; status: number }
  /** No answer within all tries; only the audit knows whether this user has won. */
  | { kind: 'gave_up'; reason: string }
  | { kind: 'aborted' };

/** The line of the report in which this outcome is counted. */
export function outcomeName(outcome: BotOutcome): string {
  switch (outcome.kind) {
    case 'won':
      return outcome.again ? OUTCOMES['1'].reason : OUTCOMES['0'].reason;
    case 'lost':
      return reasonOf(outcome.code);
    case 'refused':
      return `refused_${outcome.status}`;
    case 'gave_up':
      return `gave_up: ${outcome.reason}`;
    case 'aborted':
      return 'aborted';
    default:
      return outcome satisfies never;
  }
}
