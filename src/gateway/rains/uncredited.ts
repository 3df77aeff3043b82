import { shardKeys } from '../../store/keys.ts';
import type { Signer } from '../../store/signer.ts';
import type { RedisClient } from '../../platform/redis/connect.ts';
import type { SentWin } from '../../grab/restore.ts';
import type { Hub } from '../broadcast/hub.ts';
import { UNCREDITED_ASK_MS, UNCREDITED_ASK_MS_MAX, UNCREDITED_AT_ONCE, UNCREDITED_MAX } from './limits.ts';

type Win = Omit<SentWin, 'at'>;

interface UncreditedRules {
  redis: RedisClient;
  signer: Pick<Signer, 'creditMarks'>;
  hub: Pick<Hub, 'of'>;
  tell: (win: Win) => void;
  onFault: (error: unknown) => void;
  /** How long to wait before Redis is asked for the first time, ms; then twice as long each time. */
  askMs?: number;
}

/**
 * Wins of users of this gateway that another one may be told of when they are credited, since the users won there:
 * before they reconnected, or on another device. For these Redis is asked, again and again at growing intervals, until
 * they are credited or their users are gone.
 */
export class Uncredited {
  readonly #rules: Required<UncreditedRules>;
  readonly #wins = new Map<string, Win & { dueAt: number; waitMs: number }>();
  #timer: NodeJS.Timeout | undefined;

  constructor(rules: UncreditedRules) {
    this.#rules = { askMs: UNCREDITED_ASK_MS, ...rules };
  }

  get size(): number {
    return this.#wins.size;
  }

  /**
   * To be called when a user hears of a win that is not credited yet, as far as is known. If there are too many, the
   * next `join` tells the rest.
   */
  watch(win: Win): void {
    const name = nameOf(win);
    if (this.#wins.has(name) || this.#wins.size >= UNCREDITED_MAX) return;
    const { askMs } = this.#rules;
    this.#wins.set(name, { ...win, dueAt: performance.now() + askMs, waitMs: askMs });
    this.#schedule();
  }

  /** To be called when the user has been told. */
  heard(rainId: string, userId: string): void {
    this.#wins.delete(nameOf({ rainId, userId }));
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#wins.clear();
  }

  #schedule(): void {
    if (this.#wins.size > 0) this.#timer ??= setTimeout(() => void this.#ask(), this.#rules.askMs).unref();
  }

  async #ask(): Promise<void> {
    const byShard = new Map<string, Win[]>();
    const now = performance.now();
    // Wins that are due soon are asked for as well: wins of one moment go together, however long their writing took.
    const soon = now + this.#rules.askMs / 2;
    for (const win of this.#wins.values()) {
      if (win.dueAt > soon) continue;
      if (this.#rules.hub.of(win.userId).size === 0) {
        this.heard(win.rainId, win.userId);
        continue;
      }
      win.waitMs = Math.min(2 * win.waitMs, Math.max(UNCREDITED_ASK_MS_MAX, this.#rules.askMs));
      win.dueAt = now + win.waitMs;
      const { credited } = shardKeys(win.rainId, win.shard);
      byShard.set(credited, byShard.get(credited) ?? []);
      byShard.get(credited)!.push(win);
    }
    for (const [key, wins] of byShard) {
      for (let at = 0; at < wins.length; at += UNCREDITED_AT_ONCE)
        await this.#tellCredited(key, wins.slice(at, at + UNCREDITED_AT_ONCE)).catch(this.#rules.onFault);
    }
    this.#timer = undefined;
    this.#schedule();
  }

  async #tellCredited(key: string, wins: readonly Win[]): Promise<void> {
    const { redis, signer, tell } = this.#rules;
    const marks = wins.map((win) => signer.creditMarks(win));
    const found = await redis.smismember(key, ...marks.flat());
    const perWin = marks[0]!.length;
    wins.forEach((win, i) => {
      if (!found.slice(i * perWin, (i + 1) * perWin).includes(1) || !this.#wins.has(nameOf(win))) return;
      this.heard(win.rainId, win.userId);
      tell(win);
    });
  }
}

function nameOf({ rainId, userId }: Pick<Win, 'rainId' | 'userId'>): string {
  return `${rainId}/${userId}`;
}
