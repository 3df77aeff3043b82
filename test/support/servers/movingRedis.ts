import { untilInStep } from '../../../src/platform/redis/inStep.ts';
import type { RedisClient } from '../../../src/platform/redis/connect.ts';
import { eventually } from '../eventually.ts';
import { connect } from '../rain.ts';
import { TcpProxy } from './proxy.ts';
import { startRedis } from './redis.ts';

/** Nobody listens there, so nothing that the new master is told reaches the former one. */
const NOBODY = 1;

export interface MovingRedis {
  /** The address that leads to the master for whoever connects anew. */
  url: string;
  /** The server that is a replica until the first `swap`. */
  next: RedisClient;
  /** The two servers change their parts without a loss, as when a managed Redis is maintained; the address stays. */
  swap(): Promise<void>;
  /** The address leads to the new master; open connections stay where they are. */
  move(): void;
  stop(): Promise<void>;
}

export async function startMovingRedis(): Promise<MovingRedis> {
  const servers = [await startRedis(), await startRedis()] as const;
  const clients = [await connect(servers[0].url), await connect(servers[1].url)] as const;
  let master: 0 | 1 = 0;
  let { port } = servers[master];
  const proxy = await TcpProxy.open(() => port);
  const follow = async (): Promise<0 | 1> => {
    const replica = master === 0 ? 1 : 0;
    await clients[replica].replicaof('127.0.0.1', servers[master].port);
    await untilInStep(servers[master].url);
    return replica;
  };
  await follow();
  return {
    url: `redis://127.0.0.1:${proxy.port}`,
    next: clients[1],
    async swap() {
      const [former, replica] = [clients[master], await follow()];
      master = replica;
      await former.call('FAILOVER', 'TO', '127.0.0.1', servers[master].port);
      await eventually(async () => (await clients[master].info('replication')).includes('role:master'));
      await eventually(() => former.replicaof('127.0.0.1', NOBODY));
    },
    move() {
      ({ port } = servers[master]);
    },
    async stop() {
      for (const client of clients) client.disconnect();
      await proxy.close();
      await Promise.all(servers.map((server) => server.stop()));
    },
  };
}
