import type { RandomSource } from '../rain/fairness.ts';

/** Everything a bot bounds [R10], units last in the name, each with whom it protects. */
export const PATIENCE = {
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
  /** Longest sleep before the bot looks at the rain again, in case the change was pushed while he did not hear it. */
  sleepMsMax: 15_000,
  /** From hanging up until the socket is cut. */
  hangUpMs: 2_000,
} as const;
export type Patience = { [K in keyof typeof PATIENCE]: number };

/**
 * The pause before try `attempt` (0, 1, 2 …): doubling, the upper half of it by chance, so that those who failed together
 * do not return together.
 */
export function backoffMs(attempt: number, random: RandomSource, { backoffMsMin, backoffMsMax }: Patience): number {
  const longest = Math.min(backoffMsMax, backoffMsMin * 2 ** Math.min(attempt, 30));
  const half = Math.ceil(longest / 2);
  return half + random.belowNumber(half + 1);
}
