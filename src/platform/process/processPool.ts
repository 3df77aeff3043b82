import cluster, { type Worker } from 'node:cluster';
import type { z } from 'zod';
import { describeEnd } from './childProcess.ts';
import { deadlineIn } from '../concurrency/deadline.ts';
import type { Logger } from '../telemetry/log.ts';
import { readReady } from './ipc.ts';
import { RestartLimit } from './restartLimit.ts';

interface ProcessPoolOptions<Facts> {
  /** For messages, e.g. `gateway`. */
  name: string;
  size: number;
  entry: string;
  args: readonly string[];
  /** Added to the environment of this process. */
  env: Record<string, string>;
  /** Schema of the ready message. */
  facts: z.ZodType<Facts>;
  /** Receives every few seconds why a process is not ready. */
  onWaiting(why: string): void;
  log: Logger;
}

export interface PoolMember {
  /** 1 … size; a replacement gets the number of the process that died. */
  readonly number: number;
  readonly pid: number;
  send(message: object): void;
  /** @returns removes the listener */
  listen(listener: (message: unknown) => void): () => void;
}

/**
 * Several equal processes behind one port, which this process owns.
 *
 *     starting ──ready──▶ serving ──ends unasked──▶ waiting, longer each time ──▶ starting …
 *
 * It distributes the connections in turn (SCHED_RR), not to the first that accepts: sockets stay open for hours and
 * each process has a limit. With 2,000 sockets, four processes got 431 to 562 in turn, against 330 to 655. It costs 0.2
 * ms of processor time per socket.
 */
export class ProcessPool<Facts> {
  readonly #options: ProcessPoolOptions<Facts>;
  readonly #replacements = new RestartLimit();
  /** By number, including processes that are starting. */
  readonly #workers = new Map<number, Worker>();
  readonly #serving = new Map<number, PoolMember>();
  readonly #waiting = new Set<NodeJS.Timeout>();
  #closing = false;

  constructor(options: ProcessPoolOptions<Facts>) {
    this.#options = options;
  }

  /** The processes that serve now. */
  get members(): readonly PoolMember[] {
    return [...this.#serving.values()];
  }

  /** Resolves when all processes serve, with the facts of the first. @throws one sentence when one does not start */
  async start(): Promise<Facts> {
    const { entry, args, size } = this.#options;
    cluster.schedulingPolicy = cluster.SCHED_RR;
    cluster.setupPrimary({ exec: entry, args: [...args], execArgv: [] });
    // All processes would fail for the same reason, so the first one starts alone and the error is reported once.
    try {
      const facts = await this.#launch(1);
      await Promise.all(Array.from({ length: size - 1 }, (_, i) => this.#launch(i + 2)));
      return facts;
    } catch (error) {
      await this.close(0);
      throw error;
    }
  }

  /** Sends SIGTERM to all, and SIGKILL to those that still run after `withinMs`. Harmless to repeat. */
  async close(withinMs: number): Promise<void> {
    this.#closing = true;
    for (const timer of this.#waiting) clearTimeout(timer);
    const workers = [...this.#workers.values()];
    const ends = Promise.all(workers.map(endOf));
    for (const worker of workers) worker.process.kill('SIGTERM');
    if ((await deadlineIn(withinMs).within(ends)) !== 'late') return;
    for (const worker of workers) worker.process.kill('SIGKILL');
    await ends;
  }

  async #launch(number: number): Promise<Facts> {
    const { name, env, facts, onWaiting, log } = this.#options;
    if (this.#closing) throw new Error(`the ${name} processes are being stopped`);
    const worker = cluster.fork(env);
    this.#workers.set(number, worker);
    const ended = endOf(worker).then((reason) => {
      this.#workers.delete(number);
      return reason;
    });
    const answer = await readReady(worker, facts, ended, (why) => {
      log.warn({ process: number, why }, `${name} process ${number} is not ready yet`);
      onWaiting(why);
    });
    if (typeof answer !== 'object') {
      worker.process.kill('SIGKILL');
      await ended;
      throw new Error(`${name} process ${number} did not start: ${answer}`);
    }
    this.#serve(number, worker, ended);
    return answer.facts;
  }

  #serve(number: number, worker: Worker, ended: Promise<string>): void {
    this.#serving.set(number, {
      number,
      pid: worker.process.pid!,
      send: (message) => {
        if (worker.isConnected()) worker.send(message);
      },
      listen(listener) {
        worker.on('message', listener);
        return () => void worker.off('message', listener);
      },
    });
    void ended.then((reason) => {
      this.#serving.delete(number);
      if (!this.#closing) this.#replace(number, reason);
    });
  }

  #replace(number: number, why: string): void {
    const { name, log } = this.#options;
    const waitMs = this.#replacements.next();
    log.error({ process: number, waitMs }, `${name} process ${number}: ${why}; it will be replaced`);
    const timer = setTimeout(() => {
      this.#waiting.delete(timer);
      this.#launch(number).then(
        () => log.info({ process: number }, `${name} process ${number} serves again`),
        (error: Error) => {
          if (!this.#closing) this.#replace(number, error.message);
        },
      );
    }, waitMs);
    this.#waiting.add(timer);
  }
}

/**
 * How the process ended, or why it never started. A fault of the channel alone is followed by the end, which counts.
 */
function endOf(worker: Worker): Promise<string> {
  return new Promise((resolve) => {
    if (worker.isDead()) return resolve('it had ended');
    worker.once('exit', (code, signal) =>
      resolve(`it ended with ${describeEnd({ code, signal: signal as NodeJS.Signals | null })}`),
    );
    worker.on('error', (error) => {
      if (worker.process.pid === undefined) resolve(`it cannot be run: ${error.message}`);
    });
  });
}
