import { Redis } from 'ioredis';
import { untilTrue } from '../../../platform/concurrency/untilTrue.ts';
import { keyOf } from '../../../platform/embedded/formCluster.ts';
import { NODE_TIMEOUT_MS, type EmbeddedCluster } from '../../../platform/embedded/redisCluster.ts';
import { untilInStep } from '../../../platform/redis/inStep.ts';

/** Times since the master was killed, ms. */
export interface Failover {
  /** The replica has become master. */
  promotedMs: number;
  /** The killed server runs again, as the replica of its successor, and has all that it has. */
  inStepMs: number;
}

interface FailoverOptions {
  cluster: Pick<EmbeddedCluster, 'masters' | 'replicas'>;
  /** Which of the masters dies; counts from 0. */
  master: number;
  signal: AbortSignal;
  tell: (sentence: string) => void;
}

const PROMOTED_MS_MAX = 30_000;

/**
 * Kills a master, waits until its replica has taken its place, and starts it again, as whatever supervises a server
 * would: with replicas=1 the successor confirms no win before it has a replica of its own.
 */
export async function failOver({ cluster, master, signal, tell }: FailoverOptions): Promise<Failover> {
  const [victim, successor] = [cluster.masters[master]!, cluster.replicas[master]!];
  victim.kill();
  const killedAt = performance.now();
  const sinceMs = () => Math.round(performance.now() - killedAt);
  tell(
    `${victim.name} (port ${victim.port}) is killed. Its users are refused until ${successor.name} has taken its place; the node timeout is ${seconds(NODE_TIMEOUT_MS)}`,
  );
  const node = new Redis(successor.url);
  node.on('error', () => {});
  try {
    await untilTrue(async () => (await node.role())[0] === 'master', {
      what: `${successor.name} as the new master`,
      withinMs: PROMOTED_MS_MAX,
      signal,
    });
  } finally {
    node.disconnect();
  }
  const promotedMs = sinceMs();
  tell(
    `${successor.name} (port ${successor.port}) is promoted after ${seconds(promotedMs)}. With DURABILITY=replicas=1 it confirms no win before it has a replica: ${victim.name} is started again`,
  );
  await victim.startAgain();
  await untilInStep(successor.url, keyOf(master));
  const inStepMs = sinceMs();
  tell(`${victim.name} is back after ${seconds(inStepMs)}, now as the replica of its successor`);
  return { promotedMs, inStepMs };
}

export const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
