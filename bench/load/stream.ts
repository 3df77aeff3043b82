import { build, type Histogram } from 'hdr-histogram-js';
import { clientFrame } from './frames.ts';

export interface Phase {
  perSecond: number;
  forMs: number;
}

/**
 * A user who `listens` does not tap while an answer is on its way, and comes back when told after "busy"; one who
 * `insists` asks again at once after "busy"; and one who `floods` sends every planned grab, whatever has been answered.
 */
export type Manner = 'listens' | 'insists' | 'floods';

/**
 * The result of a phase. Latencies count from the planned time of each grab, so that delays of the driver are visible.
 */
const NOTHING = {
  offered: 0,
  // Answers during the phase, and grabs of this phase without an answer at the end.
  decided: 0,
  busy: 0,
  unanswered: 0,
  decidedMs: { p50: 0, p99: 0, max: 0 },
  busyMs: { p50: 0, p99: 0 },
  // From the first tap to the decision, with all that was told "busy" in between.
  sinceTapMs: { p50: 0, p99: 0, max: 0 },
  // From the beginning of the phase to the last grab that was answered "busy" or waited longer than NORMAL_MS.
  normalAfterMs: 0,
  // Delay of the driver itself, p99, and its share of a core.
  lateMs: 0,
  driverCpu: 0,
};
export type Streamed = Phase & typeof NOTHING;

export interface Voice {
  put(frame: Buffer): void;
  /** Planned time of each pending grab, by ref; 0: answered. */
  readonly due: Float64Array;
  /** Phase of each pending grab, by ref. */
  readonly phase: Uint8Array;
  next: number;
  /** When the user tapped who waits for a decision, also while he waits for his time to come back; 0: nobody waits. */
  tappedAt: number;
}

export const REFS = 256;
/** A longer wait counts as not normal, ms. */
const NORMAL_MS = 250;
const TICK_MS = 4;
const REST_MS = 3_000;
const RETRY = Buffer.from('"retryInMs":');
const RETRY_DIGITS = 6;

export const histogram = (): Histogram =>
  build({ lowestDiscernibleValue: 1, highestTrackableValue: 60_000_000, numberOfSignificantValueDigits: 2 });
export const atMs = (of: Histogram, percentile: number): number => of.getValueAtPercentile(percentile) / 1_000;

/** Processor time of this process since this reading. */
export function cpuMs(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1_000;
}

