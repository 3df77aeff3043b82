import { blocksVersion, clearBlock, readBlocks, type Block } from '../../store/blocks.ts';
import { networkMatcher, networkOf, type Network } from '../../platform/network/address.ts';
import type { RedisClient } from '../../platform/redis/connect.ts';
import type { Limits } from '../limits.ts';
import { Poller } from '../rains/poller.ts';
import { end, type Session } from '../sockets/session.ts';

interface BlocklistRules {
  redis: RedisClient;
  /** Redis's clock as estimated here, epoch ms. */
  now: () => number;
  /** Called when somebody may be blocked who was not. */
  onChange: () => void;
  onFault: (error: unknown) => void;
  /** How often Redis is asked whether the list has changed, ms: the longest a lost event can go unnoticed. */
  pollMs?: number;
}

/** Blocks whose time is over that one look clears away. */
const CLEARED_MAX = 100;

/** Whom the operator has blocked, as of the last look at Redis. Without Redis the last list stays in force. */
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
    const over = this.#blocks.filter(({ until = Infinity }) => until <= now());
    if (over.length > 0) this.#apply();
    for (const block of over.slice(0, CLEARED_MAX)) await clearBlock(redis, block);
    if (await blocksVersion(redis) !== this.#version) await this.#read();
  }
}

/** As addresses are counted: the whole of an IPv4 address, the /64 of an IPv6 one. */
function isOneAddress(network: string): boolean {
  return network.includes(':') ? network.endsWith('/64') : !network.includes('/');
}

/** Closes a session whose user or address has been blocked: answers under way still reach him, and what he asks meanwhile is told why. */
export function disconnectBlocked(session: Session, blocklist: Pick<Blocklist, 'holdsUser' | 'holdsAddress'>, limits: Limits): void {
  if (session.blocked || !(blocklist.holdsUser(session.userId) || blocklist.holdsAddress(session.address.name))) return;
  session.blocked = true;
  setTimeout(end, limits.blockedMs, session, 4403).unref();
}
