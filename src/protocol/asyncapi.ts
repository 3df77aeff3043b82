import type { z } from 'zod';
import { GATEWAY_PATH, SUBPROTOCOL } from './constants.ts';
import { schemaOf } from './fields.ts';
import { CLIENT_MESSAGES } from './messages.ts';
import { SERVER_MESSAGES } from './serverMessages.ts';

type Messages = Readonly<Record<string, z.ZodType>>;

/**
 * The possible replies to each client message, the usual reply first. A message that cannot be parsed is answered by
 * `error`.
 */
const ANSWERS = {
  join: ['rain', 'ticket', 'challenge', 'result', 'credited', 'error'],
  grab: ['result', 'error'],
  solution: ['ticket', 'result', 'error'],
  receipt: ['receipt_status', 'error'],
  ping: ['pong', 'error'],
  visit: ['sale', 'ticket', 'challenge', 'order', 'error'],
  buy: ['order', 'error'],
  cancel: ['order', 'error'],
} as const satisfies Record<keyof typeof CLIENT_MESSAGES, readonly (keyof typeof SERVER_MESSAGES)[]>;

/** Messages that the server sends without a request. */
const UNPROMPTED = [
  'welcome',
  'rain',
  'credited',
  'winners',
  'goodbye',
  'sale',
  'order',
  'restock',
] as const satisfies readonly (keyof typeof SERVER_MESSAGES)[];

const toChannel = (name: string) => ({ $ref: `#/channels/rain/messages/${name}` });

/**
 * The protocol as an AsyncAPI 3 document, from the gateway's point of view: it receives client messages and sends
 * server messages.
 */
export function asyncApi(version: string): object {
  const all: Messages = { ...CLIENT_MESSAGES, ...SERVER_MESSAGES };
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Red-packet rain',
      version,
      description: `The WebSocket protocol ${SUBPROTOCOL}: JSON text frames, one object each. The full description is docs/reference/protocol.md.`,
      license: { name: 'MIT' },
    },
    defaultContentType: 'application/json',
    servers: {
      gateway: {
        host: 'rain.example.com',
        protocol: 'wss',
        pathname: GATEWAY_PATH,
        description: 'A gateway behind a TLS proxy. The client offers the subprotocol and the token at the upgrade.',
        security: [
          { $ref: '#/components/securitySchemes/bearer' },
          { $ref: '#/components/securitySchemes/subprotocol' },
        ],
      },
    },
    channels: {
      rain: {
        address: GATEWAY_PATH,
        description: 'One connection of one user.',
        messages: Object.fromEntries(Object.keys(all).map((name) => [name, { $ref: `#/components/messages/${name}` }])),
        bindings: {
          ws: {
            method: 'GET',
            bindingVersion: '0.1.0',
            headers: {
              type: 'object',
              required: ['Sec-WebSocket-Protocol'],
              properties: {
                'Sec-WebSocket-Protocol': {
                  type: 'string',
                  description: `${SUBPROTOCOL}; a client that cannot set headers adds the entry bearer.<jwt>`,
                  examples: [SUBPROTOCOL, `${SUBPROTOCOL}, bearer.eyJhbGciOi…`],
                },
              },
            },
          },
        },
      },
    },
    operations: {
      ...Object.fromEntries(
        Object.entries(ANSWERS).map(([name, answers]) => [
          name,
          {
            action: 'receive',
            channel: { $ref: '#/channels/rain' },
            summary: schemaOf(all[name]!).description,
            messages: [toChannel(name)],
            reply: { channel: { $ref: '#/channels/rain' }, messages: answers.map(toChannel) },
          },
        ]),
      ),
      tell: {
        action: 'send',
        channel: { $ref: '#/channels/rain' },
        summary: 'Sent without a request.',
        messages: UNPROMPTED.map(toChannel),
      },
    },
    components: {
      messages: Object.fromEntries(
        Object.entries(all).map(([name, message]) => [
          name,
          {
            name,
            contentType: 'application/json',
            summary: schemaOf(message).description,
            payload: { $ref: `#/components/schemas/${name}` },
          },
        ]),
      ),
      schemas: Object.fromEntries(Object.entries(all).map(([name, message]) => [name, schemaOf(message)])),
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'Native clients: Authorization: Bearer <jwt>. `sub` is the user.',
        },
        subprotocol: {
          type: 'httpApiKey',
          in: 'header',
          name: 'Sec-WebSocket-Protocol',
          description: `Browsers: a second subprotocol entry, bearer.<jwt>, beside ${SUBPROTOCOL}. The token is never part of the URL.`,
        },
      },
    },
  };
}
