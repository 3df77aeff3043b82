import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { homeAt, type Home } from '../process/home.ts';
import { CLUSTER_MASTERS, formCluster } from './formCluster.ts';
import { freePort, isPortFree } from './freePort.ts';
import { startEmbeddedRedis, type EmbeddedRedis, type StartedServer } from './redis.ts';

/** One server of the Cluster, also after it was started again. */
export interface ClusterServer {
  /** `master 1` … `replica 3`, as they were at the start. */
  name: string;
  port: number;
  url: string;
  /** Resolves when it ends and was not told to. */
  lost: Promise<void>;
  /** As a power cut would. */
  kill(): void;
  /** In the same place and on the same data, after `kill`. @throws Error with one sentence */
  startAgain(): Promise<void>;
  stop(): Promise<void>;
}

export interface EmbeddedCluster {
  /** `redis+cluster://…` */
  url: string;
  masters: ClusterServer[];
  /** The replica of each master, in the same order. */
  replicas: ClusterServer[];
  stop(): Promise<void>;
}

/** Commands that this needs are there since this version. */
export const CLUSTER_REDIS_MAJOR_MIN = 7;
/** How long a master is silent before its replica may take its place, ms. */
export const NODE_TIMEOUT_MS = 2_000;

/** Each server has a second port for the others, this much higher. Both lie below the ephemeral ports. */
export const BUS_PORT_OFFSET = 10_000;
const drawPort = () => randomInt(20_000, 22_768);
const TRIES_MAX = 5;

/**
 * A Redis Cluster of three masters with one replica each, on 127.0.0.1 and in folders of this home; for trying out: one
 * machine that fails takes all of them with it.
 */
export async function startEmbeddedCluster({
  home,
  password,
}: {
  home: Home;
  password: string;
}): Promise<StartedServer<EmbeddedCluster>> {
  const names = ['master', 'replica'].flatMap((role) =>
    Array.from({ length: CLUSTER_MASTERS }, (_, i) => `${role} ${i + 1}`),
  );
  const started = await Promise.all(names.map((name) => startClusterServer(home, name, password)));
  const servers = started.flatMap((one) => (one.ok ? [one.server] : []));
  const stop = async () => void (await Promise.all(servers.map((server) => server.stop())));
  try {
    for (const one of started) if (!one.ok) throw new Error(one.reason);
    await formCluster(servers);
  } catch (error) {
    await stop();
    return { ok: false, reason: (error as Error).message };
  }
  const masters = servers.slice(0, CLUSTER_MASTERS);
  const url = `redis+cluster://:${password}@${masters.map(({ port }) => `127.0.0.1:${port}`).join(',')}`;
  return { ok: true, server: { url, masters, replicas: servers.slice(CLUSTER_MASTERS), stop } };
}

/** One that belongs to no Cluster yet. */
export async function startClusterServer(
  home: Home,
  name: string,
  password: string,
): Promise<StartedServer<ClusterServer>> {
  const own = homeAt(join(home.folder, name.replace(' ', '-')));
  const settings = [
    `masterauth ${password}`,
    'repl-diskless-sync-delay 0',
    'cluster-enabled yes',
    `cluster-node-timeout ${NODE_TIMEOUT_MS}`,
    'cluster-require-full-coverage no',
    'cluster-allow-replica-migration no',
  ];
  const startOn = (port: number) => startEmbeddedRedis({ home: own, password, port, settings });
  let first = await startOn(await freePortPair());
  for (let tries = 1; !first.ok && tries < TRIES_MAX; tries++) first = await startOn(await freePortPair());
  if (!first.ok) return first;
  const { url, port } = first.server;
  let current: EmbeddedRedis = first.server;
  let starting: Promise<void> | undefined;
  let expected = false;
  const lost = new Promise<void>((resolve) => {
    void current.ended.then(({ expected: stopped }) => {
      if (!expected && !stopped) resolve();
    });
  });
  async function startAgain(): Promise<void> {
    await current.ended;
    const again = await startOn(port);
    if (!again.ok) throw new Error(again.reason);
    current = again.server;
  }
  return {
    ok: true,
    server: {
      name,
      port,
      url,
      lost,
      kill() {
        expected = true;
        starting = undefined;
        process.kill(current.pid, 'SIGKILL');
      },
      startAgain: () =>
        (starting ??= startAgain().catch((error: unknown) => {
          starting = undefined;
          throw error;
        })),
      async stop() {
        // A server that is just starting is stopped as well.
        await (starting ??= Promise.resolve()).catch(() => {});
        await current.stop();
      },
    },
  };
}

/** Somebody may take one of the two meanwhile: then the start fails, and is tried with others. */
async function freePortPair(): Promise<number> {
  for (let tries = 1; ; tries++) {
    const port = await freePort(drawPort);
    if (tries === TRIES_MAX || (await isPortFree(port + BUS_PORT_OFFSET))) return port;
  }
}
