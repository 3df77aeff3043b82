import { expect, onTestFinished, test } from 'vitest';
import { createDeadQueue } from '../../src/credit/queue.ts';
import { QUEUE_PREFIX } from '../../src/store/keys.ts';
import { eventually } from '../support/eventually.ts';
import { startCluster } from '../support/servers/cluster.ts';
import { startSentinel } from '../support/servers/sentinel.ts';
import { connect } from '../support/rain.ts';

interface Servers {
  url: string;
  masters: readonly { pid: number }[];
  stop(): Promise<void>;
}

const openSentinel = async (): Promise<Servers> => {
  const group = await startSentinel();
  return { url: group.url, masters: [group.master], stop: () => group.stop() };
};

test.each([
  ['Redis Cluster', startCluster as () => Promise<Servers>],
  ['a Sentinel group', openSentinel],
])(
  'a queue on %s works again by itself when its masters were frozen for its first command',
  async (_, start) => {
    const { url, masters, stop } = await start();
    onTestFinished(stop);
    const connection = await connect(url);
    onTestFinished(() => connection.disconnect());
    for (const { pid } of masters) process.kill(pid, 'SIGSTOP');
    const queue = createDeadQueue({ connection, prefix: QUEUE_PREFIX, onError: () => {}, visiting: true });
    onTestFinished(() => queue.close());
    try {
      await expect(queue.getJobCountByTypes('waiting')).rejects.toThrow();
    } finally {
      for (const { pid } of masters) process.kill(pid, 'SIGCONT');
    }
    expect(await eventually(() => queue.getJobCountByTypes('waiting'), { timeoutMs: 20_000 })).toBe(0);
  },
  60_000,
);
