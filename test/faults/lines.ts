import { TcpProxy } from '../support/proxy.ts';
import type { DeploymentOptions } from './deployment.ts';
import { openTripwire, type Tripwire } from './tripwire.ts';

/** The lines between the parts of one deployment, which a fault can make bad. Each passes everything on until one does. */
export interface Lines {
  /** One per gateway. */
  usersToGateways: TcpProxy[];
  readonly gatewaysToRedis: TcpProxy;
  readonly workersToRedis: Tripwire;
  readonly workersToPostgres: Tripwire;
}

/** @returns `lines`, usable once something is deployed with these `detours` */
export function layLines(): { lines: Lines; detours: NonNullable<DeploymentOptions['detours']> } {
  const usersToGateways: TcpProxy[] = [];
  let gatewaysToRedis: TcpProxy | undefined;
  let workersToRedis: Tripwire | undefined;
  let workersToPostgres: Tripwire | undefined;
  return {
    lines: {
      usersToGateways,
      get gatewaysToRedis() { return laid(gatewaysToRedis); },
      get workersToRedis() { return laid(workersToRedis); },
      get workersToPostgres() { return laid(workersToPostgres); },
    },
    detours: {
      async usersToGateways(port) {
        const line = await TcpProxy.open(port);
        usersToGateways.push(line);
        return line;
      },
      gatewaysToRedis: async (port) => (gatewaysToRedis = await TcpProxy.open(port)),
      workersToRedis: async (port) => (workersToRedis = await openTripwire(port)),
      workersToPostgres: async (port) => (workersToPostgres = await openTripwire(port)),
    },
  };
}

function laid<T>(line: T | undefined): T {
  if (line === undefined) throw new Error('nothing is deployed on these lines yet');
  return line;
}
