import type { IncomingMessage } from 'node:http';
import { repeatsHeader } from '../../platform/network/repeatedHeaders.ts';
import { BEARER_PREFIX, GATEWAY_PATH, SUBPROTOCOL } from '../../protocol/constants.ts';
import type { Refusal } from '../../protocol/outcomes.ts';
import type { HandlerContext } from '../handlers/context.ts';
import type { Blocklist } from '../ratelimit/blocklist.ts';
import { callerAddress } from './callerAddress.ts';
import type { Answer } from './http.ts';
import { UNAVAILABLE_RETRY_MS } from './limits.ts';
import type { KillSwitches } from '../overload/killSwitches.ts';
import type { LimitName } from '../telemetry/counters.ts';
import type { Identity, VerifyToken } from './token.ts';

export interface UpgradeRules extends Pick<HandlerContext, 'limits' | 'hub' | 'rateLimiter' | 'counters'> {
  blocklist: Pick<Blocklist, 'holdsUser' | 'holdsAddress'>;
  killSwitches: Pick<KillSwitches, 'off'>;
  verify: VerifyToken;
  /** Page origins that may connect; empty means any. Native clients send no origin. */
  allowedOrigins: readonly string[];
  trustedProxies: number;
  /** False while shutting down or without Redis. */
  accepting: () => boolean;
}

/** The address is as `addressOf` names it. */
export type Admitted = { ok: true; identity: Identity; address: string };
/** Why there is no socket, or no answer over HTTP. */
export type Refused = { ok: false } & Answer;
type Admission = Admitted | Refused;

/** Makes all checks that come before a socket exists, the cheapest first. */
export async function checkUpgrade(request: IncomingMessage, rules: UpgradeRules): Promise<Admission> {
  const address = callerAddress(request, rules.trustedProxies);
  const refusal = checkAddress(address, rules);
  if (refusal) return refusal;
  if (request.url?.split('?', 1)[0] !== GATEWAY_PATH) return refused(404);
  if (repeatsHeader(request.rawHeaders)) return refused(400);
  const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
  if (!offered.includes(SUBPROTOCOL)) return refused(400);
  const origin = request.headers.origin;
  if (origin !== undefined && rules.allowedOrigins.length > 0 && !rules.allowedOrigins.includes(origin))
    return refused(403);
  const token = bearerToken(request, offered);
  const identity = token === undefined ? undefined : await rules.verify(token);
  if (!identity) return refused(401);
  if (identity === 'unavailable') return refused(503, UNAVAILABLE_RETRY_MS);
  // During the verification a shutdown may have begun, or others may have taken the last place.
  return checkCapacity(address, rules) ?? checkUser(identity.userId, rules) ?? { ok: true, identity, address };
}

function checkAddress(address: string, rules: UpgradeRules): Refused | undefined {
  return checkCapacity(address, rules) ?? checkBannedAddress(address, rules) ?? checkHandshake(address, rules);
}

export function checkBannedAddress(address: string, rules: UpgradeRules): Refused | undefined {
  if (rules.blocklist.holdsAddress(address)) return overLimit('blocked', 'blocks', rules);
  const bannedForMs = rules.rateLimiter.banList.addressBannedForMs(address);
  return bannedForMs > 0 ? overLimit(429, 'offences', rules, bannedForMs) : undefined;
}

/** Before a token is verified and a socket is opened, which costs as much as ten answers. */
export function checkHandshake(address: string, rules: UpgradeRules): Refused | undefined {
  if (rules.killSwitches.off.sockets) return overLimit(503, 'switch_sockets', rules, rules.limits.retryMs);
  const limit = rules.rateLimiter.takeHandshake(address);
  return limit && overLimit(limit === 'handshakes' ? 503 : 429, limit, rules, rules.limits.retryMs);
}

export function checkAccepting({ accepting }: UpgradeRules): Refused | undefined {
  return accepting() ? undefined : refused(503, UNAVAILABLE_RETRY_MS);
}

function checkCapacity(address: string, rules: UpgradeRules): Refused | undefined {
  const { limits, hub, rateLimiter } = rules;
  const closed = checkAccepting(rules);
  if (closed) return closed;
  if (hub.size >= limits.socketsMax) return overLimit(503, 'sockets', rules, limits.retryMs);
  if (rateLimiter.addresses.socketsOf(address) >= limits.socketsPerAddressMax)
    return overLimit(429, 'sockets_per_address', rules, limits.retryMs);
  return undefined;
}

function checkUser(userId: string, rules: UpgradeRules): Refused | undefined {
  const { limits, hub } = rules;
  return (
    checkBannedUser(userId, rules) ??
    (hub.of(userId).size >= limits.socketsPerUserMax ? overLimit(403, 'sockets_per_user', rules) : undefined)
  );
}

export function checkBannedUser(userId: string, rules: UpgradeRules): Refused | undefined {
  if (rules.blocklist.holdsUser(userId)) return overLimit('blocked', 'blocks', rules);
  const bannedForMs = rules.rateLimiter.banList.userBannedForMs(userId);
  return bannedForMs > 0 ? overLimit(429, 'offences', rules, bannedForMs) : undefined;
}

const refused = (refusal: Refusal, retryInMs?: number): Refused => ({
  ok: false,
  refusal,
  ...(retryInMs !== undefined && { retryInMs }),
});

/** @param afterMs minimum delay before a retry; a random time up to `retryMs` is added */
function overLimit(refusal: Refusal, limit: LimitName, { limits, counters }: UpgradeRules, afterMs?: number): Refused {
  counters.refused[limit]++;
  return refused(refusal, afterMs === undefined ? undefined : Math.ceil(afterMs + Math.random() * limits.retryMs));
}

/** `Authorization: Bearer` for native clients, `bearer.<jwt>` among the subprotocols for browsers; never the URL. */
function bearerToken(request: IncomingMessage, offered: readonly string[]): string | undefined {
  const header = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  return header ?? offered.find((name) => name.startsWith(BEARER_PREFIX))?.slice(BEARER_PREFIX.length);
}
