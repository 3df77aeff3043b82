import { Cluster, type Redis } from 'ioredis';
import type { RedisClient } from '../platform/redis/connect.ts';
import { mastersOf } from '../platform/redis/owner.ts';
import { EVENTS_CHANNEL, QUEUE_PREFIX } from './keys.ts';
import { SCRIPTS } from './scripts.ts';

/** `operator`: the console and the command line. */
export const REDIS_ROLES = ['gateway', 'worker', 'operator'] as const;
export type RedisRole = (typeof REDIS_ROLES)[number];

/** How many arguments each command takes at least, by its shape: they all are keys here, but of those in `FORMS`. */
const ARGUMENTS = [
  ['asking', 'discard', 'exec', 'multi', 'ping', 'time', 'unsubscribe'],
  [
    'decr',
    'del',
    'exists',
    'get',
    'hgetall',
    'hkeys',
    'hlen',
    'incr',
    'llen',
    'lpop',
    'persist',
    'pttl',
    'rpop',
    'scard',
    'smembers',
    'type',
    'unlink',
    'xlen',
    'zcard',
    'zpopmin',
  ],
  [
    'bzpopmin',
    'copy',
    'expire',
    'hdel',
    'hexists',
    'hget',
    'hmget',
    'hscan',
    'hstrlen',
    'incrby',
    'lindex',
    'lpos',
    'lpush',
    'pexpire',
    'pexpireat',
    'rename',
    'rpoplpush',
    'rpush',
    'sadd',
    'set',
    'sismember',
    'smismember',
    'srem',
    'sscan',
    'wait',
    'xdel',
    'zrem',
    'zscore',
  ],
  [
    'getrange',
    'hincrby',
    'hmset',
    'hset',
    'hsetnx',
    'lrange',
    'lrem',
    'lset',
    'ltrim',
    'setrange',
    'xrange',
    'xtrim',
    'zadd',
    'zcount',
    'zlexcount',
    'zrange',
    'zrangebylex',
    'zrangebyscore',
    'zremrangebyrank',
    'zremrangebyscore',
    'zrevrange',
    'zrevrangebyscore',
  ],
  ['xadd'],
];
const FORMS: Readonly<Record<string, string>> = {
  'cluster info': '',
  'cluster slots': '',
  eval: 's 0',
  evalsha: 's 0',
  'script load': 's',
  xread: 'streams KEY 0',
  publish: `${EVENTS_CHANNEL}:permitted m`,
  subscribe: `${EVENTS_CHANNEL} ${EVENTS_CHANNEL}:permitted`,
};

/** Sent by every role, besides the commands of our scripts. */
const DIRECT = [
  'asking',
  'cluster info',
  'cluster slots',
  'copy',
  'decr',
  'del',
  'discard',
  'eval',
  'evalsha',
  'exec',
  'exists',
  'expire',
  'get',
  'getrange',
  'hdel',
  'hexists',
  'hget',
  'hgetall',
  'hkeys',
  'hlen',
  'hmget',
  'hscan',
  'hset',
  'hsetnx',
  'hstrlen',
  'incr',
  'lindex',
  'llen',
  'lpos',
  'lrange',
  'lrem',
  'multi',
  'persist',
  'pexpire',
  'ping',
  'pttl',
  'publish',
  'rename',
  'sadd',
  'scard',
  'script load',
  'set',
  'setrange',
  'sismember',
  'smismember',
  'srem',
  'sscan',
  'time',
  'type',
  'unlink',
  'wait',
  'zadd',
  'zcount',
  'zrange',
  'zrangebyscore',
  'zrem',
];

/** Called by BullMQ's scripts. */
export const QUEUE_COMMANDS = [
  'del',
  'exists',
  'get',
  'hdel',
  'hexists',
  'hget',
  'hgetall',
  'hincrby',
  'hlen',
  'hmget',
  'hmset',
  'hset',
  'incr',
  'incrby',
  'lindex',
  'llen',
  'lpop',
  'lpos',
  'lpush',
  'lrange',
  'lrem',
  'lset',
  'ltrim',
  'persist',
  'pexpire',
  'pexpireat',
  'pttl',
  'rename',
  'rpop',
  'rpoplpush',
  'rpush',
  'sadd',
  'scard',
  'set',
  'sismember',
  'smembers',
  'srem',
  'time',
  'type',
  'unlink',
  'xadd',
  'xdel',
  'xlen',
  'xrange',
  'xread',
  'xtrim',
  'zadd',
  'zcard',
  'zcount',
  'zlexcount',
  'zpopmin',
  'zrange',
  'zrangebylex',
  'zrangebyscore',
  'zrem',
  'zremrangebyrank',
  'zremrangebyscore',
  'zrevrange',
  'zrevrangebyscore',
  'zscore',
];

const OWN: Record<RedisRole, readonly string[]> = {
  gateway: ['subscribe', 'unsubscribe'],
  worker: ['bzpopmin', ...QUEUE_COMMANDS],
  operator: QUEUE_COMMANDS,
};

