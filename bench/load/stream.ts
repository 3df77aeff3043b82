import { build, type Histogram } from 'hdr-histogram-js';
import { clientFrame } from './frames.ts';

/** So many questions a second, for so long. */
export interface Phase {
  perSecond: number;
  forMs: number;
}

/** What came of a phase. Latencies count from the moment that was decided beforehand, so that whoever is late is seen to be. */
export interface Streamed extends Phase {
  offered: number;
  /** Answers that came while it lasted: those that were decided, and "busy". */
  decided: number;
  busy: number;
  /** Questions of this phase that had no answer when all was over. */
  unanswered: number;
  decidedMs: { p50: number; p99: number; max: number };
  busyMs: { p50: number; p99: number };
  /** From its beginning to the last question that was told "busy" or waited longer than NORMAL_MS. */
  normalAfterMs: number;
  /** How late the driver itself was, p99, ms, and its share of a core. */
  lateMs: number;
  driverCpu: number;
}

/** One who may be asked for. */
export interface Voice {
  put(frame: Buffer): void;
  /** When each question under way was due, by its ref; 0: answered. */
  readonly due: Float64Array;
  /** And in which phase. */
  readonly phase: Uint8Array;
  next: number;
}

/** Questions of one user that can be told apart. */
export const REFS = 256;
/** Who waits longer is not served as in quiet times. */
const NORMAL_MS = 250;
const TICK_MS = 4;
/** For the last answers. */
const REST_MS = 3_000;

const histogram = (): Histogram => build({ lowestDiscernibleValue: 1, highestTrackableValue: 60_000_000, numberOfSignificantValueDigits: 2 });

/** An open loop: what is offered is decided beforehand and does not wait for answers. */
export class Stream {
  readonly #voices: readonly Voice[];
  readonly #frames: readonly Buffer[];
  readonly #refAt: number;
  #books: { decided: Histogram; busy: Histogram; late: Histogram; counts: Streamed; beganAt: number }[] = [];
  #current = 0;

  constructor(voices: readonly Voice[], rainId: string) {
    this.#voices = voices;
    this.#frames = Array.from({ length: REFS }, (_, ref) => clientFrame(JSON.stringify({ type: 'grab', rainId, ref: String(ref) })));
    this.#refAt = `{"type":"result","rainId":"${rainId}","ref":"`.length;
  }

  /** One phase after the other, without a pause. */
  async run(phases: readonly Phase[]): Promise<Streamed[]> {
    let turn = 0;
    for (const [index, phase] of phases.entries()) {
      const cpu = process.cpuUsage();
      const book = this.#open(phase);
      this.#current = index;
      const total = Math.round(phase.perSecond * phase.forMs / 1_000);
      for (let sent = 0; sent < total;) {
        const now = performance.now();
        const due = Math.min(total, Math.floor((now - book.beganAt) * phase.perSecond / 1_000));
        for (; sent < due; sent++) this.#ask(this.#voices[turn++ % this.#voices.length]!, index, book.beganAt + sent * 1_000 / phase.perSecond, now);
        await new Promise((resolve) => setTimeout(resolve, TICK_MS));
      }
      const spent = process.cpuUsage(cpu);
      book.counts.driverCpu = (spent.user + spent.system) / 1_000 / (performance.now() - book.beganAt);
    }
    this.#current = -1;
    await new Promise((resolve) => setTimeout(resolve, REST_MS));
    return this.#close();
  }

  /** An answer; `at` is where its text begins. */
  hear(voice: Voice, heard: 'won' | 'lost' | 'busy', chunk: Buffer, at: number): void {
    let ref = 0;
    for (let i = at + this.#refAt; chunk[i] !== 0x22 /* " */ && i < chunk.length; i++) ref = ref * 10 + chunk[i]! - 0x30;
    const due = voice.due[ref]!;
    if (!(due > 0)) return;
    voice.due[ref] = 0;
    const asked = this.#books[voice.phase[ref]!]!;
    const waitedMs = performance.now() - due;
    const busy = heard === 'busy';
    (busy ? asked.busy : asked.decided).recordValue(Math.max(1, Math.round(waitedMs * 1_000)));
    asked.counts.unanswered--;
    if (busy || waitedMs > NORMAL_MS) asked.counts.normalAfterMs = Math.max(asked.counts.normalAfterMs, due - asked.beganAt);
    const now = this.#books[this.#current]?.counts;
    if (now) now[busy ? 'busy' : 'decided']++;
  }

  #ask(voice: Voice, phase: number, due: number, now: number): void {
    const { counts, late } = this.#books[phase]!;
    const ref = voice.next++ % REFS;
    voice.due[ref] = due;
    voice.phase[ref] = phase;
    voice.put(this.#frames[ref]!);
    counts.offered++;
    counts.unanswered++;
    late.recordValue(Math.max(1, Math.round((now - due) * 1_000)));
  }

  #open(phase: Phase) {
    const book = {
      decided: histogram(), busy: histogram(), late: histogram(), beganAt: performance.now(),
      counts: { ...phase, offered: 0, decided: 0, busy: 0, unanswered: 0, decidedMs: { p50: 0, p99: 0, max: 0 }, busyMs: { p50: 0, p99: 0 }, normalAfterMs: 0, lateMs: 0, driverCpu: 0 },
    };
    this.#books.push(book);
    return book;
  }

  #close(): Streamed[] {
    const at = (of: Histogram, percentile: number) => of.getValueAtPercentile(percentile) / 1_000;
    return this.#books.map(({ decided, busy, late, counts }) => ({
      ...counts, decidedMs: { p50: at(decided, 50), p99: at(decided, 99), max: decided.maxValue / 1_000 }, busyMs: { p50: at(busy, 50), p99: at(busy, 99) }, lateMs: at(late, 99),
    }));
  }
}
