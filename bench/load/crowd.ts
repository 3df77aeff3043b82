import { call, type Connection, type Speech } from './connection.ts';
import { clientFrame } from './frames.ts';
import { atMs, cpuMs, histogram, REFS, Stream, type Manner, type Phase, type Streamed, type Voice } from './stream.ts';

/**
 * `elapsedMs`: from the first grab to the last answer; `cpuMs`: processor time of this process; `gone`: connections
 * that closed.
 */
const NOTHING = { won: 0, lost: 0, busy: 0, elapsedMs: 0, cpuMs: 0, gone: 0, latencyMs: { p50: 0, p99: 0, max: 0 } };
export type Ran = typeof NOTHING;

interface Caller extends Voice {
  connection: Connection;
  askedAt: number;
  /** Index of the next rain; past the end this user is done. */
  next: number;
  busy: boolean;
  hasLeft: boolean;
}

/** Parallel handshakes: a queue of them says nothing about grabs. */
const HANDSHAKES_MAX = 100;
/** In `walk`, a user retries this long after "busy", ms; the latency counts from the first grab. */
const BUSY_MS = 100;
/** First grabs per turn of the event loop, so that they are no single burst. */
const SLICE = 200;

/** Users of one server; each grabs again after its answer, so the server is always busy and never flooded. */
export class Crowd {
  readonly #callers: Caller[] = [];
  readonly #latencies = histogram();
  #ran: Ran = { ...NOTHING };
  #rains: readonly string[] = [];
  #endsAt = 0;
  #restMs = 0;
  #waiting = 0;
  /** Connections that closed while nobody waited for an answer. */
  #closed = 0;
  #stream: Stream | undefined;
  #done: () => void = () => {};

  async connect(speech: Speech, port: number, tokens: readonly string[], joins?: string): Promise<void> {
    const left = tokens.map((token, i) => ({ token, from: `127.0.0.${2 + (i % 8)}` }));
    await Promise.all(
      Array.from({ length: HANDSHAKES_MAX }, async () => {
        for (let user = left.pop(); user; user = left.pop())
          await this.#enter(speech, port, user.from, user.token, joins);
      }),
    );
  }

  async #enter(speech: Speech, port: number, from: string, token: string, joins?: string): Promise<void> {
    const caller: Caller = {
      askedAt: 0,
      next: 0,
      tappedAt: 0,
      busy: false,
      hasLeft: false,
      due: new Float64Array(REFS),
      phase: new Uint8Array(REFS),
      put: (frame) => caller.connection.put(frame),
      connection: call(speech, port, from, token, {
        onHeard: (heard, chunk, at) =>
          this.#stream && chunk ? this.#stream.hear(caller, heard, chunk, at!) : this.#hear(caller, heard),
        onGone: () => this.#lose(caller),
      }),
    };
    await caller.connection.ready;
    if (joins !== undefined) caller.connection.put(clientFrame(JSON.stringify({ type: 'join', rainId: joins })));
    this.#callers.push(caller);
  }

  /** All users hang up. */
  leave(): void {
    for (const caller of this.#callers.splice(0)) {
      caller.hasLeft = true;
      caller.connection.end();
    }
  }

  async enter(rainId: string): Promise<void> {
    await Promise.all(this.#callers.map(({ connection }) => connection.enter(rainId)));
  }

  /** All users grab in one rain again and again for this time; with a pause in between they are no load but a probe. */
  repeat(rainId: string, forMs: number, restMs = 0): Promise<Ran> {
    this.#restMs = restMs;
    return this.#run([rainId], performance.now() + forMs);
  }

  walk(rainIds: readonly string[]): Promise<Ran> {
    this.#restMs = 0;
    return this.#run(rainIds, 0);
  }

  /** The users tap in turn at a fixed rate. */
  async stream(rainId: string, phases: readonly Phase[], manner: Manner): Promise<Streamed[]> {
    for (const caller of this.#callers) {
      caller.due.fill(0);
      caller.tappedAt = 0;
    }
    this.#stream = new Stream(this.#callers, rainId, manner);
    try {
      return await this.#stream.run(phases);
    } finally {
      this.#stream = undefined;
    }
  }

  end(): void {
    for (const { connection } of this.#callers.splice(0)) connection.end();
  }

  async #run(rainIds: readonly string[], endsAt: number): Promise<Ran> {
    // They would never answer, and the round would never end.
    if (this.#closed > 0) throw new Error(`${this.#closed} connections closed between two rounds`);
    this.#ran = { ...NOTHING };
    this.#latencies.reset();
    this.#rains = rainIds;
    this.#endsAt = endsAt;
    const [began, cpu] = [performance.now(), process.cpuUsage()];
    const over = new Promise<void>((resolve) => {
      this.#done = resolve;
    });
    this.#waiting = this.#callers.length;
    for (const caller of this.#callers) {
      caller.next = 0;
      caller.busy = true;
    }
    this.#begin(0);
    await over;
    this.#ran.cpuMs = cpuMs(cpu);
    this.#ran.elapsedMs = performance.now() - began;
    this.#ran.latencyMs = {
      p50: atMs(this.#latencies, 50),
      p99: atMs(this.#latencies, 99),
      max: this.#latencies.maxValue / 1_000,
    };
    return this.#ran;
  }

  #begin(from: number): void {
    for (const caller of this.#callers.slice(from, from + SLICE)) this.#ask(caller);
    if (from + SLICE < this.#callers.length) setImmediate(() => this.#begin(from + SLICE));
  }

  #ask(caller: Caller): void {
    const now = performance.now();
    const repeats = this.#endsAt > 0;
    if (repeats ? now >= this.#endsAt : caller.next >= this.#rains.length) return this.#rest(caller);
    caller.askedAt = now;
    caller.connection.ask(this.#rains[repeats ? 0 : caller.next++]!);
  }

  #hear(caller: Caller, heard: 'won' | 'lost' | 'busy'): void {
    this.#ran[heard]++;
    if (heard === 'busy' && this.#endsAt === 0)
      return void setTimeout(() => caller.connection.ask(this.#rains[caller.next - 1]!), BUSY_MS);
    this.#latencies.recordValue(Math.max(1, Math.round((performance.now() - caller.askedAt) * 1_000)));
    if (this.#restMs > 0) setTimeout(() => this.#ask(caller), this.#restMs);
    else this.#ask(caller);
  }

  #lose(caller: Caller): void {
    if (caller.hasLeft) return;
    this.#ran.gone++;
    if (caller.busy) this.#rest(caller);
    else this.#closed++;
  }

  #rest(caller: Caller): void {
    caller.busy = false;
    if (--this.#waiting === 0) this.#done();
  }
}
