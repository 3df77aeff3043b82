import { Broadcast } from './broadcast.ts';
import type { Session } from '../sockets/session.ts';

/** What telling one socket costs, ms, and which part of the time may go into what only informs. */
const TELL_MS = 0.015;
const INFORMING = 1 / 20;
const REST_MS_MIN = 1_000;

/** Who is here: every session, by user, and by the rain he watches. */
export class Hub {
  readonly #all = new Set<Session>();
  readonly #users = new Map<string, Set<Session>>();
  readonly #rains = new Map<string, Set<Session>>();
  readonly #broadcast: Broadcast;
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(broadcast = new Broadcast()) {
    this.#broadcast = broadcast;
  }

  get size(): number {
    return this.#all.size;
  }

  [Symbol.iterator](): IterableIterator<Session> {
    return this.#all.values();
  }

  add(session: Session): void {
    this.#all.add(session);
    enter(this.#users, session.userId, session);
  }

  watch(session: Session, rainId: string): void {
    session.rains.add(rainId);
    enter(this.#rains, rainId, session);
  }

  remove(session: Session): void {
    this.#all.delete(session);
    leave(this.#users, session.userId, session);
    for (const rainId of session.rains) leave(this.#rains, rainId, session);
  }

  of(userId: string): ReadonlySet<Session> {
    return this.#users.get(userId) ?? NOBODY;
  }

  watching(rainId: string): ReadonlySet<Session> {
    return this.#rains.get(rainId) ?? NOBODY;
  }

  /** Somebody has not been told yet what all are to be told. */
  get telling(): boolean {
    return this.#broadcast.underWay;
  }

  /** When something that matters was last begun to be told to many, ms of the monotonic clock. */
  get toldAt(): number {
    return this.#toldAt;
  }

  /** How long what only informs is to come after the one before: the winners' ticker, how many packets are left. The longer the more are here. */
  get restMs(): number {
    return Math.max(REST_MS_MIN, (this.#all.size * TELL_MS) / INFORMING);
  }

  /**
   * Hands everyone who watches now to `tell`, a slice of time per turn of the event loop, unless a newer word about the rain comes first.
   * @param matters it does more than inform
   */
  eachWatching(rainId: string, tell: (session: Session) => void, matters: boolean): void {
    if (matters) this.#toldAt = performance.now();
    this.#broadcast.add({ name: rainId, sessions: [...this.watching(rainId)], tell });
  }

  /** The same for everyone who is here, whatever comes after it. */
  each(tell: (session: Session) => void): void {
    this.#broadcast.add({ sessions: [...this.#all], tell });
  }

  /** The same for some, unless there is or comes anything else to tell. */
  some(sessions: Iterable<Session>, tell: (session: Session) => void): void {
    this.#broadcast.add({ sessions: [...sessions], tell, shed: true });
  }
}

const NOBODY: ReadonlySet<Session> = new Set();

function enter(map: Map<string, Set<Session>>, key: string, session: Session): void {
  const set = map.get(key);
  if (set) set.add(session);
  else map.set(key, new Set([session]));
}

function leave(map: Map<string, Set<Session>>, key: string, session: Session): void {
  const set = map.get(key);
  if (set?.delete(session) && set.size === 0) map.delete(key);
}
