import cluster, { type Worker } from 'node:cluster';
import type { z } from 'zod';
import { describeEnd } from './childProcess.ts';
import { deadlineIn } from '../concurrency/deadline.ts';
import type { Logger } from '../telemetry/log.ts';
import { childMessage } from './ipc.ts';
import { RestartLimit } from './restartLimit.ts';

interface ProcessPoolOptions<Facts> {
  /** For sentences, e.g. `gateway`. */
  name: string;
  size: number;
  /** A compiled Node entry and its words: what each of them runs. */
  entry: string;
  args: readonly string[];
  /** Added to this process's environment. */
  env?: Record<string, string>;
  /** What each says of itself when it is ready. */
  facts: z.ZodType<Facts>;
  log: Logger;
  readyWithinMs?: number;
  replacements?: RestartLimit;
}

export interface PoolMember {
  /** 1 … size; who takes the place of one that died takes his number, too. */
  readonly number: number;
  readonly pid: number;
  say(message: object): void;
  /** @returns takes the listener away again */
  listen(heard: (message: unknown) => void): () => void;
}

const READY_WITHIN_MS = 30_000;

/**
 * Several processes that do the same behind one port. Each listens as if it were alone; the port is this process's, which hands
 * the connections out in turn.
 *
 *     starting ──ready──▶ serving ──ends unasked──▶ waiting, longer each time ──▶ starting …
 *
 * In turn (SCHED_RR) rather than whoever accepts first (SCHED_NONE): sockets stay for hours and each process may hold only so
 * many, so what counts is that they come evenly. Of 2,000 sockets, four processes got 431 to 562 in turn, 500 each when they
 * came one by one, against 330 to 655 by chance. It costs this process about 0.2 ms of processor time per connection, once in
 * the life of a socket; the handshake itself costs about 1 ms.
 */
export class ProcessPool<Facts> {
  readonly #options: ProcessPoolOptions<Facts>;
  readonly #replacements: RestartLimit;
  /** By number; those that are starting, too. */
  readonly #workers = new Map<number, Worker>();
  readonly #serving = new Map<number, PoolMember>();
  readonly #waiting = new Set<NodeJS.Timeout>();
  #closing = false;

  constructor(options: ProcessPoolOptions<Facts>) {
    this.#options = options;
    this.#replacements = options.replacements ?? new RestartLimit();
  }

  /** Those that serve now. */
  get members(): readonly PoolMember[] {
    return [...this.#serving.values()];
  }

  /**
   * Resolves when all serve, with what the first says of itself.
   * @throws one sentence when one of them does not start
   */
  async start(): Promise<Facts> {
    const { entry, args, size } = this.#options;
    cluster.schedulingPolicy = cluster.SCHED_RR;
    cluster.setupPrimary({ exec: entry, args: [...args], execArgv: [] });
    // What keeps one from starting keeps all: it is tried, and told, once.
    try {
      const facts = await this.#launch(1);
      await Promise.all(Array.from({ length: size - 1 }, (_, i) => this.#launch(i + 2)));
      return facts;
    } catch (error) {
      await this.close(0);
      throw error;
    }
  }

  /** SIGTERM to all at once, and SIGKILL to who is still there after `withinMs`. Harmless to repeat. */
  async close(withinMs: number): Promise<void> {
    this.#closing = true;
    for (const timer of this.#waiting) clearTimeout(timer);
    const workers = [...this.#workers.values()];
    const ends = Promise.all(workers.map(endOf));
    for (const worker of workers) worker.process.kill('SIGTERM');
    if (await deadlineIn(withinMs).within(ends) !== 'late') return;
    for (const worker of workers) worker.process.kill('SIGKILL');
    await ends;
  }

  async #launch(number: number): Promise<Facts> {
    const { name, env = {}, facts, readyWithinMs = READY_WITHIN_MS } = this.#options;
    if (this.#closing) throw new Error(`the ${name} processes are being ended`);
    const worker = cluster.fork(env);
    this.#workers.set(number, worker);
    const ended = endOf(worker).then((how) => {
      this.#workers.delete(number);
      return how;
    });
    const said = new Promise<{ facts: Facts } | string>((resolve) => worker.once('message', (message) => resolve(readFacts(message, facts))));
    const answer = await deadlineIn(readyWithinMs).within(Promise.race([said, ended]));
    if (typeof answer !== 'object') {
      worker.process.kill('SIGKILL');
      await ended;
      throw new Error(`${name} process ${number} did not start: ${answer === 'late' ? `it was not ready within ${readyWithinMs / 1_000} s` : answer}`);
    }
    this.#serve(number, worker, ended);
    return answer.facts;
  }

  #serve(number: number, worker: Worker, ended: Promise<string>): void {
    this.#serving.set(number, {
      number,
      pid: worker.process.pid!,
      say: (message) => { if (worker.isConnected()) worker.send(message); },
      listen(heard) {
        worker.on('message', heard);
        return () => void worker.off('message', heard);
      },
    });
    void ended.then((how) => {
      this.#serving.delete(number);
      if (!this.#closing) this.#replace(number, how);
    });
  }

  #replace(number: number, why: string): void {
    const { name, log } = this.#options;
    const waitMs = this.#replacements.next();
    log.error({ process: number, waitMs }, `${name} process ${number}: ${why}; another takes its place`);
    const timer = setTimeout(() => {
      this.#waiting.delete(timer);
      this.#launch(number).then(
        () => log.info({ process: number }, `${name} process ${number} serves again`),
        (error: Error) => { if (!this.#closing) this.#replace(number, error.message); },
      );
    }, waitMs);
    this.#waiting.add(timer);
  }
}

/** How it ended, or why it was never there. A fault of the channel alone comes before an end, which is what counts. */
function endOf(worker: Worker): Promise<string> {
  return new Promise((resolve) => {
    if (worker.isDead()) return resolve('it had ended');
    worker.once('exit', (code, signal) => resolve(`it ended with ${describeEnd({ code, signal: signal as NodeJS.Signals | null })}`));
    worker.on('error', (error) => { if (worker.process.pid === undefined) resolve(`it cannot be run: ${error.message}`); });
  });
}

function readFacts<Facts>(message: unknown, facts: z.ZodType<Facts>): { facts: Facts } | string {
  const parsed = childMessage.safeParse(message);
  if (parsed.success && 'failed' in parsed.data) return String(parsed.data.failed);
  const checked = facts.safeParse(message);
  return checked.success ? { facts: checked.data } : 'it did not say what was expected of it';
}
