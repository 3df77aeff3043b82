import type { IncomingMessage } from 'node:http';
import { BEARER_PREFIX, GATEWAY_PATH, SUBPROTOCOL } from '../../protocol/constants.ts';
import type { Refusal } from '../../protocol/outcomes.ts';
import type { Hub } from '../broadcast/hub.ts';
import type { Blocklist } from '../ratelimit/blocklist.ts';
import { callerAddress } from './callerAddress.ts';
import type { Handshakes } from '../ratelimit/handshakes.ts';
import type { Answer } from './http.ts';
import type { Limits } from '../limits.ts';
import type { RateLimiter } from '../ratelimit/rateLimiter.ts';
import type { KillSwitches } from '../overload/killSwitches.ts';
import type { LimitName, GatewayCounters } from '../telemetry/counters.ts';
import type { Identity, VerifyToken } from './token.ts';

export interface UpgradeRules {
  limits: Limits;
  hub: Hub;
  rateLimiter: RateLimiter;
  handshakes: Handshakes;
  blocklist: Pick<Blocklist, 'holdsUser' | 'holdsAddress'>;
  killSwitches: Pick<KillSwitches, 'off'>;
  counters: GatewayCounters;
  verify: VerifyToken;
  /** Page origins that may connect; empty means any. Native clients send none. */
  allowedOrigins: readonly string[];
  trustedProxies: number;
  /** False while shutting down or without Redis. */
  accepting: () => boolean;
  /** in [0, 1) */
  random?: () => number;
}

export interface Admitted {
  ok: true;
  identity: Identity;
  /** As `addressOf` names it. */
  address: string;
}

type Admission = Admitted | ({ ok: false } & Answer);

/** How long a gateway that closes, or has lost its Redis, asks to be let be, ms. */
const AWAY_MS = 1_000;

/** Everything that can be refused before a socket exists, the cheapest question first. */
export async function considerUpgrade(request: IncomingMessage, rules: UpgradeRules): Promise<Admission> {
  const address = callerAddress(request, rules.trustedProxies);
  const before = considerAddress(address, rules);
  if (before) return before;
  if (request.url?.split('?', 1)[0] !== GATEWAY_PATH) return refused(404);
  const offered = offeredProtocols(request);
  if (!offered.includes(SUBPROTOCOL)) return refused(400);
  const origin = request.headers.origin;
  if (origin !== undefined && rules.allowedOrigins.length > 0 && !rules.allowedOrigins.includes(origin)) return refused(403);
  const token = bearerToken(request, offered);
  const identity = token === undefined ? undefined : await rules.verify(token);
  if (!identity) return refused(401);
  // While the token was being verified the close may have begun, and others may have taken the last place.
  return considerRoom(address, rules) ?? considerUser(identity.userId, rules) ?? { ok: true, identity, address };
}

function considerAddress(address: string, rules: UpgradeRules): Admission | undefined {
  const full = considerRoom(address, rules);
  if (full) return full;
  if (rules.blocklist.holdsAddress(address)) return overLimit('blocked', 'blocks', rules);
  const outForMs = rules.rateLimiter.banList.addressOutForMs(address);
  if (outForMs > 0) return overLimit(429, 'offences', rules, outForMs);
  const limit = rules.handshakes.take(address);
  return limit && overLimit(limit === 'handshakes' ? 503 : 429, limit, rules, rules.limits.retryMs);
}

function considerRoom(address: string, rules: UpgradeRules): Admission | undefined {
  const { limits, accepting, hub, rateLimiter, killSwitches } = rules;
  if (!accepting()) return refused(503, AWAY_MS);
  if (killSwitches.off.sockets) return overLimit(503, 'switch_sockets', rules, limits.retryMs);
  if (hub.size >= limits.socketsMax) return overLimit(503, 'sockets', rules, limits.retryMs);
  if (rateLimiter.addresses.socketsOf(address) >= limits.socketsPerAddressMax) return overLimit(429, 'sockets_per_address', rules, limits.retryMs);
  return undefined;
}

function considerUser(userId: string, rules: UpgradeRules): Admission | undefined {
  const { limits, hub, rateLimiter, blocklist } = rules;
  if (blocklist.holdsUser(userId)) return overLimit('blocked', 'blocks', rules);
  const outForMs = rateLimiter.banList.userOutForMs(userId);
  if (outForMs > 0) return overLimit(429, 'offences', rules, outForMs);
  return hub.of(userId).size >= limits.socketsPerUserMax ? overLimit(403, 'sockets_per_user', rules) : undefined;
}

const refused = (refusal: Refusal, retryInMs?: number): Admission => ({ ok: false, refusal, ...(retryInMs !== undefined && { retryInMs }) });

/** @param afterMs the earliest moment to come back; up to `retryMs` are added, another time for everybody */
function overLimit(refusal: Refusal, limit: LimitName, { limits, counters, random = Math.random }: UpgradeRules, afterMs?: number): Admission {
  counters.refused[limit]++;
  return refused(refusal, afterMs === undefined ? undefined : Math.ceil(afterMs + random() * limits.retryMs));
}

function offeredProtocols(request: IncomingMessage): string[] {
  return (request.headers['sec-websocket-protocol'] ?? '').split(',').map((part) => part.trim());
}

/** `Authorization: Bearer` for native clients, `bearer.<jwt>` among the subprotocols for browsers; never the URL. */
function bearerToken(request: IncomingMessage, offered: readonly string[]): string | undefined {
  const header = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  return header ?? offered.find((part) => part.startsWith(BEARER_PREFIX))?.slice(BEARER_PREFIX.length);
}
