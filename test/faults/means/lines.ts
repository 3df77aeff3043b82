import { TcpProxy } from '../../support/servers/proxy.ts';
import type { DeploymentOptions } from '../deployment.ts';
import { openTripwire, type Tripwire } from './tripwire.ts';

/** The connections between the processes of one deployment. They pass everything until a fault disturbs them. */
export interface Lines {
  /** One per gateway. */
  usersToGateways: TcpProxy[];
  readonly gatewaysToRedis: TcpProxy;
  readonly workersToRedis: Tripwire;
  readonly workersToPostgres: Tripwire;
}

/** @returns `lines`, usable after a deployment with these `detours` */
export function openLines(): { lines: Lines; detours: NonNullable<DeploymentOptions['detours']> } {
  const usersToGateways: TcpProxy[] = [];
  let gatewaysToRedis: TcpProxy | undefined;
  let workersToRedis: Tripwire | undefined;
  let workersToPostgres: Tripwire | undefined;
  return {
    lines: {
      usersToGateways,
      get gatewaysToRedis() {
        return opened(gatewaysToRedis);
      },
      get workersToRedis() {
        return opened(workersToRedis);
      },
      get workersToPostgres() {
        return opened(workersToPostgres);
      },
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

function opened<T>(line: T | undefined): T {
  if (line === undefined) throw new Error('nothing is deployed on these lines yet');
  return line;
}
