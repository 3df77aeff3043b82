import { expect } from 'vitest';
import { eventually } from '../eventually.ts';
import { TcpProxy } from './proxy.ts';
import { connect } from '../rain.ts';
import { startRedis, type TestRedis } from './redis.ts';

export interface TestPair {
  master: TestRedis;
  replica: TestRedis;
  /** Between the two: the replica reaches its master only through it. */
  link: TcpProxy;
  stop(): Promise<void>;
}

/** A real master and a real replica of this test's own, in step with each other when this resolves. */
export async function startPair(): Promise<TestPair> {
  const master = await startRedis();
  const link = await TcpProxy.open(master.port);
  const replica = await startRedis({ args: ['--replicaof', `127.0.0.1 ${link.port}`] });
  const stop = async () => {
    await Promise.all([replica.stop(), master.stop()]);
    await link.close();
  };
  try {
    await untilInStep(master.url);
  } catch (error) {
    await stop();
    throw error;
  }
  return { master, replica, link, stop };
}

/**
 * Resolves when the replica, online, has acknowledged a write that came after. What a server says of itself is too early: after a
 * diskless sync the master sends the replica nothing before its first REPLCONF ACK, up to a second later, although the replica is
 * `online` and both offsets are 0; a replica that is promoted within that second is empty.
 * @param key what is written: in a Cluster, a key that this master owns
 * @throws when the only replica has acknowledged nothing after 20 s
 */
export async function untilInStep(masterUrl: string, key = 'in-step'): Promise<void> {
  const redis = await connect(masterUrl);
  try {
    await eventually(async () => expect(await redis.info('replication')).toMatch(/^slave0:.*state=online/m));
    await redis.multi().set(key, '1').del(key).exec();
    expect(await redis.wait(1, 20_000), 'replicas that acknowledged the write').toBe(1);
  } finally {
    redis.disconnect();
  }
}
