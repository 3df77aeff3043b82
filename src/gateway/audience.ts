import type { Session } from './session.ts';

/** Sockets reached per turn of the event loop, so that telling everybody never holds up a grab for long. */
const SLICE = 1_000;

/** Who is here: every session, by user, and by the rain he watches. */
export class Audience {
  readonly #all = new Set<Session>();
  readonly #users = new Map<string, Set<Session>>();
  readonly #rains = new Map<string, Set<Session>>();

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

  /** Hands everyone who watches now to `tell`, a slice per turn of the event loop. */
  eachWatching(rainId: string, tell: (session: Session) => void): void {
    inSlices(this.#rains.get(rainId) ?? NOBODY, tell);
  }

  /** The same for everyone who is here. */
  each(tell: (session: Session) => void): void {
    inSlices(this.#all, tell);
  }
}

const NOBODY: ReadonlySet<Session> = new Set();

function inSlices(audience: ReadonlySet<Session>, tell: (session: Session) => void): void {
  const sessions = [...audience];
  const slice = (from: number): void => {
    const to = Math.min(from + SLICE, sessions.length);
    for (let i = from; i < to; i++) tell(sessions[i]!);
    if (to < sessions.length) setImmediate(slice, to);
  };
  slice(0);
}

function enter(map: Map<string, Set<Session>>, key: string, session: Session): void {
  const set = map.get(key);
  if (set) set.add(session);
  else map.set(key, new Set([session]));
}

function leave(map: Map<string, Set<Session>>, key: string, session: Session): void {
  const set = map.get(key);
  if (set?.delete(session) && set.size === 0) map.delete(key);
}
