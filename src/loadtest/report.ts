import { reasonOf } from '../protocol/outcomes.ts';
import { formatMoney } from '../rain/money.ts';
import type { Arrivals } from './arrivals.ts';
import type { CheatReport } from './cheatCounters.ts';
import type { ServerClock } from './clock.ts';
import type { Shares } from './behaviours.ts';
import type { Latency } from './latency.ts';
import { describeLoss } from './socket.ts';
import { BIN_MS, type TimelineRecord } from './timeline.ts';
import type { WaveCounters } from './counters.ts';

/** What a wave saw. Plain data: `--json` prints it as it is. Amounts are decimal strings. */
export interface SwarmReport {
  rainId: string;
  /** 64 hex digits; the same seed gives the same users the same reaction times. */
  seed: string;
  users: number;
  /** Of the swarm. */
  processes: number;
  durationMs: number;
  /** How each user ended, most frequent first; they add up to `users`. */
  outcomes: { name: string; count: number }[];
  /** Every answer to a grab, most frequent first. */
  answers: { code: string; reason: string; count: number }[];
  latencyMs: {
    /** From a question to its answer. */
    ask: Latency;
    /** From the moment a user meant to tap to the answer that settled it, retries and reconnects included. */
    tap: Latency;
    /** From that moment to his first question: what the swarm itself added, as a part of `tap`. */
    late: Latency;
  };
  /** `tap` at more percentiles, for a curve: [percent, ms]. */
  tapCurve: [number, number][];
  /** When the taps were meant to come, decided before the run; absent: each a moment after he saw it rain. */
  arrivals?: Arrivals;
  /** Users who were waiting and were told of the start, when the first of them (since the run began), and how far apart the first and the last, ms. */
  start: { heard: number; firstMs: number; spreadMs: number };
  /** How many users were not like the others, and how often their lines broke, or they stopped reading; absent: nobody was. */
  trouble?: Shares & { cuts: number; stops: number };
  /** Challenges that users have solved for a ticket; absent: none. */
  challenges?: number;
  /** Cheaters are counted in nothing above but `winners` and `told`; absent: nobody cheated. */
  cheaters?: CheatReport;
  /** What happened in each `binMs` since the start: answers by reason, wins and credits; `sockets` is the change of those open. */
  timeline: { binMs: number; counts: TimelineRecord };
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

/** What is known of a wave beside what its users saw. */
interface WaveFacts extends Pick<SwarmReport, 'rainId' | 'seed' | 'durationMs'> {
  processes?: number;
  arrivals?: Arrivals;
  shares?: Shares;
}

const CURVE_PERCENTS = [0, 10, 25, 50, 75, 90, 95, 99, 99.5, 99.9, 99.99, 100];

export function toReport(counters: WaveCounters, clock: ServerClock, facts: WaveFacts): SwarmReport {
  return reportOf(counters, { ...facts, clockErrorMs: clock.roundTripMs / 2 });
}

export function reportOf(counters: WaveCounters, { rainId, seed, durationMs, processes = 1, arrivals, shares, clockErrorMs }: WaveFacts & { clockErrorMs: number }): SwarmReport {
  const { progress, told } = counters;
  const failure = counters.welcomes === 0 ? counters.lastFailure : undefined;
  const start = counters.start.record();
  return {
    rainId,
    seed,
    users: progress.users,
    processes,
    durationMs: Math.round(durationMs),
    outcomes: ranked(counters.outcomes).map(([name, count]) => ({ name, count })),
    answers: ranked(counters.answers).map(([code, count]) => ({ code, reason: reasonOf(code), count })),
    latencyMs: { ask: counters.asks.summary(), tap: counters.taps.summary(), late: counters.late.summary() },
    tapCurve: CURVE_PERCENTS.map((percent) => [percent, counters.taps.at(percent)]),
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
    ...(failure && { unreached: { reason: describeLoss(failure), ...(failure.kind === 'refused' && { status: failure.status }) } }),
    clockErrorMs: Number.isFinite(clockErrorMs) ? clockErrorMs : 0,
  };
}

function ranked<K>(counts: ReadonlyMap<K, number>): [K, number][] {
  return [...counts].sort(([, a], [, b]) => b - a);
}
