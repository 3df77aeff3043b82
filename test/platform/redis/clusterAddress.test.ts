import { afterAll, expect, onTestFinished, test } from 'vitest';
import { connectRedis, untilReady } from '../../../src/platform/redis/connect.ts';
import { startCluster } from '../../support/servers/cluster.ts';

const cluster = await startCluster({ replicas: true });
afterAll(() => cluster.stop());

test.each([
  ['all masters', cluster.masters],
  ['one master', cluster.masters.slice(0, 1)],
  ['replicas only, as after three failovers', cluster.replicas],
  ['one server that is gone and one replica', [{ port: 1 }, cluster.replicas[0]!]],
] as const)(
  'a Cluster whose address names %s is reached, and every master takes commands at once',
  async (_, servers) => {
    const url = `redis+cluster://${servers.map(({ port }) => `127.0.0.1:${port}`).join(',')}`;
    for (const purpose of ['once', 'grabs', 'queue', 'subscriber'] as const) {
      const client = connectRedis(url, { purpose, onError: () => {} });
      onTestFinished(() => client.disconnect());
      await untilReady(client);
      if (purpose === 'subscriber') continue;
      expect(
        await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map((key) => client.set(`${purpose}:${key}`, '1'))),
      ).toEqual(Array.from({ length: 6 }, () => 'OK'));
    }
  },
);
