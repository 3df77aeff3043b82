import { gatewayUrlAt } from '../protocol/constants.ts';
import { deadlineIn } from '../platform/concurrency/deadline.ts';
import { openReadiness } from '../platform/telemetry/health.ts';
import { createLifecycle } from '../platform/process/lifecycle.ts';
import { assemble } from './assembly.ts';
import { drainSockets } from './sockets/drain.ts';
import { openBuyerApi } from './http/buyerApi.ts';
import { createHttpServer, listen } from './sockets/http.ts';
import type { GatewayOptions } from './options.ts';
import { startHeartbeat } from './telemetry/heartbeat.ts';
import { openAcceptor } from './sockets/acceptor.ts';

export type Gateway = Awaited<ReturnType<typeof startGateway>>;

/**
 * @throws when Redis is unreachable, unless `patience` waits for it, or not configured to keep wins, a script does not compile, or the port is in use
 * (EADDRINUSE)
 */
export function startGateway(options: GatewayOptions) {
  const { host, log, trustedProxies = 0 } = options;
  const lifecycle = createLifecycle((sentence) => log.warn(sentence));
  return lifecycle.opening(async () => {
    const assembly = assemble(options, lifecycle);
    const {
      context: { hub, batcher, sales, limits, counters, redis, rainCache },
      overload,
      times,
    } = assembly;
    const acceptor = openAcceptor(assembly, options, lifecycle);
    await assembly.start();
    const readiness = await openReadiness({ parts: assembly.parts });
    lifecycle.onClose('readiness', () => void readiness.close());
    const server = createHttpServer({
      limits,
      trustedProxies,
      report: readiness.report,
      onDropped: (limit) => {
        counters.refused[limit]++;
      },
      onUpgrade: acceptor.upgrade,
      onRequest: openBuyerApi(assembly.context, acceptor.rules).handle,
    });
    const port = await listen(server, host, options.port);
    lifecycle.onClose('port', async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    });
    log.info({ port }, 'gateway open');
    const gateway = {
      /** As bound. */
      url: gatewayUrlAt(host, port),
      port,
      sockets: () => hub.size,
      screens: () => hub.screens,
      socketsMax: limits.socketsMax,
      grabsPending: () => batcher.pending + sales.batcher.pending,
      /** Requests over HTTP that wait for a change of an order. */
      ordersWaiting: () => sales.orderWaits.size,
      counters,
      times,
      load: overload.load,
      /** The state of `/readyz`, with reasons. */
      readiness: { report: readiness.report, standing: readiness.standing },
      /** True while a function is switched off because of load. */
      pressed: () => overload.pressure.pressed,
      /**
       * Accepts no more sockets, answers pending grabs, asks every client to reconnect, and stops; takes at most
       * limits.closeMs.
       */
      close: () => lifecycle.close(limits.closeMs),
    };
    if (options.heartbeat)
      lifecycle.onClose(
        'heartbeat',
        startHeartbeat({ ...gateway, address: gateway.url, redis, now: () => rainCache.now() }),
      );
    // The port stays open during the shutdown, so that clients get 503 with the reason, not a refused connection.
    lifecycle.onClose('sockets', async (leftMs) => {
      readiness.drain();
      acceptor.shut();
      sales.orderWaits.close();
      const deadline = deadlineIn(leftMs);
      // Half of the time is for pending answers, the rest for the goodbyes.
      await deadlineIn(leftMs / 2).until(() => batcher.pending + sales.batcher.pending + sales.orderWaits.size === 0);
      await drainSockets(hub, limits);
      await deadline.until(() => hub.size === 0);
      for (const session of hub) session.socket.terminate();
    });
    return gateway;
  });
}
