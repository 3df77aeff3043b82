import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { deadlineIn } from '../concurrency/deadline.ts';
import { redactUrl, serversOf } from '../network/serverUrl.ts';
import { askRedis } from './askRedis.ts';
import { readBeforeTimeouts } from './lateTimeouts.ts';
import { isReplicas } from './refusal.ts';

readBeforeTimeouts();

/** One server, a Sentinel group or a Cluster, with the same commands. */
export type RedisClient = Redis | Cluster;

type RedisAddress =
  | { kind: 'single'; url: string }
  | { kind: 'sentinel'; nodes: { host: string; port: number }[]; name: string; username?: string; password?: string }
  | { kind: 'cluster'; nodes: { host: string; port: number }[]; username?: string; password?: string };

/**
 * How long a command may take, ms. One that timed out may have run: its caller repeats only what is harmless to repeat.
 */
export const COMMAND_TIMEOUT_MS = 2_000;
/**
 * A connection that is silent for so long with a request pending is replaced, ms. The kernel keeps a dead one for a
 * quarter of an hour.
 */
const SILENCE_MS_MAX = COMMAND_TIMEOUT_MS + 500;
/** So long BullMQ waits for a job at most, ms (`maximumBlockTimeout`): its connection is silent meanwhile. */
const BLOCKED_MS_MAX = 10_000;
/** How often a connection that only listens sends a ping, ms. */
const LISTENER_PING_MS = 5_000;
/** Pause between two attempts to reach all masters of a Cluster, ms: one that is lost is replaced within seconds. */
const MASTERS_ASKED_MS = 100;
/** Pause before a reconnect, ms. */
const reconnectDelay = (attempt: number): number => Math.min(50 * attempt, 1_000);

function hosts(text: string, defaultPort: number): { host: string; port: number }[] | undefined {
  const nodes = text.split(',').map((part) => /^([^:@/\s]+|\[[0-9a-fA-F:]+\])(?::(\d{1,5}))?$/.exec(part.trim()));
  if (nodes.some((node) => !node)) return undefined;
  return nodes.map((node) => ({
    host: node![1]!.replace(/^\[|\]$/g, ''),
    port: node![2] ? Number(node![2]) : defaultPort,
  }));
}

/**
 * `redis[s]://…`, `redis+sentinel://[user:pass@]h:p,h:p/name`, `redis+cluster://[user:pass@]h:p,h:p`; else `undefined`.
 */
export function parseRedisUrl(url: string): RedisAddress | undefined {
  if (/^rediss?:\/\/\S+$/.test(url)) return URL.canParse(url) ? { kind: 'single', url } : undefined;
  const match = /^redis\+(sentinel|cluster):\/\/(?:([^:@/]*)(?::([^@/]*))?@)?([^/@\s]+)(?:\/([^/\s]*))?$/.exec(url);
  if (!match) return undefined;
  const [, kind, user, secret, hostList, name] = match;
  const nodes = hosts(hostList!, kind === 'sentinel' ? 26379 : 6379);
  if (!nodes) return undefined;
  const login = {
    ...(user && { username: decodeURIComponent(user) }),
    ...(secret && { password: decodeURIComponent(secret) }),
  };
  if (kind === 'cluster') return { kind: 'cluster', nodes, ...login };
  return name ? { kind: 'sentinel', nodes, name, ...login } : undefined;
}

/** The servers of a client, for error messages: ioredis's own errors often do not name them. */
const servers = new WeakMap<RedisClient, string>();

/**
 * So long after a client has last met a replica, all look where they are, ms: by then those who write have met the new
 * master, or the replica again.
 */
const ALL_LOOK_MS = 2_000;
/** How often one of the clients looks, ms: a process whose clients only read would never notice. */
const ONE_LOOKS_MS = 5_000;
/** A connection leaves by the first of the refusals that it meets within so long, ms. */
const SAME_LEAVE_MS = 20;

/** The clients of one address in this process, until they are closed. */
class Clients {
  readonly #open = new Map<Redis, keyof typeof PURPOSES>();
  readonly #leftAt = new WeakMap<object, number>();
  #allLook: NodeJS.Timeout | undefined;
  #oneLooks: NodeJS.Timeout | undefined;

