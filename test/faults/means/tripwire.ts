import { once } from 'node:events';
import { TcpProxy } from '../../support/servers/proxy.ts';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/**
 * A TCP proxy that cuts the connection at a given word: the data with the word still arrives, its answer does not. A
 * random moment would hardly ever hit this fault: a request is executed, and its answer is lost.
 */
export interface Tripwire {
  port: number;
  /** The line between it and the server. */
  behind: TcpProxy;
  /** From now on, the next `times` connections on which the client sends `word` are cut right after it. */
  arm(word: string, times: number): void;
  /** Number of cuts. */
  trips(): number;
  close(): Promise<void>;
}

/** Long enough for the server to execute the request, ms. */
const DONE_MS = 60;

export async function openTripwire(target: number): Promise<Tripwire> {
  const behind = await TcpProxy.open(target);
  const sockets = new Set<Socket>();
  let word = '';
  let left = 0;
  let trips = 0;

  function carry(client: Socket): void {
    const server = connect(behind.port, '127.0.0.1');
    let tripped = false;
    // The word may be split over two chunks, so the end of the last chunk is kept.
    let tail = '';
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(socket.setNoDelay(true));
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    server.on('data', (data) => {
      if (!tripped) client.write(data);
    });
    client.on('data', (data: Buffer) => {
      server.write(data);
      if (left === 0 || tripped) return void (tail = '');
      tail = tail.slice(-word.length) + data.toString('latin1');
      if (!tail.includes(word)) return;
      left--;
      trips++;
      tripped = true;
      setTimeout(() => client.resetAndDestroy(), DONE_MS);
    });
  }

  const line = createServer(carry).listen(0, '127.0.0.1');
  await once(line, 'listening');
  return {
    port: (line.address() as AddressInfo).port,
    behind,
    arm(at, times) {
      word = at;
      left = times;
    },
    trips: () => trips,
    async close() {
      const closed = once(line, 'close');
      line.close();
      for (const socket of sockets) socket.destroy();
      await closed;
      await behind.close();
    },
  };
}
