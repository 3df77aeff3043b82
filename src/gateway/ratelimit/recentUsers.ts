import { putLast } from './tokenBuckets.ts';

interface RecentUsersRules {
  /** How long a user counts as being where he asked last, ms. */
  rememberMs: number;
  /** How many are kept at most [R10], the latest. */
  rememberedMax: number;
  /** ms of the monotonic clock */
  now?: () => number;
}

/** Where users without a socket have asked from lately. A user is at one address, the last. */
export class RecentUsers {
  readonly #rules: Required<RecentUsersRules>;
  /** In the order of `at`. */
  readonly #users = new Map<string, { address: string; at: number }>();

  constructor(rules: RecentUsersRules) {
    this.#rules = { now: () => performance.now(), ...rules };
  }

  note(userId: string, address: string): void {
    const { now, rememberMs, rememberedMax } = this.#rules;
    const known = this.#users.get(userId);
    const at = now();
    // Kept for at least half of the time: not every request needs another entry.
    if (known?.address !== address || at - known.at >= rememberMs / 2)
      putLast(this.#users, userId, { address, at }, rememberedMax);
  }

  /** Reads all entries: for a ban, not for a request. */
  *at(address: string): Iterable<string> {
    for (const [userId, user] of this.#users) if (user.address === address) yield userId;
  }

  /** Drops users that asked long enough ago. To be called at intervals. */
  forget(): void {
    const before = this.#rules.now() - this.#rules.rememberMs;
    for (const [userId, { at }] of this.#users) {
      if (at > before) return;
      this.#users.delete(userId);
    }
  }
}
