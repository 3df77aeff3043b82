import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { z } from 'zod';
import { untilInStep } from '../../../src/platform/redis/inStep.ts';
import { compiledEntry, startChild } from '../../../src/platform/process/childProcess.ts';
import { eventually } from '../eventually.ts';
import { freePort } from '../freePort.ts';
import { startRedis, type TestRedis } from './redis.ts';
import { startPair, type TestPair } from './replica.ts';

const NAME = 'main';
/** How long the master is silent before it is taken for dead, ms. */
const DOWN_AFTER_MS = 500;

export interface TestSentinel extends TestPair {
  /** `redis+sentinel://…` */
  url: string;
  /** Kills the master (SIGKILL) and waits until Sentinel has made the replica master. */
  failOver(): Promise<void>;
  /** A fresh replica of the new master, as an operator would add one. */
  addReplica(): Promise<void>;
}

/** A master and its replica as of `startPair`, and a real Sentinel that fails over by itself. All ends with `stop`. */
export async function startSentinel(): Promise<TestSentinel> {
  const pair = await startPair();
  const added: TestRedis[] = [];
  const watch = await startWatch(pair.master.port).catch(async (error: unknown) => {
    await pair.stop();
    throw error;
  });
  const eye = new Redis(watch.port, '127.0.0.1');
  eye.on('error', () => {});
  const stop = async () => {
    eye.disconnect();
    await watch.stop();
    await Promise.all(added.map((server) => server.stop()));
    await pair.stop();
  };
  try {
    await eventually(
      async () => {
        const [replica] = (await eye.call('SENTINEL', 'REPLICAS', NAME)) as string[][];
        return replica?.[replica.indexOf('master-link-status') + 1] === 'ok';
      },
      { timeoutMs: 20_000 },
    );
    // Sentinel has written to the master since.
    await untilInStep(pair.master.url);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    ...pair,
    url: `redis+sentinel://127.0.0.1:${watch.port}/${NAME}`,
    async failOver() {
      process.kill(pair.master.pid, 'SIGKILL');
      await eventually(
        async () => {
          const [, port] = (await eye.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', NAME)) as [string, string];
          return Number(port) === pair.replica.port && (await roleOf(port)) === 'master';
        },
        { timeoutMs: 30_000 },
      );
    },
    async addReplica() {
      added.push(await startRedis({ args: ['--replicaof', `127.0.0.1 ${pair.replica.port}`] }));
    },
    stop,
  };
}

async function roleOf(port: string): Promise<string> {
  return await askOnce(Number(port), async (redis) => ((await redis.role()) as unknown as [string])[0]);
}

async function askOnce<T>(port: number, ask: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(port, '127.0.0.1');
  redis.on('error', () => {});
  try {
    return await ask(redis);
  } finally {
    redis.disconnect();
  }
}

async function startWatch(masterPort: number): Promise<{ port: number; stop: () => Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'rain-test-sentinel-'));
  const port = await freePort();
  const configFile = join(folder, 'sentinel.conf');
  writeFileSync(
    configFile,
    [
      `port ${port}`,
      'bind 127.0.0.1',
      `dir "${folder}"`,
      `sentinel monitor ${NAME} 127.0.0.1 ${masterPort} 1`,
      `sentinel down-after-milliseconds ${NAME} ${DOWN_AFTER_MS}`,
      // Also the time after which a replica that reaches its master by another way than Sentinel is set right; longer
      // than any test.
      `sentinel failover-timeout ${NAME} 120000`,
      '',
    ].join('\n'),
  );
  const started = await startChild({
    name: 'sentinel',
    entry: compiledEntry('platform/embedded/redisGuard.js'),
    args: [configFile, '--sentinel'],
    logs: folder,
    facts: z.object({ serverPid: z.int() }),
  });
  if (!started.ok) throw new Error(started.reason);
  const { child } = started;
  const killAtExit = () => {
    try {
      process.kill(child.facts.serverPid, 'SIGKILL');
    } catch {
      // Ended already.
    }
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', killAtExit);
  return {
    port,
    async stop() {
      await child.stop();
      process.off('exit', killAtExit);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
