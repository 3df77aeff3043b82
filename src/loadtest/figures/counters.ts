import type { Loss } from '../../client/reconnect.ts';
import { reasonOf } from '../../protocol/outcomes.ts';
import { outcomeName, type BotOutcome } from '../bots/outcome.ts';
import { CheatCounters } from './cheatCounters.ts';
import { Counts } from './counts.ts';
import { LatencyRecorder } from './latency.ts';
import { Timeline } from './timeline.ts';
import { ToldPackets } from './toldPackets.ts';

/**
 * Counts of bots. `connected`: sockets open now; `answered`: bots with a final answer. All but `connected` only rise.
 */
export const NO_PROGRESS = { users: 0, connected: 0, answered: 0, won: 0, credited: 0, ended: 0 };
export type Progress = typeof NO_PROGRESS;

const COUNTS = [
  'dials',
  'welcomes',
  'failedDials',
  'lostLines',
  'misunderstood',
  'cuts',
  'stops',
  'challenges',
] as const;
const RECORDERS = ['asks', 'taps', 'late'] as const;

/** The counters of all bots of a wave. */
export class WaveCounters {
  readonly progress: Progress;
  readonly told = new ToldPackets();
  /** From a grab to its answer. */
  readonly asks = new LatencyRecorder();
  /** From the planned time of the tap to the final answer, with retries and reconnects. */
  readonly taps = new LatencyRecorder();
  /** From the planned time of the tap to the first grab: the delay of the load generator itself. */
  readonly late = new LatencyRecorder();
  /** By code. */
  readonly answers = new Counts();
  readonly outcomes = new Counts();
  /**
   * How many waiting users received the start of the rain, and when the first and the last of them did, ms since the
   * start of the wave.
   */
  start = { heard: 0, firstMs: 0, lastMs: 0 };
  readonly timeline = new Timeline();
  readonly cheats = new CheatCounters(this.told);
  dials = 0;
  welcomes = 0;
  failedDials = 0;
  lastFailure: Loss | undefined;
  /** Connections lost after the welcome and not closed by the bot. */
  lostLines = 0;
  /** Invalid frames and `error` messages: a correct server and a correct bot cause none. */
  misunderstood = 0;
  /** How often flaky users broke their connection, and how often slow users stopped reading. */
  cuts = 0;
  stops = 0;
  challenges = 0;
  readonly #zeroMs: number;

  /** @param zeroMs start of the wave, on the same clock as the `now` of the methods */
  constructor(users: number, zeroMs = 0) {
    this.#zeroMs = zeroMs;
    this.progress = { ...NO_PROGRESS, users };
  }

  /** @param askMs `undefined`: the time says nothing about the server */
  answer(code: string, askMs: number | undefined, now = 0): void {
    this.answers.add(code);
    this.at(`answer ${reasonOf(code)}`, now);
    if (askMs !== undefined) this.asks.record(askMs);
  }

  connected(change: 1 | -1, now: number): void {
    this.progress.connected += change;
    if (change > 0) this.welcomes++;
    this.at('sockets', now, change);
  }

  credited(now: number): void {
    this.progress.credited++;
    this.at('credited', now);
  }

  startReceived(now: number): void {
    this.#mergeStart({ heard: 1, firstMs: now - this.#zeroMs, lastMs: now - this.#zeroMs });
  }

  at(what: string, now: number, count = 1): void {
    this.timeline.add(what, now - this.#zeroMs, count);
  }

  ended(outcome: BotOutcome): void {
    this.outcomes.add(outcomeName(outcome));
    this.progress.ended++;
  }

  record() {
    const { progress, told, answers, outcomes, start, timeline, cheats, lastFailure } = this;
    return {
      progress,
      told: told.record(),
      answers: [...answers],
      outcomes: [...outcomes],
      start,
      timeline: timeline.record(),
      cheats: cheats.record(),
      lastFailure,
      recorders: RECORDERS.map((name) => this[name].toRecord()),
      counts: COUNTS.map((name) => this[name]),
    };
  }

  /** Adds the counters of another process of the same wave; `users` is counted already. */
  merge(other: ReturnType<WaveCounters['record']>): void {
    for (const name of ['connected', 'answered', 'won', 'credited', 'ended'] as const)
      this.progress[name] += other.progress[name];
    RECORDERS.forEach((name, i) => this[name].merge(other.recorders[i]!));
    COUNTS.forEach((name, i) => {
      this[name] += other.counts[i]!;
    });
    this.told.merge(other.told);
    this.answers.merge(other.answers);
    this.outcomes.merge(other.outcomes);
    this.#mergeStart(other.start);
    this.timeline.merge(other.timeline);
    this.cheats.merge(other.cheats);
    this.lastFailure ??= other.lastFailure;
  }

  #mergeStart({ heard, firstMs, lastMs }: WaveCounters['start']): void {
    if (heard === 0) return;
    const { start } = this;
    this.start =
      start.heard === 0
        ? { heard, firstMs, lastMs }
        : {
            heard: start.heard + heard,
            firstMs: Math.min(start.firstMs, firstMs),
            lastMs: Math.max(start.lastMs, lastMs),
          };
  }
}
