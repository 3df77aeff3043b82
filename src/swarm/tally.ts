import type { OutcomeCode } from '../protocol/outcomes.ts';
import { LatencyRecorder } from './latency.ts';
import type { Loss } from './line.ts';
import { outcomeName, type BotOutcome } from './outcome.ts';
import { ToldPackets } from './told.ts';

/** Counts of bots; all only rise, except `connected`. */
export interface Progress {
  users: number;
  /** Sockets open now. */
  connected: number;
  /** Bots that have their answer, whatever it is. */
  answered: number;
  won: number;
  credited: number;
  /** Bots that have left for good. */
  ended: number;
}

/** Where all bots of a wave write down what they see. */
export class Tally {
  readonly progress: Progress;
  readonly told = new ToldPackets();
  /** From a question to its answer. */
  readonly asks = new LatencyRecorder();
  /** From the moment a user meant to tap to the answer that settled it, retries and reconnects included. */
  readonly taps = new LatencyRecorder();
  readonly answers = new Map<OutcomeCode, number>();
  readonly outcomes = new Map<string, number>();
  dials = 0;
  /** Dials that a welcome followed. */
  welcomes = 0;
  /** Dials that no welcome followed. */
  failedDials = 0;
  /** How the last of these ended. */
  lastFailure: Loss | undefined;
  /** Lines that were lost after the welcome, although the bot had not hung up. */
  lostLines = 0;
  /** Frames that are none of rain.v1, and `error` messages: with a right server and a right bot there are none. */
  misunderstood = 0;

  constructor(users: number) {
    this.progress = { users, connected: 0, answered: 0, won: 0, credited: 0, ended: 0 };
  }

  answer(code: OutcomeCode, askMs: number): void {
    this.answers.set(code, (this.answers.get(code) ?? 0) + 1);
    this.asks.record(askMs);
  }

  ended(outcome: BotOutcome): void {
    const name = outcomeName(outcome);
    this.outcomes.set(name, (this.outcomes.get(name) ?? 0) + 1);
    this.progress.ended++;
  }
}
