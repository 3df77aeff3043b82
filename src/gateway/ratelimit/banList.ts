import type { CallerBucket, CallerBuckets } from './tokenBuckets.ts';
import type { Limits } from '../limits.ts';

type ViolationLimits = Pick<Limits, 'offencesMax' | 'violationWindowMs' | 'bannedMs' | 'bansPerAddressMin' | 'bannedMax'>;

/**
 * Who goes on asking while he is refused is closed, and kept out for a while: by user. An address is kept out only when many
 * of its users were, and more of them than play there still: behind one address may be an office.
 */
export class BanList {
  readonly #limits: ViolationLimits;
  readonly #addresses: Pick<CallerBuckets, 'socketsOf'>;
  readonly #now: () => number;
  /** Name → until when, in the order in which they were banned; ms of the monotonic clock. */
  readonly #users = new Map<string, number>();
  readonly #places = new Map<string, number>();
  /** Address → its banned users and until when. */
  readonly #byAddress = new Map<string, Map<string, number>>();

  constructor(limits: ViolationLimits, addresses: Pick<CallerBuckets, 'socketsOf'>, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#addresses = addresses;
    this.#now = now;
  }

  /** Counts a message that was refused. @returns true when it was one too many: its user is banned from now on */
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

  /** How long the user is still kept out, ms; 0: he is not. */
  userOutForMs(userId: string): number {
    return this.#leftMs(this.#users, userId);
  }

  addressOutForMs(address: string): number {
    return this.#leftMs(this.#places, address);
  }

  /** Lets go whose time is over. To be called now and then. */
  forget(): void {
    const now = this.#now();
    for (const banned of [this.#users, this.#places]) dropPast(banned, now);
    for (const [address, users] of this.#byAddress) {
      dropPast(users, now);
      if (users.size === 0) this.#byAddress.delete(address);
    }
  }

  #ban(userId: string, address: string, now: number): void {
    const until = now + this.#limits.bannedMs;
    this.#write(this.#users, userId, until);
    let users = this.#byAddress.get(address);
    if (!users) this.#write(this.#byAddress, address, users = new Map());
    this.#write(users, userId, until);
    dropPast(users, now);
    // Those who are out are not among the sockets much longer; until then they count on both sides.
    const players = Math.max(0, this.#addresses.socketsOf(address) - users.size);
    if (users.size >= this.#limits.bansPerAddressMin && users.size > players) this.#write(this.#places, address, until);
  }

  /** At the end of the line, and the oldest goes when it is too long [R10]. */
  #write<V>(map: Map<string, V>, name: string, value: V): void {
    map.delete(name);
    map.set(name, value);
    if (map.size <= this.#limits.bannedMax) return;
    const [oldest] = map.keys();
    map.delete(oldest!);
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
