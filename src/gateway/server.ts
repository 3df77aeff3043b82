import { GATEWAY_PATH } from '../protocol/constants.ts';
import { deadlineIn } from '../runtime/deadline.ts';
import { openReadiness, type Readiness } from '../runtime/health.ts';
import { assemble, type Assembly } from './assembly.ts';
import { sayGoodbye } from './farewell.ts';
import { createHttpServer, listen } from './http.ts';
import type { GatewayOptions } from './options.ts';
import { startPresence, type PresenceTeller } from './presence.ts';
import { openReception, type Reception } from './reception.ts';
import type { Load } from './relief/relief.ts';
import type { Tally } from './tally.ts';
import type { Times } from './times.ts';

export interface Gateway {
  /** `ws://host:port/v1` as bound. */
  url: string;
  port: number;
  sockets(): number;
  /** How many it takes. */
  readonly socketsMax: number;
  grabsPending(): number;
  readonly tally: Tally;
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
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const assembly = assemble(options);
  const reception = openReception(assembly, options);
  let readiness: Readiness | undefined;
  const release = () => {
    void readiness?.close();
    reception.release();
    assembly.release();
  };
  try {
    await assembly.start();
    readiness = await openReadiness({ parts: assembly.parts });
    return await serve({ options, assembly, reception, readiness, release });
  } catch (error) {
    release();
    throw error;
  }
}

interface Parts {
  options: GatewayOptions;
  assembly: Assembly;
  reception: Reception;
  readiness: Readiness;
  release: () => void;
}

/** Opens the port: from here on players come. */
async function serve({ options, assembly, reception, readiness, release }: Parts): Promise<Gateway> {
  const { host, log, trustedProxies = 0 } = options;
  const { door: { audience, batcher, limits, tally, redis, board }, relief, times } = assembly;
  const server = createHttpServer({
    limits, trustedProxies, report: readiness.report, onDropped: (limit) => { tally.refused[limit]++; }, onUpgrade: reception.upgrade,
  });
  let presence: PresenceTeller | undefined;
  let closing: Promise<void> | undefined;
  const close = () => closing ??= drain();

  /** Still listens meanwhile, so that whoever asks is told 503 and where he stands, not that nobody is there. */
  async function drain(): Promise<void> {
    readiness.drain();
    reception.shut();
    const deadline = deadlineIn(limits.closeMs);
    // Half of the time belongs to the answers that are under way, the rest to the goodbyes.
    await deadlineIn(limits.closeMs / 2).until(() => batcher.pending === 0);
    await sayGoodbye(audience, limits);
    await deadline.until(() => audience.size === 0);
    for (const session of audience) session.socket.terminate();
    await presence?.close();
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    release();
    await closed;
  }

  const port = await listen(server, host, options.port);
  log.info({ port }, 'gateway open');
  const gateway: Gateway = {
    url: `ws://${host}:${port}${GATEWAY_PATH}`, port, sockets: () => audience.size, socketsMax: limits.socketsMax, grabsPending: () => batcher.pending, tally, times, readiness,
    load: relief.load, pressed: () => relief.pressure.pressed, close,
  };
  if (options.presence) presence = startPresence({ ...gateway, address: gateway.url, redis, now: () => board.now() });
  return gateway;
}
