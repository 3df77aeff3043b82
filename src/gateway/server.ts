import { GATEWAY_PATH } from '../protocol/constants.ts';
import { deadlineIn } from '../platform/concurrency/deadline.ts';
import { openReadiness, type Readiness } from '../platform/telemetry/health.ts';
import { createLifecycle, type Lifecycle } from '../platform/process/lifecycle.ts';
import { assemble, type Assembly } from './assembly.ts';
import { drainSockets } from './sockets/drain.ts';
import { createHttpServer, listen } from './sockets/http.ts';
import type { GatewayOptions } from './options.ts';
import { startHeartbeat } from './telemetry/heartbeat.ts';
import { openAcceptor, type Acceptor } from './sockets/acceptor.ts';
import type { Load } from './overload/overload.ts';
import type { GatewayCounters } from './telemetry/counters.ts';
import type { Times } from './telemetry/times.ts';

export interface Gateway {
  /** `ws://host:port/v1` as bound. */
  url: string;
  port: number;
  sockets(): number;
  /** How many it takes. */
  readonly socketsMax: number;
  grabsPending(): number;
  readonly counters: GatewayCounters;
  readonly times: Times;
  load(): Load;
  /** What `/readyz` says, and why. */
  readonly readiness: Pick<Readiness, 'report' | 'standing'>;
  /** Something is given up because more is asked than can be done. */
  pressed(): boolean;
  /** Takes no more sockets, answers what is under way, tells everyone to come back, and ends; bounded by limits.closeMs. */
  close(): Promise<void>;
}

/** @throws when Redis cannot be reached or is not fit to keep what is won, a script does not compile, or the port is taken (EADDRINUSE) */
export function startGateway(options: GatewayOptions): Promise<Gateway> {
  const lifecycle = createLifecycle((sentence) => options.log.warn(sentence));
  return lifecycle.opening(async () => {
    const assembly = assemble(options, lifecycle);
    const acceptor = openAcceptor(assembly, options, lifecycle);
    await assembly.start();
    const readiness = await openReadiness({ parts: assembly.parts });
    lifecycle.onClose('readiness', () => void readiness.close());
    return await serve({ options, assembly, acceptor, readiness, lifecycle });
  });
}

interface Parts {
  options: GatewayOptions;
  assembly: Assembly;
  acceptor: Acceptor;
  readiness: Readiness;
  lifecycle: Lifecycle;
}

/** Opens the port: from here on players come. */
async function serve({ options, assembly, acceptor, readiness, lifecycle }: Parts): Promise<Gateway> {
  const { host, log, trustedProxies = 0 } = options;
  const { context: { hub, batcher, limits, counters, redis, rainCache }, overload, times } = assembly;
  const server = createHttpServer({
    limits, trustedProxies, report: readiness.report, onDropped: (limit) => { counters.refused[limit]++; }, onUpgrade: acceptor.upgrade,
  });
  const port = await listen(server, host, options.port);
  lifecycle.onClose('port', async () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
  });
  log.info({ port }, 'gateway open');
  const gateway: Gateway = {
    url: `ws://${host}:${port}${GATEWAY_PATH}`, port, sockets: () => hub.size, socketsMax: limits.socketsMax, grabsPending: () => batcher.pending, counters, times, readiness,
    load: overload.load, pressed: () => overload.pressure.pressed, close: () => lifecycle.close(limits.closeMs),
  };
  if (options.heartbeat) {
    const heartbeat = startHeartbeat({ ...gateway, address: gateway.url, redis, now: () => rainCache.now() });
    lifecycle.onClose('presence', () => heartbeat.close());
  }
  // Still listens meanwhile, so that whoever asks is told 503 and where he stands, not that nobody is there.
  lifecycle.onClose('sockets', async (leftMs) => {
    readiness.drain();
    acceptor.shut();
    const deadline = deadlineIn(leftMs);
    // Half of the time belongs to the answers that are under way, the rest to the goodbyes.
    await deadlineIn(leftMs / 2).until(() => batcher.pending === 0);
    await drainSockets(hub, limits);
    await deadline.until(() => hub.size === 0);
    for (const session of hub) session.socket.terminate();
  });
  return gateway;
}
