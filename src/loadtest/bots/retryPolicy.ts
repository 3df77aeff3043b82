import type { RandomSource } from '../../rain/fairness.ts';
import { delayBeforeRetry } from '../../platform/network/backoff.ts';

/** All limits of a bot [R10] and what each of them protects. */
export const RETRY_POLICY = {
  /** From the connect to the open socket. Protects the bot from a server that accepts but does not answer. */
  handshakeMs: 10_000,
  /** Silence after a request, ms; then the bot reconnects. Protects the bot from half-open sockets. */
  answerMs: 10_000,
  /** First and longest pause between tries. Protects the gateway from reconnects of all users at once. */
  backoffMsMin: 100,
  backoffMsMax: 5_000,
  /** Grabs and connects of one bot. Ensures that the wave ends. */
  asksMax: 60,
  dialsMax: 30,
  /**
   * Longest wait before the bot joins again, in case it missed a message about the rain. Long, so that a waiting crowd
   * causes no load.
   */
  sleepMsMax: 300_000,
  /** From the close frame until the socket is destroyed. */
  hangUpMs: 2_000,
} as const;
export type RetryPolicy = { [K in keyof typeof RETRY_POLICY]: number };

const DRAWS = 2 ** 32;

/** The pause before try `attempt` (0, 1, 2 …), drawn from the wave's seed. */
export function backoffMs(attempt: number, random: RandomSource, { backoffMsMin, backoffMsMax }: RetryPolicy): number {
  return delayBeforeRetry(
    attempt + 1,
    { firstDelayMs: backoffMsMin, delayMsMax: backoffMsMax },
    () => random.belowNumber(DRAWS) / DRAWS,
  );
}
