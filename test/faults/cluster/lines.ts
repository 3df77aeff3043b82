import { BUS_PORT_OFFSET } from '../../../src/platform/embedded/redisCluster.ts';
import { eventually } from '../../support/eventually.ts';
import { at } from '../../support/servers/cluster.ts';
import { TcpProxy } from '../../support/servers/proxy.ts';

interface Server {
  url: string;
  port: number;
}

interface Line {
  server: Server;
  /** The source address of its dials, so that a proxy knows servers from users. */
  address: string;
  data: TcpProxy;
  bus: TcpProxy;
}

/** So many proxies need a moment until all servers have found each other again. */
const LAID_MS_MAX = 40_000;

/**
 * Proxies in front of the servers of a Cluster, one for its clients and replicas and one for the bus, under whose ports
 * they are announced. Only what servers dial is lost there; gateways, workers and the test get through to every server.
 */
export class ServerLines {
  readonly #lines: Line[];

  private constructor(lines: Line[]) {
    this.#lines = lines;
  }

  /** `host:port` of all servers, as clients know them. */
  get announced(): Set<string> {
    return new Set(this.#lines.map(({ data }) => `127.0.0.1:${data.port}`));
  }

  /** Resolves when the servers reach each other only through them. They are in use until a server is started anew. */
  static async lay(servers: readonly Server[]): Promise<ServerLines> {
    const lines = await Promise.all(
      servers.map(async (server, i) => ({
        server,
        address: `127.0.0.${i + 2}`,
        data: await TcpProxy.open(server.port),
        bus: await TcpProxy.open(server.port + BUS_PORT_OFFSET),
      })),
    );
    // By default the others take the address from which a server dials for its own.
    for (const { server, address } of lines)
      await at(server, (node) => node.config('SET', 'cluster-announce-ip', '127.0.0.1', 'bind-source-addr', address));
    for (const { server, data, bus } of lines)
      await at(server, (node) =>
        node.config('SET', 'cluster-announce-port', String(data.port), 'cluster-announce-bus-port', String(bus.port)),
      );
    await eventually(
      async () => {
        for (const { server } of lines) {
          const { nodes, role } = await at(server, async (node) => ({
            nodes: String(await node.call('CLUSTER', 'NODES')),
            role: await node.role(),
          }));
          for (const other of lines) {
            const line = nodes
              .split('\n')
              .find((text) => text.includes(`127.0.0.1:${other.data.port}@${other.bus.port}`));
            if (!line || (other.server !== server && !line.includes(' connected'))) return false;
          }
          if (role[0] === 'slave' && (role[3] !== 'connected' || !lines.some(({ data }) => data.port === role[2])))
            return false;
        }
        return true;
      },
      { timeoutMs: LAID_MS_MAX, everyMs: 100 },
    );
    return new ServerLines(lines);
  }

  /** No other server hears this one, and it hears none. */
  isolate(server: Server): void {
    const { address } = this.#lineOf(server);
    for (const line of this.#lines) {
      const isLost = (from: string) =>
        line.server === server ? this.#lines.some((other) => other.address === from) : from === address;
      line.data.blackhole('both', isLost);
      line.bus.blackhole('both', isLost);
    }
  }

  /** The replica receives nothing from its master; all servers see each other. */
  stall({ master, replica }: { master: Server; replica: Server }): void {
    const { address } = this.#lineOf(replica);
    this.#lineOf(master).data.blackhole('both', (from) => from === address);
  }

  pass(): void {
    for (const { data, bus } of this.#lines) for (const proxy of [data, bus]) proxy.pass();
  }

  async close(): Promise<void> {
    await Promise.all(this.#lines.flatMap(({ data, bus }) => [data.close(), bus.close()]));
  }

  #lineOf(server: Server): Line {
    return this.#lines.find((line) => line.server === server)!;
  }
}
