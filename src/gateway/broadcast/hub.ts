import { Broadcast } from './broadcast.ts';
import { INFORMATIONAL_REST_MS_MIN, INFORMATIONAL_SHARE, SEND_MS } from './limits.ts';
import type { SnapshotChange } from '../rains/snapshotCache.ts';
import type { Session } from '../sockets/session.ts';

/** All sessions of this gateway, by user and by watched rain or sale; a sale goes by its `saleName`. */
export class Hub {
  readonly #all = new Set<Session>();
  #screens = 0;
  readonly #users = new Map<string, Set<Session>>();
  readonly #viewers = new Map<string, Set<Session>>();
  readonly #broadcast: Broadcast;
  /** When the last important broadcast began, ms of the monotonic clock. */
  broadcastAt = Number.NEGATIVE_INFINITY;

  constructor(broadcast = new Broadcast()) {
    this.#broadcast = broadcast;
  }

  get size(): number {
    return this.#all.size;
  }

  /** How many only watch. */
  get screens(): number {
    return this.#screens;
  }

  [Symbol.iterator](): IterableIterator<Session> {
    return this.#all.values();
  }

  add(session: Session): void {
    this.#all.add(session);
    if (session.audience?.watchOnly) this.#screens++;
    enter(this.#users, session.userId, session);
  }

  /** @param name a rain's id, or a sale's name; so below */
  watch(session: Session, name: string): void {
    session.watched.add(name);
    enter(this.#viewers, name, session);
  }

  remove(session: Session): void {
    if (this.#all.delete(session) && session.audience?.watchOnly) this.#screens--;
    leave(this.#users, session.userId, session);
    for (const name of session.watched) leave(this.#viewers, name, session);
  }

  of(userId: string): ReadonlySet<Session> {
    return this.#users.get(userId) ?? NOBODY;
  }

  watching(name: string): ReadonlySet<Session> {
    return this.#viewers.get(name) ?? NOBODY;
  }

  get broadcasting(): boolean {
    return this.#broadcast.underWay;
  }

  /** Minimum pause between informational messages, ms. It grows with the number of sessions. */
  get restMs(): number {
    return Math.max(INFORMATIONAL_REST_MS_MIN, (this.#all.size * SEND_MS) / INFORMATIONAL_SHARE);
  }

  /**
   * Calls `deliver` for each viewer of this rain or sale, and for an announcement also for other sessions for which
   * `isListed` holds. A newer call replaces one that has not begun.
   */
  tell(
    name: string,
    event: SnapshotChange,
    deliver: (session: Session) => void,
    isListed: (session: Session) => boolean,
  ): void {
    if (event !== 'left') this.broadcastAt = performance.now();
    this.#broadcast.add({ name, sessions: [...this.watching(name)], deliver });
    if (event !== 'announcement') return;
    // A session that has joined meanwhile has had a newer snapshot.
    const deliverToOther = (session: Session) => {
      if (!session.watched.has(name) && isListed(session)) deliver(session);
    };
    this.#broadcast.add({ name: `others ${name}`, sessions: [...this.#all], deliver: deliverToOther });
  }

  /** Calls `deliver` for all sessions. Later deliveries do not replace it. */
  each(deliver: (session: Session) => void): void {
    this.#broadcast.add({ sessions: [...this.#all], deliver });
  }

  /** The same for the given sessions. */
  these(sessions: readonly Session[], deliver: (session: Session) => void): void {
    this.#broadcast.add({ sessions, deliver });
  }

  /** The same for the given sessions, but only if there is no other delivery. */
  some(sessions: Iterable<Session>, deliver: (session: Session) => void): void {
    this.#broadcast.add({ sessions: [...sessions], deliver, droppable: true });
  }
}

const NOBODY: ReadonlySet<Session> = new Set();

function enter(map: Map<string, Set<Session>>, key: string, session: Session): void {
  map.set(key, (map.get(key) ?? new Set()).add(session));
}

function leave(map: Map<string, Set<Session>>, key: string, session: Session): void {
  const set = map.get(key);
  if (set?.delete(session) && set.size === 0) map.delete(key);
}
