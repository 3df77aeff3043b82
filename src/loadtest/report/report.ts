import { reasonOf } from '../../protocol/outcomes.ts';
import { formatMoney } from '../../rain/money.ts';
import type { Arrivals } from '../arrivals.ts';
import type { CheatReport } from '../figures/cheatCounters.ts';
import type { Shares } from '../bots/behaviours.ts';
import type { Latency } from '../figures/latency.ts';
import { describeLoss } from '../bots/socket.ts';
import { BIN_MS, type TimelineRecord } from '../figures/timeline.ts';
import type { WaveCounters } from '../figures/counters.ts';

/** The result of a wave. Plain data: `--json` prints it unchanged. Amounts are decimal strings. */
export interface SwarmReport {
  rainId: string;
  /** 64 hex digits; the same seed gives the same users the same reaction times. */
  seed: string;
  users: number;
  processes: number;
  durationMs: number;
  /** How each user ended, most frequent first; they add up to `users`. */
  outcomes: { name: string; count: number }[];
  /** Every answer to a grab, most frequent first. */
  answers: { code: string; reason: string; count: number }[];
  latencyMs: {
    /** From a grab to its answer. */
    ask: Latency;
    /** From the planned time of the tap to the final answer, with retries and reconnects. */
    tap: Latency;
    /** From the planned time to the first grab: the delay of the swarm itself, a part of `tap`. */
    late: Latency;
  };
  /** `tap` at more percentiles, for a curve: [percent, ms]. */
  tapCurve: [number, number][];
  /** The planned distribution of the taps; absent: each user taps a reaction time after the rain opens. */
  arrivals?: Arrivals;
  /**
   * Waiting users that received the start, time of the first since the run began, and time from the first to the last,
   * ms.
   */
  start: { heard: number; firstMs: number; spreadMs: number };
  /**
   * Shares of users with faults, how often their connections broke, and how often they stopped reading; absent: none.
   */
  trouble?: Shares & { cuts: number; stops: number };
  /** Challenges that users solved for a ticket; absent: none. */
  challenges?: number;
  /** Cheaters count above only in `winners` and `told`; absent: no cheaters. */
  cheaters?: CheatReport;
  /**
   * Events in each `binMs` since the start: answers by reason, wins and credits; `sockets` is the change of the open
   * sockets.
   */
  timeline: { binMs: number; counts: TimelineRecord };
  winners: number;
  credited: number;
  /** Total amount in the answers to the winners. */
  told: string;
  /** Answers that contradict each other or have no valid amount, and descriptions of the first of them. */
  faults: number;
  faultExamples: string[];
  dials: number;
  failedDials: number;
  lostLines: number;
  misunderstood: number;
  /**
   * Why no user had a socket, with the HTTP status if there was one; absent when a user had a socket, or none tried to
   * connect.
   */
  unreached?: { reason: string; status?: number };
  /** Maximum error of the swarm's estimate of the server's clock, ms. */
  clockErrorMs: number;
}

/** Facts about a wave that are not in its counters. `clockErrorMs` is infinite while no message was exchanged. */
interface WaveFacts extends Pick<SwarmReport, 'rainId' | 'seed' | 'durationMs' | 'clockErrorMs' | 'arrivals'> {
  processes?: number;
  shares?: Shares | undefined;
}

export function reportOf(
  counters: WaveCounters,
  { rainId, seed, durationMs, processes = 1, arrivals, shares, clockErrorMs }: WaveFacts,
): SwarmReport {
  const { progress, told, start } = counters;
  const failure = counters.welcomes === 0 ? counters.lastFailure : undefined;
  return {
    rainId,
    seed,
    users: progress.users,
    processes,
    durationMs: Math.round(durationMs),
    outcomes: counters.outcomes.ranked(),
    answers: counters.answers.ranked().map(({ name: code, count }) => ({ code, reason: reasonOf(code), count })),
    latencyMs: { ask: counters.asks.summary(), tap: counters.taps.summary(), late: counters.late.summary() },
    tapCurve: counters.taps.curve(),
    ...(arrivals && { arrivals }),
    start: { heard: start.heard, firstMs: start.firstMs, spreadMs: start.lastMs - start.firstMs },
    ...(shares && { trouble: { ...shares, cuts: counters.cuts, stops: counters.stops } }),
    ...(counters.challenges > 0 && { challenges: counters.challenges }),
    ...(counters.cheats.users > 0 && { cheaters: counters.cheats.report() }),
    timeline: { binMs: BIN_MS, counts: counters.timeline.record() },
    winners: told.winners,
    credited: progress.credited,
    told: formatMoney(told.cents),
    faults: told.faults,
    faultExamples: [...told.examples],
    dials: counters.dials,
    failedDials: counters.failedDials,
    lostLines: counters.lostLines,
    misunderstood: counters.misunderstood,
    ...(failure && {
      unreached: { reason: describeLoss(failure), ...(failure.kind === 'refused' && { status: failure.status }) },
    }),
    clockErrorMs: Number.isFinite(clockErrorMs) ? clockErrorMs : 0,
  };
}
