import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { GATEWAY_PATH, SUBPROTOCOL } from '../../protocol/constants.ts';
import { HTTP_REFUSALS } from '../../protocol/http.ts';
import { REFUSALS, type Refusal } from '../../protocol/outcomes.ts';
import { addressOf } from '../../platform/network/address.ts';
import { answerJson, type ReadinessReport } from '../../platform/telemetry/health.ts';
import { refusalBody, refuseAndClose } from '../http/respond.ts';
import type { Limits } from '../limits.ts';
import { EXTRA_CONNECTIONS, EXTRA_CONNECTIONS_PER_ADDRESS, LISTEN_BACKLOG, REQUEST_CHECK_MS } from './limits.ts';

interface HttpRules {
  limits: Limits;
  /** Number of our own proxies before the gateway. */
  trustedProxies: number;
  report: () => ReadinessReport;
  /** Called when a connection was dropped before it sent a request. */
  onDropped: (limit: 'connections' | 'connections_per_address') => void;
  onUpgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  /** Called with requests below GATEWAY_PATH, which may have a body. */
  onRequest: (request: IncomingMessage, response: ServerResponse) => void;
}

/**
 * The HTTP side of the gateway: health checks, WebSocket upgrades, and buyers without a socket. Everything else is
 * refused.
 */
export function createHttpServer({
  limits,
  trustedProxies,
  report,
  onDropped,
  onUpgrade,
  onRequest,
}: HttpRules): Server {
  const server = createServer({
    maxHeaderSize: limits.headerBytesMax,
    headersTimeout: limits.handshakeMs,
    requestTimeout: limits.handshakeMs,
    connectionsCheckingInterval: REQUEST_CHECK_MS,
    keepAliveTimeout: limits.httpKeepAliveMs,
  });
  // By default Node ignores headers after the 2,000th, such as a proxy's X-Forwarded-For. Read all of them; too many
  // are refused below.
  server.maxHeadersCount = 0;
  // Limits connections that have not been upgraded. Behind a proxy all of them share its address.
  server.maxConnections = limits.socketsMax + EXTRA_CONNECTIONS;
  server.on('drop', () => onDropped('connections'));
  if (trustedProxies === 0)
    limitPerAddress(server, limits.socketsPerAddressMax + EXTRA_CONNECTIONS_PER_ADDRESS, () =>
      onDropped('connections_per_address'),
    );
  server.on('request', (request, response) => {
    const refuse = (status: number, text: string) =>
      response.writeHead(status, { 'content-type': 'text/plain', connection: 'close' }).end(`${text}\n`);
    if (request.url?.startsWith(`${GATEWAY_PATH}/`))
      return request.rawHeaders.length / 2 > limits.headersMax ? refuse(400, '400') : onRequest(request, response);
    if (isAmbiguous(request, limits)) return refuse(400, '400');
    switch (request.url) {
      case '/healthz':
        return answerJson(response, 200, { status: 'ok' });
      case '/readyz': {
        const readiness = report();
        return answerJson(response, readiness.ready ? 200 : 503, readiness);
      }
      case GATEWAY_PATH:
        return refuse(426, `WebSocket at ${GATEWAY_PATH}, subprotocol ${SUBPROTOCOL}`);
      default:
        return refuseAndClose(response, HTTP_REFUSALS[404]);
    }
  });
  server.on('upgrade', (request, socket, head) => {
    // Without this listener a connection reset during the upgrade would end the process.
    socket.on('error', () => socket.destroy());
    if (isAmbiguous(request, limits)) refuseUpgrade(socket, { refusal: 400 }, limits);
    else onUpgrade(request, socket, head);
  });
  return server;
}

/** @throws when the port is taken (EADDRINUSE). @returns the port */
export async function listen(server: Server, host: string, port: number): Promise<number> {
  await once(server.listen(port, host, LISTEN_BACKLOG), 'listening');
  return (server.address() as AddressInfo).port;
}

/**
 * Whether a proxy could read the request differently: two Host headers, more headers than it reads, or a body, here the
 * first frames.
 */
function isAmbiguous({ headers, headersDistinct, rawHeaders }: IncomingMessage, { headersMax }: Limits): boolean {
  if (rawHeaders.length / 2 > headersMax || (headersDistinct['host']?.length ?? 0) > 1) return true;
  return (
    headers['transfer-encoding'] !== undefined ||
    (headers['content-length'] !== undefined && headers['content-length'] !== '0')
  );
}

/** One address must not use up all connections by opening them without a request. */
function limitPerAddress(server: Server, max: number, onDropped: () => void): void {
  const open = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const address = addressOf(socket.remoteAddress ?? '') ?? 'unknown';
    const count = (open.get(address) ?? 0) + 1;
    open.set(address, count);
    socket.once('close', () => {
      const left = open.get(address)! - 1;
      if (left > 0) open.set(address, left);
      else open.delete(address);
    });
    if (count <= max) return;
    onDropped();
    socket.destroy();
  });
}

export interface Answer {
  refusal: Refusal;
  /** When to retry, ms from now. */
  retryInMs?: number;
}

/** Sends the refusal and closes the connection; a peer that does not close its side is cut. */
export function refuseUpgrade(
  socket: Duplex,
  { refusal, retryInMs }: Answer,
  { hangUpMs }: Pick<Limits, 'hangUpMs'>,
): void {
  const { status, reason } = REFUSALS[refusal];
  const body = refusalBody(REFUSALS[refusal], retryInMs);
  const retry = retryInMs === undefined ? '' : `Retry-After: ${Math.ceil(retryInMs / 1_000)}\r\n`;
  // Discard any further data of the peer.
  socket.resume();
  socket.end(
    `HTTP/1.1 ${status} ${reason}\r\nContent-Type: application/json\r\n${retry}Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
  setTimeout(() => socket.destroy(), hangUpMs).unref();
}
