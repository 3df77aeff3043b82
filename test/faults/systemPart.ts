import { describeEnd, type Child, type ChildEnd } from '../../src/platform/process/childProcess.ts';

/** The differences of one start of a process. */
export interface Extra {
  /** Variables added to its environment. */
  env?: Record<string, string>;
  /** Path of the program in place of its own; only of gateways and workers. */
  entry?: string;
}

/**
 * One process of a deployment, which can be killed, frozen and restarted. Its end is expected only if one of these
 * methods caused it, or if it was announced. Any other end is reported as an accident.
 */
export class Part {
  readonly name: string;
  readonly #launch: (extra: Extra) => Promise<Started>;
  readonly #accident: (message: string) => void;
  #started: Started | undefined;
  #expected = false;
  #frozen = false;

  constructor(name: string, launch: (extra: Extra) => Promise<Started>, accident: (message: string) => void) {
    this.name = name;
    this.#launch = launch;
    this.#accident = accident;
  }

  get running(): boolean {
    return this.#started !== undefined;
  }

  get pid(): number {
    if (!this.#started) throw new Error(`the ${this.name} does not run`);
    return this.#started.pid;
  }

  async start(extra: Extra = {}): Promise<void> {
    if (this.#started) return;
    const started = await this.#launch(extra);
    this.#started = started;
    this.#expected = this.#frozen = false;
    void started.child.ended.then((end) => {
      if (this.#started === started) this.#started = undefined;
      if (!this.#expected)
        this.#accident(`the ${this.name} ended by itself with ${describeEnd(end)}${started.child.lastLine()}`);
    });
  }

  /** Sends SIGKILL. Resolves when the process has ended. */
  async kill(): Promise<void> {
    const started = this.#started;
    if (!started) return;
    this.#expected = true;
    signalTo(started, 'SIGKILL');
    await this.#gone(started);
  }

  /**
   * Sends SIGTERM, and SIGKILL if that takes too long. Resolves when the process has ended.
   * @returns how; `undefined`: it did not run
   */
  async stop(): Promise<ChildEnd | undefined> {
    const started = this.#started;
    if (!started) return undefined;
    this.#expected = true;
    this.thaw();
    await started.child.stop();
    await this.#gone(started);
    return await started.child.ended;
  }

  /** Sends SIGSTOP: the process exists but does nothing. */
  freeze(): void {
    if (!this.#started) throw new Error(`the ${this.name} does not run`);
    signalTo(this.#started, 'SIGSTOP');
    this.#frozen = true;
  }

  thaw(): void {
    if (this.#started && this.#frozen) signalTo(this.#started, 'SIGCONT');
    this.#frozen = false;
  }

  /** Marks the coming end of the process as expected. */
  announceEnd(): void {
    this.#expected = true;
  }

  /** Resolves when the process has ended, for any reason. */
  async ended(): Promise<void> {
    if (this.#started) await this.#gone(this.#started);
  }

  async #gone(started: Started): Promise<void> {
    await started.child.ended;
    if (this.#started === started) this.#started = undefined;
  }
}

export interface Started {
  child: Pick<Child<unknown>, 'ended' | 'stop' | 'lastLine'>;
  /** The process to be killed; it may be the child of a guard process. */
  pid: number;
  /** Set if a signal must reach more processes than this one. */
  signal?(signal: NodeJS.Signals): void;
}

function signalTo({ pid, signal = (name) => process.kill(pid, name) }: Started, name: NodeJS.Signals): void {
  signal(name);
}
