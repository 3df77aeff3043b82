import { OUTCOMES_IN_ORDER, type OutcomeCode } from '../protocol/outcomes.ts';

/** What this gateway has counted since it opened. Plain numbers: counting an answer must cost next to nothing. */
export interface Tally {
  /** Grabs answered, by the code they were answered with. */
  answers: Record<OutcomeCode, number>;
  /** Commands that Redis did not answer, or not as expected. One may stand for a whole batch of grabs. */
  redisFaults: number;
}

export function createTally(): Tally {
  return { answers: Object.fromEntries(OUTCOMES_IN_ORDER.map(({ code }) => [code, 0])) as Record<OutcomeCode, number>, redisFaults: 0 };
}
