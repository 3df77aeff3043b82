import { z } from 'zod';
import { purchaseRef, reservationIdText, saleId } from '../sale/ids.ts';
import { buyBody, HTTP_REFUSALS, orderQuery, solutionBody, visitedSale } from './http.ts';
import { REFUSALS } from './outcomes.ts';
import { SALE_SERVER_MESSAGES } from './saleMessages.ts';
import { SERVER_MESSAGES } from './serverMessages.ts';

type Json = Record<string, unknown>;

const refusal = z.object({
  code: z.int().describe('The HTTP status'),
  reason: z.string().describe('The refusal as a word'),
  meaning: z.string().describe('For the developer'),
  retryInMs: z
    .int()
    .min(0)
    .optional()
    .describe('With 429 and 503: when to ask again, ms; `Retry-After` says the same in whole seconds'),
});

/** The schemas of the answers; all but `Refusal` are messages of the socket. */
const SCHEMAS = {
  Order: SALE_SERVER_MESSAGES.order,
  Sale: visitedSale,
  Ticket: SERVER_MESSAGES.ticket,
  Error: SERVER_MESSAGES.error,
  Refusal: refusal,
} as const;
type SchemaName = keyof typeof SCHEMAS;

const sale = parameter('saleId', 'path', saleId, 'The id of the sale');

/**
 * The OpenAPI 3.1 document of what a gateway answers to buyers without a socket, from the schemas that read their
 * requests.
 */
export function gatewayApi(version: string): Json {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Red-packet rain: buying over HTTP',
      version,
      license: { name: 'MIT', identifier: 'MIT' },
      description:
        'For buyers without a socket. The codes and fields are those of the socket: docs/reference/protocol.md, “Buying over HTTP”.',
    },
    servers: [{ url: 'https://rain.example.com', description: 'A gateway behind a TLS proxy.' }],
    security: [{ bearer: [] }],
    paths: {
      '/v1/sales/{saleId}/buy': {
        post: {
          operationId: 'buy',
          summary: 'Reserve units. Asking again with the same key is safe and gets the first answer again.',
          parameters: [
            sale,
            parameter(
              'Idempotency-Key',
              'header',
              purchaseRef,
              'The `ref` of the purchase, chosen by you; required where one buyer may hold several units',
              false,
            ),
          ],
          requestBody: body(buyBody),
          responses: responses({
            200: ['Order', 'What was decided, by `code`'],
            422: ['Order', 'This key is that of another purchase: code -16'],
            429: ['Order', 'You ask too often: code -5'],
            503: ['Order', 'The outcome is unknown or was not decided: code -7. Ask again with the same key'],
          }),
        },
      },
      '/v1/sales/{saleId}': {
        get: {
          operationId: 'visit',
          summary: 'The sale, and a ticket or a challenge, if tickets are required.',
          parameters: [sale],
          responses: responses({ 200: ['Sale', 'The sale'], 404: ['Order', 'There is no such sale: code -8'] }),
        },
      },
      '/v1/sales/{saleId}/ticket': {
        post: {
          operationId: 'solve',
          summary: 'Your ticket, for a solved challenge.',
          parameters: [sale],
          requestBody: body(solutionBody),
          responses: responses({ 200: ['Ticket', 'Your ticket'], 404: ['Order', 'There is no such sale: code -8'] }),
        },
      },
      '/v1/orders/{reservationId}': {
        get: {
          operationId: 'showOrder',
          summary: 'The present status of an order of yours; with `wait` the next one, if it comes in time.',
          parameters: [
            parameter('reservationId', 'path', reservationIdText, 'The `reservationId` of its `order`'),
            ...queryParameters(),
          ],
          responses: responses({
            200: ['Order', 'The order, with code 1'],
            404: ['Error', 'There is no such order of yours'],
          }),
        },
      },
    },
    components: {
      schemas: Object.fromEntries(Object.entries(SCHEMAS).map(([name, schema]) => [name, schemaOf(schema)])),
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'The same token as for the socket. `sub` is the user.',
        },
      },
    },
  };
}

function body(schema: z.ZodType): Json {
  return { required: true, content: { 'application/json': { schema: schemaOf(schema) } } };
}

function parameter(
  name: string,
  place: 'path' | 'header' | 'query',
  schema: z.ZodType,
  description: string,
  required = true,
): Json {
  return { name, in: place, required, description, schema: schemaOf(schema) };
}

function queryParameters(): Json[] {
  const { properties } = schemaOf(orderQuery) as { properties: Record<string, Json> };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: false,
    description,
    schema,
  }));
}

/** The answers of an operation, and the refusals that each of them may get. */
function responses(own: Readonly<Record<number, readonly [SchemaName, string]>>): Json {
  const refused = Object.values({ ...REFUSALS, ...HTTP_REFUSALS }).filter(({ status }) => status !== 400);
  const common = Object.fromEntries(
    refused.map(({ status, meaning }) => [
      status,
      response(status === 429 || status === 503 ? ['Refusal', 'Order'] : ['Refusal'], meaning),
    ]),
  );
  return {
    ...common,
    400: response(
      ['Error', 'Refusal'],
      'A field or a header is missing or wrong; `reason` names it. Nothing has changed.',
    ),
    ...Object.fromEntries(
      Object.entries(own).map(([status, [schema, description]]) => [
        status,
        response(Number(status) < 400 ? [schema] : [schema, 'Refusal'], description),
      ]),
    ),
  };
}

function response(schemas: readonly SchemaName[], description: string): Json {
  const references = schemas.map((name) => ({ $ref: `#/components/schemas/${name}` }));
  return {
    description,
    content: { 'application/json': { schema: references.length === 1 ? references[0] : { oneOf: references } } },
  };
}

function schemaOf(schema: z.ZodType): Json {
  const { $schema: _, ...plain } = z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' });
  return plain;
}
