import { encode } from '../../protocol/codec.ts';
import { TICKER_WINNERS_MAX } from '../../protocol/constants.ts';
import { mask } from '../../rain/mask.ts';
import { frameOf, type Frame } from '../sockets/frame.ts';
import type { Session } from '../sockets/session.ts';

interface TickerRules {
  /** Who watches a rain now. */
  watching: (rainId: string) => ReadonlySet<Session>;
  /** Something that matters is being told: then nothing is shown. */
  busy: () => boolean;
  /** When that was last begun, monotonic ms: the next sample leaves everybody his rest to act upon it, taps above all. */
  toldAt: () => number;
  /** Shows each of these his frame. */
  show: (frames: ReadonlyMap<Session, Buffer>) => void;
  /** How long a sample comes after the one before, and after what matters, ms. */
  restMs: () => number;
  /** Monotonic ms. */
  now?: () => number;
}

/**
 * The winners' ticker: a taste, not a list, and the first thing to go. Each watcher sees at most one sample a second, the latest, fewer where many watch,
 * whatever is credited and however many rains he watches; while a broadcast is under way, none.
 */
export class Ticker {
  readonly #rules: Required<TickerRules>;
  /** The latest sample of each rain that has not been shown. */
  readonly #latest = new Map<string, Buffer>();
  #shownAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(rules: TickerRules) {
    this.#rules = { now: () => performance.now(), ...rules };
  }

  show(rainId: string, frame: Buffer): void {
    this.#latest.set(rainId, frame);
    this.#plan();
  }

  #plan(): void {
    const { restMs, toldAt, now } = this.#rules;
    const waitMs = Math.max(this.#shownAt, toldAt()) + restMs() - now();
    if (waitMs <= 0) return this.#tick();
    // Nobody waits for it, the end of the process least of all.
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#plan();
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
