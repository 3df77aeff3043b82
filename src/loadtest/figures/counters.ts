import type { Loss } from '../../client/reconnect.ts';
import { reasonOf } from '../../protocol/outcomes.ts';
import { CheatCounters, type CheatRecord } from './cheatCounters.ts';
import { LatencyRecorder, type LatencyRecord } from './latency.ts';
import { outcomeName, type BotOutcome } from '../bots/outcome.ts';
import { StartTimes, type StartRecord } from './startTimes.ts';
import { Timeline, type TimelineRecord } from './timeline.ts';
import { ToldPackets } from './toldPackets.ts';

/** Counts of bots; all but `connected` only rise. */
export interface Progress {
  users: number;
  /** Sockets open now. */
  connected: number;
  /** Bots with a final answer. */
  answered: number;
  won: number;
  credited: number;
  /** Bots that have ended. */
  ended: number;
}

const COUNTS = ['dials', 'welcomes', 'failedDials', 'lostLines', 'misunderstood', 'cuts', 'stops', 'challenges'] as const;
const RECORDERS = ['asks', 'taps', 'late'] as const;

/** The counters as plain data, for another process. */
export interface WaveCountersRecord {
  progress: Progress;
  told: { entries: [string, string, string][]; faults: number; examples: readonly string[] };
  recorders: Record<(typeof RECORDERS)[number], LatencyRecord>;
  answers: [string, number][];
  outcomes: [string, number][];
  counts: Record<(typeof COUNTS)[number], number>;
  start: StartRecord;
  timeline: TimelineRecord;
  cheats: CheatRecord;
  lastFailure: Loss | undefined;
}

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
  readonly answers = new Map<string, number>();
  readonly outcomes = new Map<string, number>();
  readonly start = new StartTimes();
  readonly timeline = new Timeline();
  readonly cheats = new CheatCounters(this.told);
  dials = 0;
  /** Connects with a welcome. */
  welcomes = 0;
  /** Connects without a welcome. */
  failedDials = 0;
  /** How the last failed connect ended. */
  lastFailure: Loss | undefined;
  /** Connections lost after the welcome and not closed by the bot. */
  lostLines = 0;
  /** Invalid frames and `error` messages: a correct server and a correct bot cause none. */
  misunderstood = 0;
  /** How often flaky users broke their connection, and how often slow users stopped reading. */
  cuts = 0;
  stops = 0;
  /** Challenges solved. */
  challenges = 0;
  readonly #zeroMs: number;

  /** @param zeroMs start of the wave, on the same clock as the `now` of the methods */
  constructor(users: number, zeroMs = 0) {
    this.#zeroMs = zeroMs;
    this.progress = { users, connected: 0, answered: 0, won: 0, credited: 0, ended: 0 };
  }

  /** @param askMs `undefined`: the time says nothing about the server */
  answer(code: string, askMs: number | undefined, now = 0): void {
    this.answers.set(code, (this.answers.get(code) ?? 0) + 1);
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
    this.start.add(now - this.#zeroMs);
  }

  at(what: string, now: number, count = 1): void {
    this.timeline.add(what, now - this.#zeroMs, count);
  }

  ended(outcome: BotOutcome): void {
    const name = outcomeName(outcome);
    this.outcomes.set(name, (this.outcomes.get(name) ?? 0) + 1);
    this.progress.ended++;
  }

  record(): WaveCountersRecord {
    const { progress, told, answers, outcomes, start, timeline, cheats, lastFailure } = this;
    return {
      progress, told: { entries: told.entries(), faults: told.faults, examples: told.examples },
      recorders: Object.fromEntries(RECORDERS.map((name) => [name, this[name].toRecord()])) as WaveCountersRecord['recorders'],
      answers: [...answers], outcomes: [...outcomes], counts: Object.fromEntries(COUNTS.map((name) => [name, this[name]])) as WaveCountersRecord['counts'],
      start: start.record(), timeline: timeline.record(), cheats: cheats.record(), lastFailure,
    };
  }

  /** Adds the counters of another process of the same wave; `users` is counted already. */
  merge(other: WaveCountersRecord): void {
    for (const name of ['connected', 'answered', 'won', 'credited', 'ended'] as const) this.progress[name] += other.progress[name];
    this.told.merge(other.told);
    for (const name of RECORDERS) this[name].merge(other.recorders[name]);
    for (const [code, count] of other.answers) this.answers.set(code, (this.answers.get(code) ?? 0) + count);
    for (const [name, count] of other.outcomes) this.outcomes.set(name, (this.outcomes.get(name) ?? 0) + count);
    for (const name of COUNTS) this[name] += other.counts[name];
    this.start.merge(other.start);
    this.timeline.merge(other.timeline);
    this.cheats.merge(other.cheats);
    this.lastFailure ??= other.lastFailure;
  }
}
