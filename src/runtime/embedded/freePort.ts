import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

/** A TCP port of 127.0.0.1 that was free a moment ago; whoever uses it must be ready to find it taken. */
export async function freePort(): Promise<number> {
  return await listenBriefly(0);
}

export async function isPortFree(port: number): Promise<boolean> {
  return await listenBriefly(port).then(() => true, () => false);
}

async function listenBriefly(wanted: number): Promise<number> {
  const server = createServer().listen(wanted, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
