import { untilInStep } from '../../../src/platform/redis/inStep.ts';
import { TcpProxy } from './proxy.ts';
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
