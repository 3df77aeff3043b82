import { untilInStep } from '../../../src/platform/redis/inStep.ts';
import type { RedisClient } from '../../../src/platform/redis/connect.ts';
import { connect } from '../rain.ts';
import { TcpProxy } from './proxy.ts';
import { startRedis } from './redis.ts';

/** Nobody listens there, so nothing that the new master is told reaches the old one. */
const NOBODY = 1;

export interface MovingRedis {
  /** The address that leads to the master for whoever connects anew. */
  url: string;
  /** The server that is a replica until `swap`. */
  next: RedisClient;
  /** The two servers change their parts, as in a managed Redis; the address still leads to the former master. */
  swap(): Promise<void>;
  /** The address leads to the new master; open connections stay where they are. */
  move(): void;
  stop(): Promise<void>;
}

export async function startMovingRedis(): Promise<MovingRedis> {
  const former = await startRedis();
  const replica = await startRedis({ args: ['--replicaof', `127.0.0.1 ${former.port}`] });
  await untilInStep(former.url);
  let { port } = former;
  const proxy = await TcpProxy.open(() => port);
  const [old, next] = [await connect(former.url), await connect(replica.url)];
  return {
    url: `redis://127.0.0.1:${proxy.port}`,
    next,
    async swap() {
      await next.replicaof('NO', 'ONE');
      await old.replicaof('127.0.0.1', NOBODY);
    },
    move() {
      ({ port } = replica);
    },
    async stop() {
      old.disconnect();
      next.disconnect();
      await proxy.close();
      await Promise.all([former.stop(), replica.stop()]);
    },
  };
}
