import type { z } from 'zod';
import { GATEWAY_PATH, SUBPROTOCOL } from './constants.ts';
import { schemaOf } from './fields.ts';
import { CLIENT_MESSAGES } from './messages.ts';
import { SERVER_MESSAGES } from './serverMessages.ts';

type Messages = Readonly<Record<string, z.ZodType>>;

/** What each question may be answered by, the usual answer first. A question that cannot be understood is answered by `error`. */
const ANSWERS = {
  join: ['rain', 'ticket', 'challenge', 'result', 'credited', 'error'],
  grab: ['result', 'error'],
  solution: ['ticket', 'result', 'error'],
  ping: ['pong', 'error'],
} as const satisfies Record<keyof typeof CLIENT_MESSAGES, readonly (keyof typeof SERVER_MESSAGES)[]>;

/** Said without being asked. */
const UNASKED = ['welcome', 'rain', 'credited', 'winners', 'goodbye'] as const satisfies readonly (keyof typeof SERVER_MESSAGES)[];

const toChannel = (name: string) => ({ $ref: `#/channels/rain/messages/${name}` });

/** The wire as an AsyncAPI 3 document, from the gateway's point of view: it receives what a client says, and sends the rest. */
export function asyncApi(version: string): object {
  const all: Messages = { ...CLIENT_MESSAGES, ...SERVER_MESSAGES };
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Red-packet rain', version,
      description: `The WebSocket protocol ${SUBPROTOCOL}: JSON text frames, one object each. Told in full, with what to do when, in docs/reference/protocol.md.`,
      license: { name: 'MIT' },
    },
    defaultContentType: 'application/json',
    servers: {
      gateway: {
        host: 'rain.example.com', protocol: 'wss', pathname: GATEWAY_PATH, description: 'A gateway, behind whatever ends TLS. Subprotocol and token are offered at the upgrade.',
        security: [{ $ref: '#/components/securitySchemes/bearer' }, { $ref: '#/components/securitySchemes/subprotocol' }],
      },
    },
    channels: {
      rain: {
        address: GATEWAY_PATH, description: 'One connection of one user.',
        messages: Object.fromEntries(Object.keys(all).map((name) => [name, { $ref: `#/components/messages/${name}` }])),
        bindings: {
          ws: {
            method: 'GET', bindingVersion: '0.1.0',
            headers: {
              type: 'object', required: ['Sec-WebSocket-Protocol'],
              properties: { 'Sec-WebSocket-Protocol': { type: 'string', description: `${SUBPROTOCOL}, and where no header can be set the entry bearer.<jwt> beside it`, examples: [SUBPROTOCOL, `${SUBPROTOCOL}, bearer.eyJhbGciOi…`] } },
            },
          },
        },
      },
    },
    operations: {
      ...Object.fromEntries(Object.entries(ANSWERS).map(([name, answers]) => [name, {
        action: 'receive', channel: { $ref: '#/channels/rain' }, summary: schemaOf(all[name]!).description, messages: [toChannel(name)],
        reply: { channel: { $ref: '#/channels/rain' }, messages: answers.map(toChannel) },
      }])),
      tell: { action: 'send', channel: { $ref: '#/channels/rain' }, summary: 'Said without being asked.', messages: UNASKED.map(toChannel) },
    },
    components: {
      messages: Object.fromEntries(Object.entries(all).map(([name, message]) => [name, {
        name, contentType: 'application/json', summary: schemaOf(message).description, payload: { $ref: `#/components/schemas/${name}` },
      }])),
      schemas: Object.fromEntries(Object.entries(all).map(([name, message]) => [name, schemaOf(message)])),
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'Native clients: Authorization: Bearer <jwt>. `sub` is the user.' },
        subprotocol: { type: 'httpApiKey', in: 'header', name: 'Sec-WebSocket-Protocol', description: `Browsers: a second subprotocol entry, bearer.<jwt>, beside ${SUBPROTOCOL}. Never in the address.` },
      },
    },
  };
}
