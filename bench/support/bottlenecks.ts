import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

const TICK_MS = 5;

/** A TCP proxy to a local server; each connection has a limited bandwidth towards the server. */
export async function openThinLine(target: number, bytesPerSecond: number) {
  const open = new Set<Socket>();
  const server = createServer({ noDelay: true }, (client) => {
    const peer = connect({ port: target, host: '127.0.0.1', noDelay: true });
    for (const [socket, other] of [
      [client, peer],
      [peer, client],
    ] as const) {
      open.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        open.delete(socket);
        other.destroy();
      });
    }
    peer.on('data', (chunk) => client.write(chunk));
    trickle(client, peer, bytesPerSecond);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close(): void {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
}

function trickle(from: Socket, to: Socket, bytesPerSecond: number): void {
  const held: Buffer[] = [];
  let lastAt = performance.now();
  let credit = 0;
  from.on('data', (chunk: Buffer) => {
    held.push(chunk);
  });
  const timer = setInterval(() => {
    const now = performance.now();
    // Unused bandwidth is not accumulated.
    credit = Math.min(credit, 0) + ((now - lastAt) * bytesPerSecond) / 1_000;
    lastAt = now;
    for (let chunk = held[0]; chunk && credit > 0; chunk = held[0]) {
      const part = chunk.subarray(0, Math.max(1, Math.floor(credit)));
      to.write(part);
      credit -= part.length;
      if (part.length < chunk.length) held[0] = chunk.subarray(part.length);
      else held.shift();
    }
  }, TICK_MS);
  from.once('close', () => clearInterval(timer));
}

/** Runs a process only in short slices, as on an overloaded machine. @returns lets it run normally again */
export function slice(pid: number, { runMs, stopMs }: { runMs: number; stopMs: number }): () => void {
  let timer: NodeJS.Timeout;
  const stop = () => {
    process.kill(pid, 'SIGSTOP');
    timer = setTimeout(go, stopMs);
  };
  const go = () => {
    process.kill(pid, 'SIGCONT');
    timer = setTimeout(stop, runMs);
  };
  stop();
  return () => {
    clearTimeout(timer);
    process.kill(pid, 'SIGCONT');
  };
}
