import { blocksVersion, clearBlock, readBlocks, type Block } from '../../store/blocks.ts';
import { networkMatcher, networkOf } from '../../platform/network/address.ts';
import type { RedisClient } from '../../platform/redis/connect.ts';
import type { Limits } from '../limits.ts';
import { Poller } from '../rains/poller.ts';
import { EXPIRED_BLOCKS_CLEARED_MAX } from './limits.ts';
import { end, type Session } from '../sockets/session.ts';

interface BlocklistRules {
  redis: RedisClient;
  /** Redis's clock as estimated here, epoch ms. */
  now: () => number;
  /** Called when new blocks may exist. */
  onChange: () => void;
  onFault: (error: unknown) => void;
}

/**
 * The users and addresses that the operator has blocked, as last read from Redis. Without Redis the last list stays in
 * force.
 */
export class Blocklist extends Poller {
  readonly #rules: BlocklistRules;
  #version: string | undefined;
  #blocks: readonly Block[] = [];
  #users: ReadonlySet<string> = new Set();
  #addresses: ReadonlySet<string> = new Set();
  #inNetwork: ((address: string) => boolean) | undefined;

  constructor(rules: BlocklistRules) {
    super(rules);
    this.#rules = rules;
  }

  holdsUser(userId: string): boolean {
    return this.#users.has(userId);
  }

  /** @param address as `addressOf` names it */
  holdsAddress(address: string): boolean {
    return this.#addresses.has(address) || (this.#inNetwork?.(address) ?? false);
  }

  protected async read(): Promise<void> {
    const { version, blocks } = await readBlocks(this.#rules.redis);
    this.#version = version;
    this.#blocks = blocks;
    this.#apply();
    this.#rules.onChange();
  }

  #apply(): void {
    const now = this.#rules.now();
    this.#blocks = this.#blocks.filter(({ until = Infinity }) => until > now);
    const named = (kind: Block['kind']) => this.#blocks.filter((block) => block.kind === kind).map(({ who }) => who);
    const addresses = named('address');
    this.#users = new Set(named('user'));
    this.#addresses = new Set(addresses.filter(isOneAddress));
    const networks = addresses
      .filter((who) => !isOneAddress(who))
      .map(networkOf)
      .filter((network) => network !== undefined);
    this.#inNetwork = networks.length > 0 ? networkMatcher(networks) : undefined;
  }

  protected async wake(): Promise<void> {
    const { redis, now } = this.#rules;
    const expired = this.#blocks.filter(({ until = Infinity }) => until <= now());
    if (expired.length > 0) this.#apply();
    for (const block of expired.slice(0, EXPIRED_BLOCKS_CLEARED_MAX)) await clearBlock(redis, block);
    if ((await blocksVersion(redis)) !== this.#version) await this.read();
  }
}

/** Whether the network is one address as addresses are counted: a whole IPv4 address, or the /64 of an IPv6 address. */
function isOneAddress(network: string): boolean {
  return network.includes(':') ? network.endsWith('/64') : !network.includes('/');
}

/** Closes a session whose user or address is blocked, after `blockedMs`. */
export function disconnectBlocked(
  session: Session,
  blocklist: Pick<Blocklist, 'holdsUser' | 'holdsAddress'>,
  limits: Limits,
): void {
  if (session.blocked || !(blocklist.holdsUser(session.userId) || blocklist.holdsAddress(session.address.name))) return;
  session.blocked = true;
  setTimeout(end, limits.blockedMs, session, 4403).unref();
}
