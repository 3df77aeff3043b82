import type { Session } from '../sockets/session.ts';

type Pausable = Pick<Session, 'busyUntil' | 'alive' | 'pingedAt'> & {
  readonly socket: Pick<Session['socket'], 'pause' | 'resume'>;
};

/**
 * Leaves a socket unread whose user asks again before the time that "busy" told. Refusing costs more than half of
 * deciding; unread grabs cost nothing, TCP holds the sender back, and what has arrived by then is read in one turn and
 * decided once.
 *
 *     "busy" ──asks again too early, and is refused again──▶ unread ──at the time first told, `busyRetryMsMax` later at most──▶ read
 *
 * Its pings, pongs and close frames wait as long. A user who listens is never paused.
 */
export class Unread {
  readonly #now: () => number;
  readonly #paused = new Set<Pausable>();

  /** @param now monotonic ms */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Sockets that are not read now. */
  get size(): number {
    return this.#paused.size;
  }

  /** To be called with each grab or purchase that is answered "busy" for its load. */
  refused(session: Pausable, retryInMs: number): void {
    const now = this.#now();
    if (now >= session.busyUntil) {
      session.busyUntil = now + retryInMs;
      return;
    }
    if (this.#paused.has(session)) return;
    this.#paused.add(session);
    session.socket.pause();
  }

  /** Reads those again whose time has come. To be called about twenty times a second. A closed socket ignores it. */
  resume(): void {
    const now = this.#now();
    for (const session of this.#paused) {
      if (now < session.busyUntil) continue;
      this.#paused.delete(session);
      // A pong may wait behind the grabs.
      if (!session.alive) session.pingedAt = now;
      session.socket.resume();
    }
  }
}
