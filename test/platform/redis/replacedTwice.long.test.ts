import { Redis } from 'ioredis';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { keyOf } from '../../../src/platform/embedded/formCluster.ts';
import { startEmbeddedCluster, type EmbeddedCluster } from '../../../src/platform/embedded/redisCluster.ts';
import { homeAt } from '../../../src/platform/process/home.ts';
import type { RedisClient } from '../../../src/platform/redis/connect.ts';
import { isUnavailable } from '../../../src/platform/redis/unavailable.ts';
import { eventually } from '../../support/eventually.ts';
import { connect } from '../../support/rain.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

async function openCluster(): Promise<{ cluster: EmbeddedCluster; redis: RedisClient }> {
  const started = await startEmbeddedCluster({ home: homeAt(temporaryFolder()), password: 'secret' });
  if (!started.ok) throw new Error(started.reason);
  onTestFinished(() => started.server.stop());
  const redis = await connect(started.server.url);
  onTestFinished(() => redis.disconnect());
  return { cluster: started.server, redis };
}

async function untilMaster({ url }: { url: string }): Promise<void> {
  const node = new Redis(url);
  node.on('error', () => {});
  await eventually(async () => expect((await node.role())[0]).toBe('master')).finally(() => node.disconnect());
}

test(
  'a master of a Cluster is replaced twice, and the first comes back before the second: every failed command says that Redis cannot be reached',
  { timeout: 120_000 },
  async () => {
    const { cluster, redis } = await openCluster();
    const [first, second] = [cluster.masters[0]!, cluster.replicas[0]!];
    const failures = new Map<string, boolean>();
    let served = 0;
    const asking = new AbortController();
    const asked = (async () => {
      for (; !asking.signal.aborted; await sleep(10)) {
        await redis.set(keyOf(0), '1').then(
          () => {
            served++;
          },
          (error: Error) => {
            failures.set(error.message.replace(/\d{2,}/g, 'N'), isUnavailable(error));
          },
        );
      }
    })();
    first.kill();
    await untilMaster(second);
    second.kill();
    await first.startAgain();
    // It follows a master that is gone, and may not take its place: it was down for too long.
    const node = new Redis(first.url);
    await eventually(async () => expect((await node.role())[0]).toBe('slave')).finally(() => node.disconnect());
    await second.startAgain();
    const before = served;
    await eventually(() => served > before + 20);
    asking.abort();
    await asked;
    expect(failures.size).toBeGreaterThan(0);
    expect([...failures].filter(([, known]) => !known)).toEqual([]);
  },
);
