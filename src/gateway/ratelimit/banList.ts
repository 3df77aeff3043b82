import { putLast, type CallerBucket } from './tokenBuckets.ts';
import type { Limits } from '../limits.ts';

/** Names who is at an address, on sockets and without; a name may come several times. */
type UsersAt = (address: string) => Iterable<string>;

/**
 * Bans users who keep sending while they are refused: their sockets are closed and they cannot reconnect for a while.
 * An address, which may be an office, is banned only when many of its users are banned, and more than others are there.
 */
export class BanList {
  readonly #limits: Limits;
  readonly #usersAt: UsersAt;
  readonly #now: () => number;
  /** Name → end of the ban, in the order of the bans; ms of the monotonic clock. */
  readonly #bannedUsers = new Map<string, number>();
  readonly #bannedAddresses = new Map<string, number>();
  /** Address → its banned users and the ends of their bans. */
  readonly #byAddress = new Map<string, Map<string, number>>();

  constructor(limits: Limits, usersAt: UsersAt, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#usersAt = usersAt;
    this.#now = now;
  }

  /** Counts a refused message. @returns true when it was one too many: the user is banned now */
  refuse(user: CallerBucket, address: string): boolean {
    const now = this.#now();
    const { offencesMax, violationWindowMs } = this.#limits;
    if (now - user.refusedFrom >= violationWindowMs) {
      user.refusedFrom = now;
      user.refused = 0;
    }
    if (++user.refused < offencesMax) return false;
    user.refused = 0;
    this.#ban(user.name, address, now);
    return true;
  }

  /** How long the user is still banned, ms; 0: not banned. */
  userBannedForMs(userId: string): number {
    return this.#leftMs(this.#bannedUsers, userId);
  }

  addressBannedForMs(address: string): number {
    return this.#leftMs(this.#bannedAddresses, address);
  }

  /** Drops expired bans. To be called at intervals. */
  forget(): void {
    const now = this.#now();
    for (const banned of [this.#bannedUsers, this.#bannedAddresses]) dropPast(banned, now);
    for (const [address, users] of this.#byAddress) {
      dropPast(users, now);
      if (users.size === 0) this.#byAddress.delete(address);
    }
  }

  #ban(userId: string, address: string, now: number): void {
    const { bannedMs, bannedMax, bansPerAddressMin } = this.#limits;
    const until = now + bannedMs;
    putLast(this.#bannedUsers, userId, until, bannedMax);
    let users = this.#byAddress.get(address);
    if (!users) putLast(this.#byAddress, address, (users = new Map()), bannedMax);
    putLast(users, userId, until, bannedMax);
    dropPast(users, now);
    if (users.size >= bansPerAddressMin && this.#othersAt(address, users.size) < users.size)
      putLast(this.#bannedAddresses, address, until, bannedMax);
  }

  /** How many users at the address are not banned; counts no further than `enough`. */
  #othersAt(address: string, enough: number): number {
    const others = new Set<string>();
    for (const userId of this.#usersAt(address)) {
      if (this.userBannedForMs(userId) === 0) others.add(userId);
      if (others.size >= enough) break;
    }
    return others.size;
  }

  #leftMs(banned: ReadonlyMap<string, number>, name: string): number {
    return Math.max(0, (banned.get(name) ?? 0) - this.#now());
  }
}

function dropPast(banned: Map<string, number>, now: number): void {
  for (const [name, until] of banned) {
    if (until > now) return;
    banned.delete(name);
  }
}
