import { blocksVersion, clearBlock, readBlocks, type Block } from '../../store/blocks.ts';
import { networkMatcher, networkOf, type Network } from '../../platform/network/address.ts';
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
  /** How often Redis is asked whether the list has changed, ms: the maximum delay after a lost event. */
  pollMs?: number;
}

/** The users and addresses that the operator has blocked, as last read from Redis. Without Redis the last list stays in force. */
export class Blocklist extends Poller {
  readonly #rules: BlocklistRules;
  #version: string | undefined;
  #blocks: readonly Block[] = [];
  #users: ReadonlySet<string> = new Set();
  #addresses: ReadonlySet<string> = new Set();
  #inNetwork: ((address: string) => boolean) | undefined;

  constructor(rules: BlocklistRules) {
    const { onFault, pollMs } = rules;
    super({ read: () => this.#read(), wake: () => this.#wake(), onFault, ...(pollMs !== undefined && { everyMs: pollMs }) });
    this.#rules = rules;
  }

  holdsUser(userId: string): boolean {
    return this.#users.has(userId);
  }

  /** @param address as `addressOf` names it */
  holdsAddress(address: string): boolean {
    return this.#addresses.has(address) || (this.#inNetwork?.(address) ?? false);
  }

  async #read(): Promise<void> {
    const { version, blocks } = await readBlocks(this.#rules.redis);
    this.#version = version;
    this.#blocks = blocks;
    this.#apply();
    this.#rules.onChange();
  }

  #apply(): void {
    const now = this.#rules.now();
    this.#blocks = this.#blocks.filter(({ until = Infinity }) => until > now);
    const users = new Set<string>();
    const addresses = new Set<string>();
    const networks: Network[] = [];
    for (const { kind, who } of this.#blocks) {
      if (kind === 'user') users.add(who);
      else if (isOneAddress(who)) addresses.add(who);
      else networks.push(...[networkOf(who)].filter((network) => network !== undefined));
    }
    this.#users = users;
    this.#addresses = addresses;
    this.#inNetwork = networks.length > 0 ? networkMatcher(networks) : undefined;
  }

  async #wake(): Promise<void> {
    const { redis, now } = this.#rules;
    const expired = this.#blocks.filter(({ until = Infinity }) => until <= now());
    if (expired.length > 0) this.#apply();
    for (const block of expired.slice(0, EXPIRED_BLOCKS_CLEARED_MAX)) await clearBlock(redis, block);
    if (await blocksVersion(redis) !== this.#version) await this.#read();
  }
}

/** Whether the network is one address as addresses are counted: a whole IPv4 address, or the /64 of an IPv6 address. */
function isOneAddress(network: string): boolean {
  return network.includes(':') ? network.endsWith('/64') : !network.includes('/');
}

/**
 * Closes a session whose user or address is blocked, after a short delay: pending answers still arrive, and new grabs are answered
 * "blocked".
 */
export function disconnectBlocked(session: Session, blocklist: Pick<Blocklist, 'holdsUser' | 'holdsAddress'>, limits: Limits): void {
  if (session.blocked || !(blocklist.holdsUser(session.userId) || blocklist.holdsAddress(session.address.name))) return;
  session.blocked = true;
  setTimeout(end, limits.blockedMs, session, 4403).unref();
}
