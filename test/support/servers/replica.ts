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
  const redis = await connect(master.url);
  try {
    await eventually(async () => expectInStep(await redis.info('replication')), { timeoutMs: 20_000 });
  } catch (error) {
    await stop();
    throw error;
  } finally {
    redis.disconnect();
  }
  return { master, replica, link, stop };
}

/**
 * By the master's own words. What the replica says is too early: after a diskless sync the master sends it nothing before its
 * first REPLCONF ACK, up to a second later, although the replica's link is up; whoever is promoted within that second is empty.
 * @param replication `INFO replication` of the master
 * @throws when the replica, the only one, is not online or has not acknowledged all that was written
 */
export function expectInStep(replication: string): void {
  const written = /^master_repl_offset:(\d+)/m.exec(replication)?.[1];
  const replica = /^slave0:.*state=online,offset=(\d+)/m.exec(replication)?.[1];
  if (replica === undefined || replica !== written) throw new Error(`the replica is not in step: ${replication}`);
}
