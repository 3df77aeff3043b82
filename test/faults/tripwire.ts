import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/**
 * A TCP line that can be cut at one word: what holds the word still arrives, the answer to it does not. For the fault that
 * no random moment would meet: something was done, and whoever asked for it was not told.
 */
export interface Tripwire {
  port: number;
  /** From now on the next so many connections on which the client says `word` end right after it. */
  arm(word: string, times: number): void;
  /** How often it was cut. */
  trips(): number;
  close(): Promise<void>;
}

/** Long enough for the server to have done what it was asked, ms. */
const DONE_MS = 60;

export async function openTripwire(target: number): Promise<Tripwire> {
  const sockets = new Set<Socket>();
  let word = '';
  let left = 0;
  let trips = 0;

  function carry(client: Socket): void {
    const server = connect(target, '127.0.0.1');
    let tripped = false;
    // A word may come in two pieces; what was said before is not long ago.
    let said = '';
    for (const [socket, other] of [[client, server], [server, client]] as const) {
      sockets.add(socket.setNoDelay(true));
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    server.on('data', (data) => { if (!tripped) client.write(data); });
    client.on('data', (data: Buffer) => {
      server.write(data);
      if (left === 0 || tripped) return void (said = '');
      said = said.slice(-word.length) + data.toString('latin1');
      if (!said.includes(word)) return;
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
    },
  };
}
