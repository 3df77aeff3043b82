import { encode } from '../../protocol/codec.ts';
import { shownName, type WinnerNames } from '../../rain/names.ts';
import { frameOf, type Frame } from '../sockets/frame.ts';
import type { Session } from '../sockets/session.ts';
import type { Hub } from './hub.ts';

interface TickerRules {
  hub: Pick<Hub, 'watching' | 'broadcasting' | 'broadcastAt' | 'restMs' | 'some'>;
  isOff: () => boolean;
  send: (session: Session, frame: Frame) => void;
  /** Monotonic ms. */
  now?: () => number;
}

/**
 * The winners' ticker shows a sample of winners and is the first function to be switched off under load. Each viewer
 * gets at most one sample a second, the latest of all rains; with many viewers fewer. During a broadcast nothing is
 * sent, and for a while afterwards, so that players can act on it first. The latest sample waits meanwhile: after the
 * last win of a rain no other one comes.
 */
export class Ticker {
  readonly #rules: Required<TickerRules>;
  /** The latest sample of each rain that has not been sent yet. */
  readonly #latest = new Map<string, Frame>();
  #shownAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(rules: TickerRules) {
    this.#rules = { now: () => performance.now(), ...rules };
  }

  show(rainId: string, frame: Frame): void {
    this.#latest.set(rainId, frame);
    this.#schedule();
  }

  #schedule(): void {
    const { hub, now } = this.#rules;
    const waitMs = Math.max(this.#shownAt, hub.broadcastAt) + hub.restMs - now();
    if (waitMs <= 0) this.#tick();
    else this.#wakeIn(waitMs);
  }

  #wakeIn(waitMs: number): void {
    // The timer must not keep the process alive.
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#schedule();
    }, waitMs).unref();
  }

  #tick(): void {
    const { hub, isOff, send, now } = this.#rules;
    if (hub.broadcasting || isOff()) return this.#wakeIn(hub.restMs);
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const latest = [...this.#latest];
    this.#latest.clear();
    this.#shownAt = now();
    const frames = new Map<Session, Frame>();
    for (const [rainId, frame] of latest) for (const session of hub.watching(rainId)) frames.set(session, frame);
    if (frames.size > 0) hub.some(frames.keys(), (session) => send(session, frames.get(session)!));
  }
}

/** A sample of the winners, at most TICKER_WINNERS_MAX. */
export function winnersFrame(
  rainId: string,
  claims: readonly { userId: string; amount: string }[],
  names: WinnerNames,
): Frame {
  const winners = claims.map(({ userId, amount }) => ({ user: shownName(userId, names), amount }));
  return frameOf(encode({ type: 'winners', rainId, winners }));
}