  /** A Cluster is told by MOVED where its masters are. */
  add(client: RedisClient, purpose: keyof typeof PURPOSES): void {
    if (client instanceof Cluster) return;
    this.#open.set(client, purpose);
    this.#oneLooks ??= setInterval(() => this.#look('one'), ONE_LOOKS_MS).unref();
    client.once('end', () => {
      this.#open.delete(client);
      if (this.#open.size > 0) return;
      clearInterval(this.#oneLooks);
      this.#oneLooks = undefined;
    });
  }

  /**
   * A server that has become a replica is left: the address of its master leads elsewhere by now, or soon, and open
   * connections do not follow it. In the end all clients look: one that only reads or listens never notices, and one
   * that left may have come back to the replica.
   * @param connection anything that is this connection's own
   * @returns for `reconnectOnError`: connect anew, and do not send the refused command again
   */
  leaveReplica(error: Error, connection: object): 1 | false {
    if (!isReplicas(error)) return false;
    const now = performance.now();
    if (now - (this.#leftAt.get(connection) ?? -Infinity) < SAME_LEAVE_MS) return false;
    this.#leftAt.set(connection, now);
    clearTimeout(this.#allLook);
    this.#allLook = setTimeout(() => this.#look('all'), ALL_LOOK_MS).unref();
    return 1;
  }

  /** By a write, which a replica refuses, and is left for. A connection that listens may not write, and connects anew. */
  #look(who: 'one' | 'all'): void {
    const ready = [...this.#open].filter(([client]) => client.status === 'ready');
    const listening = ready.filter(([, purpose]) => purpose === 'subscriber');
    const asking = ready.filter(([, purpose]) => purpose !== 'subscriber').slice(0, who === 'one' ? 1 : undefined);
    for (const [client] of asking) askRedis(client).catch(() => {});
    if (who === 'all') for (const [client] of listening) client.disconnect(true);
  }
}

const clients = new Map<string, Clients>();

function clientsOf(url: string): Clients {
  const found = clients.get(url) ?? new Clients();
  clients.set(url, found);
  return found;
}

const ONCE = {
  maxRetriesPerRequest: 0,
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  commandTimeout: COMMAND_TIMEOUT_MS,
  socketTimeout: SILENCE_MS_MAX,
} as const satisfies RedisOptions;

/**
 * `once`: a command is sent at most once and rejects immediately when the connection breaks or is down; for everything
 * that decides about money. ioredis's own defaults re-send a script whose reply was lost, and it then runs twice.
 * `grabs`: likewise, and a Cluster decides only where it was asked, see `StayingCluster`. `subscriber`: pub/sub,
 * re-subscribes by itself, however long Redis was away: by default ioredis gives up an unanswered subscription after 20
 * attempts to connect, never makes it again, and its rejection, which nobody awaits, ends the process. `queue`: as
 * BullMQ requires for blocking workers.
 */
const PURPOSES = {
  once: ONCE,
  grabs: ONCE,
  subscriber: { socketTimeout: SILENCE_MS_MAX, maxRetriesPerRequest: null },
  queue: { socketTimeout: BLOCKED_MS_MAX + SILENCE_MS_MAX, maxRetriesPerRequest: null },
} as const satisfies Record<string, RedisOptions>;

export interface ConnectOptions {
  purpose: keyof typeof PURPOSES;
  onError: (error: Error) => void;
}

/** Connects in the background; the caller awaits `untilReady`. */
export function connectRedis(url: string, { purpose, onError }: ConnectOptions): RedisClient {
  const address = parseRedisUrl(url);
  if (!address) throw new TypeError(`not a Redis address: ${redactUrl(url)}`);
  const ofAddress = clientsOf(url);
  const options: RedisOptions = {
    lazyConnect: false,
    connectTimeout: 2_000,
    retryStrategy: reconnectDelay,
    // ioredis calls it as a method of its options, of which each duplicate of a client has its own.
    reconnectOnError(this: object, error: Error) {
      return ofAddress.leaveReplica(error, this);
    },
    ...PURPOSES[purpose],
    ...('password' in address && { password: address.password }),
    ...('username' in address && { username: address.username }),
  };
  const client: RedisClient = open(address, options, purpose);
  servers.set(client, serversOf(url));
  ofAddress.add(client, purpose);
  client.on('error', onError);
  if (purpose === 'subscriber') {
    reportSubscriptions(client, onError);
    sendPings(client);
  }
  return client;
}

/**
 * After a reconnect ioredis subscribes by itself, and awaits no answer: a refusal, such as NOPERM, would end the
 * process.
 */
function reportSubscriptions(client: RedisClient, onError: (error: Error) => void): void {
  const subscribe = client.subscribe.bind(client) as (...channels: string[]) => Promise<unknown>;
  client.subscribe = ((...channels: string[]) => {
    const subscribed = subscribe(...channels);
    subscribed.catch(onError);
    return subscribed;
  }) as typeof client.subscribe;
}

function sendPings(client: RedisClient): void {
  const timer = setInterval(() => {
    if (client.status === 'ready') client.ping().catch(() => {});
  }, LISTENER_PING_MS).unref();
  client.once('end', () => clearInterval(timer));
}

function open(address: RedisAddress, options: RedisOptions, purpose: ConnectOptions['purpose']): RedisClient {
  switch (address.kind) {
    case 'single':
      return new Redis(address.url, options);
    case 'sentinel':
      return new Redis({
        ...options,
        sentinels: address.nodes,
        name: address.name,
        sentinelCommandTimeout: COMMAND_TIMEOUT_MS,
      });
    case 'cluster': {
      const {
        maxRetriesPerRequest: _perNode,
        retryStrategy: _single,
        replyMapping: _default,
        ...redisOptions
      } = options;
      // ioredis's own check asks a server whose connection is not open yet, is refused by it, and begins anew:
      // `untilReady` checks.
      const sentOnce = (purpose === 'once' || purpose === 'grabs') && {
        retryDelayOnFailover: 0,
        enableOfflineQueue: false,
        enableReadyCheck: false,
      };
      return new (purpose === 'grabs' ? StayingCluster : Cluster)(address.nodes, {
        ...sentOnce,
        redisOptions,
        clusterRetryStrategy: reconnectDelay,
      });
    }
  }
}

/**
 * Follows nobody to the new owner of a slot: it may lack what users were told, and is looked at before it decides
 * anything, see `watchMasters`. ioredis by itself would send the command on, or to any server. ASK is followed: it
 * names a slot that is being moved, with all it has.
 */
class StayingCluster extends Cluster {
  override handleError(...[error, ttl, handlers]: Parameters<Cluster['handleError']>): void {
    if (error.message.startsWith('ASK ')) return super.handleError(error, ttl, handlers);
    if (/^(MOVED|CLUSTERDOWN) /.test(error.message)) this.refreshSlotsCache();
    (handlers as { defaults(): void }).defaults();
  }
}

/**
 * Resolves when commands can be sent, in a Cluster to all masters; rejects after `timeoutMs` with the servers and the
 * last error.
 */
export async function untilReady(client: RedisClient, timeoutMs = 5_000): Promise<void> {
  const deadline = deadlineIn(timeoutMs);
  let last = 'no answer';
  const remember = (error: Error) => {
    last = error.message;
  };
  client.on('error', remember);
  try {
    if (client.status !== 'ready')
      await deadline.within(new Promise<void>((resolve) => client.once('ready', () => resolve())));
    while (client instanceof Cluster && client.status === 'ready' && deadline.leftMs() > 0) {
      if ((await deadline.within(openMasters(client).then(() => true, remember))) === true) return;
      client.refreshSlotsCache();
      await sleep(Math.min(MASTERS_ASKED_MS, deadline.leftMs()));
    }
    if (client.status !== 'ready' || client instanceof Cluster)
      throw new Error(`Redis cannot be reached at ${servers.get(client) ?? 'its address'}: ${last}`);
  } finally {
    client.off('error', remember);
  }
}

/** A Cluster opens the connection to a server with the first command for it, and refuses that. */
async function openMasters(cluster: Cluster): Promise<void> {
  const masters = cluster.nodes('master');
  const states = await Promise.all(
    masters.map(async (node) => {
      if (node.status !== 'ready') {
        const opened = once(node, 'ready');
        if (node.status === 'wait') node.connect().catch(() => {});
        await opened;
      }
      return (await node.cluster('INFO')) as string;
    }),
  );
  if (!states.every((state) => state.includes('cluster_state:ok')))
    throw new Error('CLUSTERDOWN cluster_state is fail');
}
