import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { failOver, type Failover } from '../../../src/bin/up/cluster/failover.ts';
import { homeOf } from '../../../src/platform/embedded/formCluster.ts';
import {
  startClusterServer,
  startEmbeddedCluster,
  type ClusterServer,
  type EmbeddedCluster,
} from '../../../src/platform/embedded/redisCluster.ts';
import { homeAt } from '../../../src/platform/process/home.ts';
import { eventually } from '../../support/eventually.ts';
import { at } from '../../support/servers/cluster.ts';
import { beginSlotMove } from '../../support/servers/slotMove.ts';
import { ServerLines } from './lines.ts';

const PASSWORD = 'of-the-faults';

/** A master and its replica, as they are now. */
export interface Pair {
  master: ClusterServer;
  replica: ClusterServer;
}

/** Since when the keys of a slot could be apart, and when both masters agreed about its new owner, epoch ms. */
interface Moved {
  beganAt: number;
  endedAt: number;
}

/** The Redis Cluster of the faults: three masters with one replica each, and one more pair where a fault adds it. */
export class FaultCluster {
  readonly url: string;
  readonly pairs: Pair[];
  readonly #home: string;
  readonly #cluster: EmbeddedCluster;
  readonly #moved: { slot: number; from: Pair; to: Pair }[] = [];
  readonly #added: Pair[] = [];
  #lines: ServerLines | undefined;

  private constructor(home: string, cluster: EmbeddedCluster) {
    this.url = cluster.url;
    this.#home = home;
    this.#cluster = cluster;
    this.pairs = cluster.masters.map((master, i) => ({ master, replica: cluster.replicas[i]! }));
  }

  static async start(home: string): Promise<FaultCluster> {
    const started = await startEmbeddedCluster({ home: homeAt(home), password: PASSWORD });
    if (!started.ok) throw new Error(started.reason);
    return new FaultCluster(home, started.server);
  }

  /** Its place among the pairs. True from `restore` to the next move. */
  homeOf(key: string): number {
    return homeOf(key);
  }

  get masters(): ClusterServer[] {
    return [...this.pairs, ...this.#added].map(({ master }) => master);
  }

  /** Kills a master; its replica takes its place, and it comes back as the replica. */
  async failOver(place: number): Promise<Failover> {
    const failover = await failOver({
      cluster: { masters: this.pairs.map(({ master }) => master), replicas: this.pairs.map(({ replica }) => replica) },
      master: place,
      signal: new AbortController().signal,
      tell: () => {},
    });
    this.swap(place);
    return failover;
  }

  /** The replica has become the master, and the master its replica. */
  swap(place: number): void {
    const pair = this.pairs[place]!;
    [pair.master, pair.replica] = [pair.replica, pair.master];
  }

  /**
   * As `redis-cli --cluster reshard` does it, with all keys of the slot in one step.
   * @param meanwhile while the keys are on their way
   */
  async moveSlot(slot: number, from: Pair, to: Pair, meanwhile?: () => Promise<unknown>): Promise<Moved> {
    const beganAt = Date.now();
    this.#moved.push({ slot, from, to });
    const move = await beginSlotMove(this, slot, from.master, to.master);
    await meanwhile?.();
    await move.moveKeys();
    await move.end();
    return { beganAt, endedAt: Date.now() };
  }

  /** An empty master with its replica, known to all others. */
  async addPair(): Promise<Pair> {
    const started = await Promise.all(
      ['added master', 'added replica'].map((name) =>
        startClusterServer(homeAt(join(this.#home, String(Date.now()))), name, PASSWORD),
      ),
    );
    const [master, replica] = started.map((one) => {
      if (!one.ok) throw new Error(one.reason);
      return one.server;
    }) as [ClusterServer, ClusterServer];
    const pair = { master, replica };
    this.#added.push(pair);
    for (const server of [master, replica])
      await at(server, async (node) => {
        for (const { port } of this.#servers())
          if (port !== server.port) await node.call('CLUSTER', 'MEET', '127.0.0.1', String(port));
      });
    const id = await idOf(master);
    await eventually(() => at(replica, async (node) => (await node.call('CLUSTER', 'REPLICATE', id)) === 'OK'), {
      timeoutMs: 20_000,
    });
    await eventually(() => at(replica, async (node) => (await node.role())[3] === 'connected'), { timeoutMs: 20_000 });
    for (const other of this.#servers())
      await eventually(() => at(other, async (node) => String(await node.call('CLUSTER', 'NODES')).includes(id)), {
        timeoutMs: 20_000,
      });
    // Until it knows all slots as served, it takes no keys.
    await eventually(
      () => at(master, async (node) => String(await node.call('CLUSTER', 'INFO')).includes('cluster_state:ok')),
      { timeoutMs: 20_000 },
    );
    return pair;
  }

  /** The lines between its servers, which are laid when they are first asked for. */
  async lines(): Promise<ServerLines> {
    return (this.#lines ??= await ServerLines.lay(this.#servers()));
  }

  /** Before a rain: every slot is at home, and no server is there that a fault has added. */
  async restore(): Promise<void> {
    for (const { slot, from, to } of this.#moved.splice(0).reverse()) {
      const move = await beginSlotMove(this, slot, to.master, from.master);
      await move.moveKeys();
      await move.end();
    }
    for (const { master, replica } of this.#added.splice(0)) {
      const ids = await Promise.all([replica, master].map(idOf));
      await Promise.all([replica.stop(), master.stop()]);
      for (const server of this.#servers())
        await at(server, async (node) => {
          for (const id of ids) await node.call('CLUSTER', 'FORGET', id);
        });
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.#added.flatMap(({ master, replica }) => [master.stop(), replica.stop()]));
    await this.#cluster.stop();
    await this.#lines?.close();
  }

  #servers(): ClusterServer[] {
    return [...this.pairs, ...this.#added].flatMap(({ master, replica }) => [master, replica]);
  }
}

const idOf = (server: ClusterServer): Promise<string> =>
  at(server, async (node: Redis) => String(await node.call('CLUSTER', 'MYID')));
