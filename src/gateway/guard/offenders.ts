import type { Allowance, Allowances } from './allowances.ts';
import type { Limits } from '../limits.ts';

type OffenceLimits = Pick<Limits, 'offencesMax' | 'offenceWindowMs' | 'banishedMs' | 'offendersPerAddressMin' | 'banishedMax'>;

/**
 * Who goes on asking while he is refused is closed, and kept out for a while: by user. An address is kept out only when many
 * of its users were, and more of them than play there still: behind one address may be an office.
 */
export class Offenders {
  readonly #limits: OffenceLimits;
  readonly #addresses: Pick<Allowances, 'socketsOf'>;
  readonly #now: () => number;
  /** Name → until when, in the order in which they were banished; ms of the monotonic clock. */
  readonly #users = new Map<string, number>();
  readonly #places = new Map<string, number>();
  /** Address → its banished users and until when. */
  readonly #byAddress = new Map<string, Map<string, number>>();

  constructor(limits: OffenceLimits, addresses: Pick<Allowances, 'socketsOf'>, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#addresses = addresses;
    this.#now = now;
  }

  /** Counts a message that was refused. @returns true when it was one too many: its user is banished from now on */
  refuse(user: Allowance, address: string): boolean {
    const now = this.#now();
    const { offencesMax, offenceWindowMs } = this.#limits;
    if (now - user.refusedFrom >= offenceWindowMs) {
      user.refusedFrom = now;
      user.refused = 0;
    }
    if (++user.refused < offencesMax) return false;
    user.refused = 0;
    this.#banish(user.name, address, now);
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
    for (const banished of [this.#users, this.#places]) dropPast(banished, now);
    for (const [address, users] of this.#byAddress) {
      dropPast(users, now);
      if (users.size === 0) this.#byAddress.delete(address);
    }
  }

  #banish(userId: string, address: string, now: number): void {
    const until = now + this.#limits.banishedMs;
    this.#write(this.#users, userId, until);
    let users = this.#byAddress.get(address);
    if (!users) this.#write(this.#byAddress, address, users = new Map());
    this.#write(users, userId, until);
    dropPast(users, now);
    // Those who are out are not among the sockets much longer; until then they count on both sides.
    const players = Math.max(0, this.#addresses.socketsOf(address) - users.size);
    if (users.size >= this.#limits.offendersPerAddressMin && users.size > players) this.#write(this.#places, address, until);
  }

  /** At the end of the line, and the oldest goes when it is too long [R10]. */
  #write<V>(map: Map<string, V>, name: string, value: V): void {
    map.delete(name);
    map.set(name, value);
    if (map.size <= this.#limits.banishedMax) return;
    const [oldest] = map.keys();
    map.delete(oldest!);
  }

  #leftMs(banished: ReadonlyMap<string, number>, name: string): number {
    return Math.max(0, (banished.get(name) ?? 0) - this.#now());
  }
}

function dropPast(banished: Map<string, number>, now: number): void {
  for (const [name, until] of banished) {
    if (until > now) return;
    banished.delete(name);
  }
}
