import type { RandomSource } from '../rain/fairness.ts';
import { delayBeforeRetry } from '../platform/network/backoff.ts';

/** Everything a bot bounds [R10], units last in the name, each with whom it protects. */
export const RETRY_POLICY = {
  /** From dialling to the open socket. Protects the bot from a server that accepts and says nothing. */
  handshakeMs: 10_000,
  /** Silence after a question, ms; then the line counts as dead and is dialled anew. Protects the bot from half-open sockets. */
  answerMs: 10_000,
  /** First and longest pause between tries. Protects the gateway from everybody coming back at once. */
  backoffMsMin: 100,
  backoffMsMax: 5_000,
  /** Grabs and dials of one bot. Protects the wave from never ending. */
  asksMax: 60,
  dialsMax: 30,
  /** Longest sleep before the bot looks at the rain again, in case the change was pushed while he did not hear it. A crowd that waits is no load. */
  sleepMsMax: 300_000,
  /** From hanging up until the socket is cut. */
  hangUpMs: 2_000,
} as const;
export type RetryPolicy = { [K in keyof typeof RETRY_POLICY]: number };

const DRAWS = 2 ** 32;

/** The pause before try `attempt` (0, 1, 2 …), drawn from the wave's own seed. */
export function backoffMs(attempt: number, random: RandomSource, { backoffMsMin, backoffMsMax }: RetryPolicy): number {
  return delayBeforeRetry(attempt + 1, { firstDelayMs: backoffMsMin, delayMsMax: backoffMsMax }, () => random.belowNumber(DRAWS) / DRAWS);
}
