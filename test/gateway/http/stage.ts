import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import type { Gateway } from '../../../src/gateway/server.ts';
import type { Named } from '../../../src/platform/auth/token.ts';
import { tokenFor } from '../../support/client.ts';

export interface Answer {
  status: number;
  headers: IncomingMessage['headers'];
  /** Parsed. */
  body: Record<string, unknown>;
}

export interface Caller {
  ask(method: string, path: string, headers?: Record<string, string | string[]>, body?: string): Promise<Answer>;
  /** One tee unless told otherwise. @param key the Idempotency-Key; none: without */
  buy(saleId: string, key?: string, body?: object): Promise<Answer>;
  order(reservationId: string, query?: string): Promise<Answer>;
  sale(saleId: string): Promise<Answer>;
}

interface CallerOptions {
  agent?: Agent;
  /** Sent with each request. */
  headers?: Record<string, string>;
  /** The scope of the token; default everything. */
  named?: Named;
}

/** Connections that are kept for the next request, until the test is over. */
export function openAgent(maxSockets = 64): Agent {
  const agent = new Agent({ keepAlive: true, maxSockets });
  onTestFinished(() => agent.destroy());
  return agent;
}

/** A user with a token and no socket. */
export async function callerOf(
  { port }: Pick<Gateway, 'port'>,
  userId: string,
  { agent = openAgent(), headers: always = {}, named = {} }: CallerOptions = {},
): Promise<Caller> {
  const authorization = `Bearer ${await tokenFor(userId, undefined, named)}`;
  const ask: Caller['ask'] = async (method, path, headers = {}, body) => {
    const sent = request({
      host: '127.0.0.1',
      port,
      agent,
      method,
      path,
      headers: { authorization, ...always, ...headers },
    });
    sent.end(body);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const written = await text(response);
    return {
      status: response.statusCode!,
      headers: response.headers,
      body: written === '' ? {} : (JSON.parse(written) as Answer['body']),
    };
  };
  return {
    ask,
    buy(saleId, key, body = {}) {
      const written = JSON.stringify({ sku: 'tee', ...body });
      return ask(
        'POST',
        `/v1/sales/${saleId}/buy`,
        {
          'content-type': 'application/json',
          'content-length': String(written.length),
          ...(key !== undefined && { 'idempotency-key': key }),
        },
        written,
      );
    },
    order: (reservationId, query = '') => ask('GET', `/v1/orders/${reservationId}${query}`),
    sale: (saleId) => ask('GET', `/v1/sales/${saleId}`),
  };
}