/** Read where a user may: without them settings, memory or the number of workers are unknown, and all else works. */
export const OPTIONAL_COMMANDS = ['client list', 'client setname', 'config get', 'info'];

/** Cannot be put into a transaction. A connection that subscribes serves nothing else any more, so that comes last. */
const OUTSIDE = ['multi', 'exec', 'discard', 'subscribe', 'unsubscribe'];

const KEYS = ['rain:', 'sale:', `${QUEUE_PREFIX}:`];

/** Sorted, in words: `script load`. */
function commandsOf(role: RedisRole): string[] {
  const scripted = [...SCRIPTS.values()].flatMap(({ source }) =>
    [...source.matchAll(/redis\.call\('(\w+)'/g)].map(([, name]) => name!.toLowerCase()),
  );
  return [...new Set([...DIRECT, ...scripted, ...OWN[role]])].sort();
}

/** The rules for `ACL SETUSER name`: this user may do all that the role does, and nothing else. */
export function aclRulesOf(role: RedisRole, optional: readonly string[] = OPTIONAL_COMMANDS): string {
  const commands = [...commandsOf(role), ...optional].map((command) => `+${command.replace(' ', '|')}`);
  return [...KEYS.map((prefix) => `~${prefix}*`), `&${EVENTS_CHANNEL}*`, '-@all', ...commands].join(' ');
}

/** One call to Redis, and the keys that it is about. */
interface Call {
  command: string;
  words: string[];
  keys: string;
}

/**
 * The permissions that the role needs and this user of Redis lacks, sorted: `bzpopmin`, `keys sale:*`, `channels
 * rain:events*`. Each command is put into a transaction, which is where Redis refuses it, and the transaction is
 * discarded.
 * @throws when Redis cannot be reached
 */
export async function missingCommands(redis: RedisClient, role: RedisRole): Promise<string[]> {
  const needed = commandsOf(role).filter((command) => redis instanceof Cluster || !/^(asking|cluster )/.test(command));
  const calls = [...needed.map((command) => callOf(command)), ...KEYS.map((prefix) => callOf('hset', prefix))];
  const refused = await Promise.all(mastersOf(redis).map(({ connection }) => refusedOf(connection, calls)));
  return [...new Set(refused.flat())].sort();
}

function callOf(command: string, prefix = KEYS[0]!): Call {
  const form =
    FORMS[command] ??
    Array<string>(ARGUMENTS.findIndex((commands) => commands.includes(command)))
      .fill('KEY')
      .join(' ');
  return {
    command,
    words: `${command} ${form.replaceAll('KEY', `${prefix}permitted`)}`.trim().split(' '),
    keys: `keys ${prefix}*`,
  };
}

/**
 * On a connection of its own, so that nobody else's command gets into the transaction, and nothing is executed if it
 * cannot be begun.
 */
async function refusedOf(connection: Redis, calls: readonly Call[]): Promise<string[]> {
  const own = connection.duplicate({
    retryStrategy: () => null,
    reconnectOnError: () => false,
    enableReadyCheck: false,
    lazyConnect: true,
  });
  own.on('error', () => {});
  try {
    await own.connect();
    const refused = [await refusal(own, callOf('multi'))];
    if (refused[0] !== undefined) return [refused[0]];
    refused.push(
      ...(await Promise.all(
        calls.filter(({ command }) => !OUTSIDE.includes(command)).map((call) => refusal(own, call)),
      )),
    );
    // The transaction is over, and another one is empty: nothing is executed.
    for (const command of ['discard', 'multi', 'exec']) {
      const last = await refusal(own, callOf(command));
      if (last !== undefined) return [...refused, last].filter((name) => name !== undefined);
    }
    for (const call of calls.filter(({ command }) => command === 'subscribe')) refused.push(await refusal(own, call));
    return refused.filter((name) => name !== undefined);
  } finally {
    own.disconnect();
  }
}

/**
 * @returns the permission that the user lacks, or the command that the server lacks; any other answer is none of ours
 */
async function refusal(redis: Redis, { command, words: [name, ...args], keys }: Call): Promise<string | undefined> {
  try {
    return void (await redis.call(name!, ...args));
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'ReplyError') throw error;
    if (/^ERR unknown (sub)?command/.test(error.message)) return command;
    // EXEC puts EXECABORT before it.
    if (!error.message.includes('NOPERM')) {
      // Outside of a transaction all that follows would be executed.
      if (command === 'multi') throw error;
      return undefined;
    }
    return /\bchannels?\b/.test(error.message)
      ? `channels ${EVENTS_CHANNEL}*`
      : /\bkeys?\b/.test(error.message)
        ? keys
        : command;
  }
}

/**
 * Checked before a server opens, so that nothing is begun that Redis would refuse half-way.
 * @throws Error with one sentence that names the commands
 */
export async function requireCommands(redis: RedisClient, role: RedisRole): Promise<void> {
  const missing = await missingCommands(redis, role);
  if (missing.length > 0)
    throw new Error(
      `Redis does not let its user do what ${role === 'operator' ? 'a console' : `a ${role}`} needs: ${missing.join(', ')}; rain doctor --acl prints the rules`,
    );
}
