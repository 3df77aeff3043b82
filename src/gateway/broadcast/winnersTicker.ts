import { encode } from '../../protocol/codec.ts';
import { TICKER_WINNERS_MAX } from '../../protocol/constants.ts';
import { mask } from '../../rain/mask.ts';
import { frameOf, type Frame } from '../sockets/frame.ts';
import type { Session } from '../sockets/session.ts';

interface TickerRules {
  /** The sessions that watch a rain now. */
  watching: (rainId: string) => ReadonlySet<Session>;
  /** An important broadcast is under way: then no sample is shown. */
  busy: () => boolean;
  /** When the last important broadcast began, monotonic ms. The next sample waits, so that players can act on the broadcast first. */
  broadcastAt: () => number;
  /** Sends each session its frame. */
  show: (frames: ReadonlyMap<Session, Buffer>) => void;
  /** Minimum pause after the last sample and after an important broadcast, ms. */
  restMs: () => number;
  /** Monotonic ms. */
  now?: () => number;
}

/**
 * The winners' ticker shows a sample of winners and is the first function to be switched off under load. Each viewer gets at most
 * one sample a second, the latest one, whatever is credited and however many rains the viewer watches. With many viewers the pause
 * is longer. During a broadcast nothing is sent.
 */
export class Ticker {
  readonly #rules: Required<TickerRules>;
  /** The latest sample of each rain that has not been sent yet. */
  readonly #latest = new Map<string, Buffer>();
  #shownAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(rules: TickerRules) {
    this.#rules = { now: () => performance.now(), ...rules };
  }

  show(rainId: string, frame: Buffer): void {
    this.#latest.set(rainId, frame);
    this.#schedule();
  }

  #schedule(): void {
    const { restMs, broadcastAt, now } = this.#rules;
    const waitMs = Math.max(this.#shownAt, broadcastAt()) + restMs() - now();
    if (waitMs <= 0) return this.#tick();
    // The timer must not keep the process alive.
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#schedule();
    }, waitMs).unref();
  }

  #tick(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { watching, busy, show, now } = this.#rules;
    const latest = [...this.#latest];
    this.#latest.clear();
    if (busy()) return;
    this.#shownAt = now();
    const frames = new Map<Session, Buffer>();
    for (const [rainId, frame] of latest) for (const session of watching(rainId)) frames.set(session, frame);
    if (frames.size > 0) show(frames);
  }
}

/** A sample of the winners, their names masked. */
export function winnersFrame(rainId: string, claims: readonly { userId: string; amount: string }[]): Frame {
  const winners = claims.slice(0, TICKER_WINNERS_MAX).map(({ userId, amount }) => ({ user: mask(userId), amount }));
  return frameOf(encode({ type: 'winners', rainId, winners }));
}
