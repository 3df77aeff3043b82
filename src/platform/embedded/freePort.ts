import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

/** Below the ephemeral ports of Linux, macOS and Windows, above the ports of well-known services. */
const drawPort = () => randomInt(20_000, 32_768);
const DRAWS_MAX = 50;

/**
 * A TCP port of 127.0.0.1 that was free a moment ago; it may be taken meanwhile. It is no ephemeral port: any outgoing
 * connection could get such a port before the server starts, or between two starts of it.
 */
export async function freePort(draw: () => number = drawPort): Promise<number> {
  for (let i = 0; i < DRAWS_MAX; i++) {
    const port = draw();
    if (await isPortFree(port)) return port;
  }
  return await listenBriefly(0);
}

export const isPortFree = (port: number): Promise<boolean> =>
  listenBriefly(port).then(
    () => true,
    () => false,
  );

async function listenBriefly(wanted: number): Promise<number> {
  const server = createServer().listen(wanted, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
