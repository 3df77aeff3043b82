import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

/** Below what Linux, macOS and Windows give to connections by themselves, above what services are known by. */
const drawPort = () => randomInt(20_000, 32_768);
const DRAWS_MAX = 50;

/**
 * A TCP port of 127.0.0.1 that was free a moment ago; whoever uses it must be ready to find it taken.
 *
 * Not one of those that the system itself would choose: until it is wanted, and whenever its server is started again, any
 * outgoing connection of this machine might be given it.
 */
export async function freePort(draw: () => number = drawPort): Promise<number> {
  for (let i = 0; i < DRAWS_MAX; i++) {
    const port = draw();
    if (await isPortFree(port)) return port;
  }
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
