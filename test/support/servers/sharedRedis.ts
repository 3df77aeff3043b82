import { Redis } from 'ioredis';
import { eventually } from '../eventually.ts';
import { startRedis, type TestRedis } from './redis.ts';

/** As a file found them; what it changes, it puts back. */
type Settings = Record<string, string>;

/** The server of this process: the files that run in it, one after the other, share this module. */
let running: Promise<TestRedis> | undefined;
let taken = false;

/**
 * Ends the server that a file has taken and not given back, so that the files after it get another one.
 * @returns whether there was such a server
 */
export async function endTakenRedis(): Promise<boolean> {
  if (!taken) return false;
  await endRunning();
  taken = false;
  return true;
}

/**
 * The Redis of this test process, which runs one file at a time: empty, durable like the product's. `stop` gives it
 * back, and rejects when connections to it are left or its settings are not what they were. A test may freeze it, and
 * wakes it; one that kills it, or needs another configuration from the start, takes one of its own from `startRedis`.
 * So does who asks while it is taken.
 */
export async function sharedRedis(): Promise<TestRedis> {
  if (taken) return startRedis();
  taken = true;
  try {
    running ??= startRedis({ lasting: true });
    const server = await running;
    const settings = await visit(server.url, async (redis) => {
      await empty(redis);
      return settingsOf(redis);
    });
    return {
      ...server,
      stop: () =>
        visit(server.url, (redis) => giveBack(redis, settings)).finally(() => {
          taken = false;
        }),
    };
  } catch (error) {
    [running, taken] = [undefined, false];
    throw error;
  }
}

async function giveBack(redis: Redis, settings: Settings): Promise<void> {
  const left: string[] = [];
  try {
    await eventually(
      async () => {
        const clients = await others(redis);
        if (clients.length > 0) throw new Error(`connected to Redis still: ${clients.join(' | ')}`);
      },
      { timeoutMs: 5_000 },
    );
  } catch (error) {
    left.push((error as Error).message);
    for (const type of ['normal', 'pubsub']) await redis.call('CLIENT', 'KILL', 'TYPE', type, 'SKIPME', 'yes');
  }
  for (const [name, value] of Object.entries(await settingsOf(redis))) {
    if (value === settings[name]) continue;
    left.push(`Redis's setting ${name} is ${value}, was ${settings[name]}`);
    await redis.config('SET', name, settings[name]!);
  }
  await empty(redis);
  if (left.length === 0) return;
  // A client that was left behind may reconnect: the files after this one get another server.
  await endRunning();
  throw new Error(`this file leaves behind: ${left.join('; ')}`);
}

async function endRunning(): Promise<void> {
  const server = await running;
  running = undefined;
  await server?.stop();
}

async function empty(redis: Redis): Promise<void> {
  await Promise.all([redis.flushall(), redis.script('FLUSH'), redis.function('FLUSH'), redis.config('RESETSTAT')]);
}

async function others(redis: Redis): Promise<string[]> {
  const own = await redis.client('ID');
  const list = String(await redis.client('LIST'))
    .trim()
    .split('\n');
  return list.filter((line) => !line.startsWith(`id=${own} `));
}

async function settingsOf(redis: Redis): Promise<Settings> {
  const words = (await redis.config('GET', '*')) as string[];
  return Object.fromEntries(Array.from({ length: words.length / 2 }, (_, i) => [words[2 * i]!, words[2 * i + 1]!]));
}

async function visit<T>(url: string, act: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(url);
  redis.on('error', () => {});
  try {
    return await act(redis);
  } finally {
    redis.disconnect();
  }
}
