import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { BEARER_PREFIX, GATEWAY_PATH, SUBPROTOCOL } from '../protocol/constants.ts';
import { REFUSALS, type RefusalStatus } from '../protocol/outcomes.ts';
import type { Audience } from './audience.ts';
import type { Limits } from './limits.ts';
import type { Identity, VerifyToken } from './token.ts';

export interface UpgradeRules {
  limits: Limits;
  audience: Audience;
  verify: VerifyToken;
  /** Page origins that may connect; empty means any. Native clients send none. */
  allowedOrigins: readonly string[];
  /** False while shutting down or without Redis. */
  accepting: () => boolean;
}

export type Admission = { ok: true; identity: Identity } | { ok: false; status: RefusalStatus };

const refused = (status: RefusalStatus): Admission => ({ ok: false, status });

/** Everything that can be refused before a socket exists, the cheapest question first. */
export async function considerUpgrade(request: IncomingMessage, rules: UpgradeRules): Promise<Admission> {
  if (!rules.accepting() || rules.audience.size >= rules.limits.socketsMax) return refused(503);
  if (request.url?.split('?', 1)[0] !== GATEWAY_PATH) return refused(404);
  const offered = offeredProtocols(request);
  if (!offered.includes(SUBPROTOCOL)) return refused(400);
  const origin = request.headers.origin;
  if (origin !== undefined && rules.allowedOrigins.length > 0 && !rules.allowedOrigins.includes(origin)) return refused(403);
  const token = bearerToken(request, offered);
  const identity = token === undefined ? undefined : await rules.verify(token);
  if (!identity) return refused(401);
  if (rules.audience.of(identity.userId).size >= rules.limits.socketsPerUserMax) return refused(403);
  // The close may have begun while the token was being verified, and it tells only those who are here.
  if (!rules.accepting()) return refused(503);
  return { ok: true, identity };
}

function offeredProtocols(request: IncomingMessage): string[] {
  return (request.headers['sec-websocket-protocol'] ?? '').split(',').map((part) => part.trim());
}

/** `Authorization: Bearer` for native clients, `bearer.<jwt>` among the subprotocols for browsers; never the URL. */
function bearerToken(request: IncomingMessage, offered: readonly string[]): string | undefined {
  const header = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  return header ?? offered.find((part) => part.startsWith(BEARER_PREFIX))?.slice(BEARER_PREFIX.length);
}

export function refuse(socket: Duplex, status: RefusalStatus): void {
  const { reason, meaning } = REFUSALS[status];
  const body = JSON.stringify({ code: status, reason, meaning });
  const retry = status === 503 ? 'Retry-After: 1\r\n' : '';
  socket.end(`HTTP/1.1 ${status} ${reason}\r\nContent-Type: application/json\r\n${retry}Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`);
}
