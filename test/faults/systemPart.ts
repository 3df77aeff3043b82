import { describeEnd, type Child } from '../../src/platform/process/childProcess.ts';

/** Environment variables added to a process for one start, e.g. `NODE_OPTIONS`. */
type Extra = Record<string, string>;

/**
 * One process of a deployment, which can be killed, frozen and started again. Its end is expected only when it came by
 * one of these hands, or was announced; any other is an accident.
 */
export class Part {
  readonly name: string;
  readonly #launch: (extra: Extra) => Promise<Started>;
  readonly #accident: (sentence: string) => void;
  #started: Started | undefined;
  #expected = false;
  #frozen = false;

  constructor(name: string, launch: (extra: Extra) => Promise<Started>, accident: (sentence: string) => void) {
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
      if (!this.#expected) this.#accident(`the ${this.name} ended by itself with ${describeEnd(end)}${started.child.lastLine()}`);
    });
  }

  /** SIGKILL; resolves when the process is gone. */
  async kill(): Promise<void> {
    const started = this.#started;
    if (!started) return;
    this.#expected = true;
    signalTo(started, 'SIGKILL');
    await this.#gone(started);
  }

  /** SIGTERM, and SIGKILL when that takes too long; resolves when the process is gone. */
  async stop(): Promise<void> {
    const started = this.#started;
    if (!started) return;
    this.#expected = true;
    this.thaw();
    await started.child.stop();
    await this.#gone(started);
  }

  /** SIGSTOP: the process is there and does nothing. */
  freeze(): void {
    if (!this.#started) throw new Error(`the ${this.name} does not run`);
    signalTo(this.#started, 'SIGSTOP');
    this.#frozen = true;
  }

  thaw(): void {
    if (this.#started && this.#frozen) signalTo(this.#started, 'SIGCONT');
    this.#frozen = false;
  }

  /** It will end by itself, and that is no accident. */
  announceEnd(): void {
    this.#expected = true;
  }

  /** Resolves when the process has ended, by whatever hand. */
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
  /** Of the process that is to be killed; a guard may stand between. */
  pid: number;
  /** Where a signal has to reach more processes than that one. */
  signal?(signal: NodeJS.Signals): void;
}

function signalTo({ pid, signal = (name) => process.kill(pid, name) }: Started, name: NodeJS.Signals): void {
  signal(name);
}
