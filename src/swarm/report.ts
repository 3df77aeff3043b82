import { OUTCOMES, type OutcomeCode } from '../protocol/outcomes.ts';
import { formatMoney } from '../rain/money.ts';
import type { ServerClock } from './clock.ts';
import type { Latency } from './latency.ts';
import { describeLoss } from './line.ts';
import type { Tally } from './tally.ts';

/** What a wave saw. Plain data: `--json` prints it as it is. Amounts are decimal strings. */
export interface SwarmReport {
  rainId: string;
  /** 64 hex digits; the same seed gives the same users the same reaction times. */
  seed: string;
  users: number;
  durationMs: number;
  /** How each user ended, most frequent first; they add up to `users`. */
  outcomes: { name: string; count: number }[];
  /** Every answer to a grab, most frequent first. */
  answers: { code: OutcomeCode; reason: string; count: number }[];
  latencyMs: {
    /** From a question to its answer. */
    ask: Latency;
    /** From the moment a user meant to tap to the answer that settled it, retries and reconnects included. */
    tap: Latency;
  };
  winners: number;
  credited: number;
  /** What the winners were told that they have won, together. */
  told: string;
  /** Answers that contradict each other or are no money, and the first of them in words. */
  faults: number;
  faultExamples: string[];
  dials: number;
  failedDials: number;
  lostLines: number;
  misunderstood: number;
  /** Why nobody ever had a socket, and the HTTP status if that was the answer; absent when somebody had one, or nobody dialled. */
  unreached?: { reason: string; status?: number };
  /** How far the swarm's idea of the server's clock may be off. */
  clockErrorMs: number;
}

export function toReport(
  tally: Tally, clock: ServerClock, { rainId, seed, durationMs }: Pick<SwarmReport, 'rainId' | 'seed' | 'durationMs'>,
): SwarmReport {
  const { progress, told } = tally;
  const failure = tally.welcomes === 0 ? tally.lastFailure : undefined;
  return {
    rainId,
    seed,
    users: progress.users,
    durationMs: Math.round(durationMs),
    outcomes: ranked(tally.outcomes).map(([name, count]) => ({ name, count })),
    answers: ranked(tally.answers).map(([code, count]) => ({ code, reason: OUTCOMES[code].reason, count })),
    latencyMs: { ask: tally.asks.summary(), tap: tally.taps.summary() },
    winners: told.winners,
    credited: progress.credited,
    told: formatMoney(told.cents),
    faults: told.faults,
    faultExamples: [...told.examples],
    dials: tally.dials,
    failedDials: tally.failedDials,
    lostLines: tally.lostLines,
    misunderstood: tally.misunderstood,
    ...(failure && { unreached: { reason: describeLoss(failure), ...(failure.kind === 'refused' && { status: failure.status }) } }),
    clockErrorMs: Number.isFinite(clock.roundTripMs) ? clock.roundTripMs / 2 : 0,
  };
}

function ranked<K>(counts: ReadonlyMap<K, number>): [K, number][] {
  return [...counts].sort(([, a], [, b]) => b - a);
}