/** An open loop: the load is planned beforehand and does not wait for answers. */
export class Stream {
  readonly #voices: readonly Voice[];
  readonly #frames: readonly Buffer[];
  readonly #refAt: number;
  readonly #manner: Manner;
  #records: {
    decided: Histogram;
    busy: Histogram;
    sinceTap: Histogram;
    late: Histogram;
    counts: Streamed;
    beganAt: number;
  }[] = [];
  #current = 0;
  #closed = false;

  constructor(voices: readonly Voice[], rainId: string, manner: Manner) {
    this.#voices = voices;
    this.#manner = manner;
    this.#frames = Array.from({ length: REFS }, (_, ref) =>
      clientFrame(JSON.stringify({ type: 'grab', rainId, ref: String(ref) })),
    );
    this.#refAt = `{"type":"result","rainId":"${rainId}","ref":"`.length;
  }

  async run(phases: readonly Phase[]): Promise<Streamed[]> {
    let turn = 0;
    for (const [index, phase] of phases.entries()) {
      const cpu = process.cpuUsage();
      const record = this.#open(phase);
      this.#current = index;
      const total = Math.round((phase.perSecond * phase.forMs) / 1_000);
      for (let sent = 0; sent < total;) {
        const now = performance.now();
        const due = Math.min(total, Math.floor(((now - record.beganAt) * phase.perSecond) / 1_000));
        for (; sent < due; sent++)
          this.#tap(
            this.#voices[turn++ % this.#voices.length]!,
            index,
            record.beganAt + (sent * 1_000) / phase.perSecond,
            now,
          );
        await new Promise((resolve) => setTimeout(resolve, TICK_MS));
      }
      record.counts.driverCpu = cpuMs(cpu) / (performance.now() - record.beganAt);
    }
    this.#current = -1;
    await new Promise((resolve) => setTimeout(resolve, REST_MS));
    return this.#close();
  }

  /** An answer; `at` is where its text begins. */
  hear(voice: Voice, heard: 'won' | 'lost' | 'busy', chunk: Buffer, at: number): void {
    let ref = 0;
    for (let i = at + this.#refAt; chunk[i] !== 0x22 /* " */ && i < chunk.length; i++)
      ref = ref * 10 + chunk[i]! - 0x30;
    const due = voice.due[ref]!;
    if (!(due > 0)) return;
    voice.due[ref] = 0;
    const asked = this.#records[voice.phase[ref]!]!;
    const waitedMs = performance.now() - due;
    const busy = heard === 'busy';
    (busy ? asked.busy : asked.decided).recordValue(Math.max(1, Math.round(waitedMs * 1_000)));
    asked.counts.unanswered--;
    if (this.#manner !== 'floods') this.#listen(voice, busy, chunk, at);
    if (busy || waitedMs > NORMAL_MS)
      asked.counts.normalAfterMs = Math.max(asked.counts.normalAfterMs, due - asked.beganAt);
    const now = this.#records[this.#current]?.counts;
    if (now) now[busy ? 'busy' : 'decided']++;
  }

  #tap(voice: Voice, phase: number, due: number, now: number): void {
    if (this.#manner !== 'floods') {
      if (voice.tappedAt > 0) return;
      voice.tappedAt = due;
    }
    this.#ask(voice, phase, due, now);
  }

  #listen(voice: Voice, busy: boolean, chunk: Buffer, at: number): void {
    if (busy) {
      if (this.#manner === 'insists') return this.#comeBack(voice);
      const told = chunk.indexOf(RETRY, at) + RETRY.length;
      return void setTimeout(
        () => this.#comeBack(voice),
        parseInt(chunk.toString('latin1', told, told + RETRY_DIGITS), 10),
      );
    }
    this.#records[Math.max(0, this.#current)]!.sinceTap.recordValue(
      Math.max(1, Math.round((performance.now() - voice.tappedAt) * 1_000)),
    );
    voice.tappedAt = 0;
  }

  /** Counts for the phase in which it happens. */
  #comeBack(voice: Voice): void {
    const now = performance.now();
    if (!this.#closed) this.#ask(voice, this.#current < 0 ? this.#records.length - 1 : this.#current, now, now);
  }

  #ask(voice: Voice, phase: number, due: number, now: number): void {
    const { counts, late } = this.#records[phase]!;
    const ref = voice.next++ % REFS;
    voice.due[ref] = due;
    voice.phase[ref] = phase;
    voice.put(this.#frames[ref]!);
    counts.offered++;
    counts.unanswered++;
    late.recordValue(Math.max(1, Math.round((now - due) * 1_000)));
  }

  #open(phase: Phase) {
    const record = {
      decided: histogram(),
      busy: histogram(),
      sinceTap: histogram(),
      late: histogram(),
      beganAt: performance.now(),
      counts: { ...phase, ...NOTHING },
    };
    this.#records.push(record);
    return record;
  }

  #close(): Streamed[] {
    this.#closed = true;
    return this.#records.map(({ decided, busy, sinceTap, late, counts }) => ({
      ...counts,
      decidedMs: { p50: atMs(decided, 50), p99: atMs(decided, 99), max: decided.maxValue / 1_000 },
      busyMs: { p50: atMs(busy, 50), p99: atMs(busy, 99) },
      sinceTapMs: { p50: atMs(sinceTap, 50), p99: atMs(sinceTap, 99), max: sinceTap.maxValue / 1_000 },
      lateMs: atMs(late, 99),
    }));
  }
}
