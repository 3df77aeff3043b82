import { expect, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import type { GatewayOptions } from '../../../src/gateway/options.ts';
import type { Gateway } from '../../../src/gateway/server.ts';
import { REFUSED_BY, type LimitName } from '../../../src/gateway/telemetry/counters.ts';
import type { ChallengeRules } from '../../../src/gateway/challenge/challenges.ts';
import type { TicketMessage } from '../../../src/protocol/messages.ts';
import { follow, tokenFor, type Client } from '../../support/client.ts';
import { openGateway } from '../../support/servers/gateway.ts';
import { through } from '../../support/handshake.ts';

/** The test file in which each limit refuses somebody. */
export const SHOWN_IN = {
  'receipt.test.ts': ['receipts'],
  'limits.test.ts': [
    'sockets',
    'sockets_per_user',
    'sockets_per_address',
    'handshakes',
    'handshakes_per_address',
    'blocks',
    'message_bytes',
    'message_pieces',
    'joins',
    'grabs_pending',
    'errors',
    'connections',
    'connections_per_address',
  ],
  'ratelimit/rateLimiter.test.ts': ['offences', 'messages_per_user', 'messages_per_address'],
  'broadcast/slow-reader.test.ts': ['send_buffer'],
  'challenge/tickets.test.ts': ['tickets'],
  'challenge/proofOfWork.test.ts': ['challenges', 'solutions'],
  'sales/crowd.test.ts': ['purchases_per_item'],
  'sales/buy.test.ts': ['cancels'],
  'http/waits.test.ts': ['order_waits', 'order_waits_per_user'],
  'http/door.test.ts': ['http_reads'],
  'overload/overload.test.ts': ['turn', 'switch_joins', 'switch_sockets', 'switch_grabs'],
} as const satisfies Record<string, readonly LimitName[]>;

/** By test file, since files share this module. */
const refused = new Map<string, Set<LimitName>>();

/** The limits that have refused somebody in this test file. */
export function refusedHere(): Set<LimitName> {
  const { testPath = '' } = expect.getState();
  return refused.get(testPath) ?? refused.set(testPath, new Set()).get(testPath)!;
}

/**
 * A gateway behind one proxy, so that a test can use any address. Its limits are the defaults except the given ones.
 */
export async function narrow(
  redisUrl: string,
  limits: NonNullable<GatewayOptions['limits']>,
  options: Partial<GatewayOptions> = {},
): Promise<Gateway> {
  const seen = refusedHere();
  const gateway = await openGateway(redisUrl, { limits, trustedProxies: 1, ...options });
  onTestFinished(async () => {
    for (const name of REFUSED_BY) if (gateway.counters.refused[name] > 0) seen.add(name);
    await gateway.close();
  });
  return gateway;
}

export async function enter(gateway: Gateway, user: string, address = '203.0.113.1'): Promise<Client> {
  const socket = new WebSocket(gateway.url, ['rain.v1'], {
    headers: { authorization: `Bearer ${await tokenFor(user)}`, ...through(address) },
  });
  const client = follow(socket);
  await client.next('welcome');
  return client;
}

/** The code of a grab, and its retry delay. */
export async function ask(client: Client, ref = 'x') {
  client.say({ type: 'grab', rainId: 'r1', ref });
  return await client.next('result');
}

export const retryAfterIn = (min: number, max: number) =>
  expect.toSatisfy((seconds: number) => seconds >= min && seconds <= max, `${min} to ${max} s`) as number;

/** Tickets are always required; all gateways of a test share the secret. */
export const TICKETED: ChallengeRules = {
  tickets: 'always',
  proofOfWork: 'off',
  secret: 'a-ticket-secret-for-tests-0123456789',
  proofOfWorkTries: 20,
};

/** Joins, and waits for the ticket that follows. */
export async function ticketFor(client: Client, rainId = 'r1', shown?: string): Promise<TicketMessage> {
  client.say({ type: 'join', rainId, ...(shown !== undefined && { ticket: shown }) });
  return await client.next('ticket');
}
