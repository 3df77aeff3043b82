import { expect, onTestFinished, test } from 'vitest';
import { awaitReplicas } from '../../src/relay/replicated.ts';
import { eventually } from '../support/eventually.ts';
import { connect } from '../support/rain.ts';
import { at, startCluster } from '../support/servers/cluster.ts';

test('[R4] after a master was handed over and back, its replicas are asked again, though nothing else is sent over the connection', async () => {
  const cluster = await startCluster({ replicas: true });
  onTestFinished(() => cluster.stop());
  const redis = await connect(cluster.url);
  onTestFinished(() => redis.disconnect());
  const replicated = awaitReplicas(redis, 1, 1_500);
  const asked = () => eventually(async () => expect(await replicated()).toBe(true));
  await asked();
  for (const server of [cluster.replicas[0]!, cluster.masters[0]!]) {
    await at(server, async (node) => {
      await eventually(async () =>
        expect(await node.info('replication')).toMatch(/role:slave[^]*master_link_status:up/),
      );
      // A vote so soon after the last one may be refused.
      await eventually(
        async () => {
          if ((await node.info('replication')).includes('role:master')) return;
          await node.call('CLUSTER', 'FAILOVER');
          throw new Error('not promoted');
        },
        { everyMs: 1_000 },
      );
    });
    await asked();
  }
}, 60_000);
