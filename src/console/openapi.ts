import { z } from 'zod';
import { VERSION } from '../platform/process/version.ts';
import { API } from './contract/api.ts';
import { WEBHOOKS } from './contract/webhooks.ts';
import type { Endpoint } from './contract/endpoint.ts';
import { REFUSALS, type RefusalCode } from './refusals.ts';

type Json = Record<string, unknown>;

const refusal = z.object({
  code: z.enum(Object.keys(REFUSALS) as [RefusalCode, ...RefusalCode[]]),
  reason: z.string(),
  refusals: z
    .array(z.object({ field: z.string(), reason: z.string() }))
    .optional()
    .describe('The faulty fields of the request, each with its reason.'),
});

/** The OpenAPI 3.1 document, generated from the schemas that validate the requests. */
export function openApi(): Json {
  const paths: Record<string, Json> = {};
  for (const endpoint of API)
    (paths[endpoint.path.replaceAll(/:(\w+)/g, '{$1}')] ??= {})[endpoint.method.toLowerCase()] = operation(endpoint);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Red-packet rain: the console',
      version: VERSION,
      license: { name: 'MIT', identifier: 'MIT' },
      description:
        "The operator's API. Amounts are decimal strings. Every refusal is JSON with a code, and changes nothing.",
    },
    servers: [{ url: '/' }],
    paths,
    webhooks: Object.fromEntries(
      Object.entries(WEBHOOKS).map(([name, webhook]) => [name, { post: webhookOperation(name, webhook) }]),
    ),
    components: {
      schemas: { Refusal: schemaOf(refusal, 'input') },
      securitySchemes: {
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'rain_session',
          description:
            'Set by signing in; over https its name is __Host-rain_session. Every request except GET also needs the header x-csrf-token with the value from the session.',
        },
        bearer: { type: 'http', scheme: 'bearer', description: 'A token of `rain operator token`, rop_…' },
      },
    },
  };
}

function webhookOperation(
  name: string,
  { summary, description, body, answer }: (typeof WEBHOOKS)[keyof typeof WEBHOOKS],
): Json {
  const header = (field: string, told: string) => ({
    name: field,
    in: 'header',
    required: true,
    schema: { type: 'string' },
    description: told,
  });
  return {
    operationId: name,
    tags: ['order service'],
    summary,
    description,
    security: [],
    parameters: [
      header('Idempotency-Key', 'The same for the same content.'),
      header('Rain-Timestamp', 'Epoch milliseconds.'),
      header('Rain-Signature', 'v1= and the HMAC-SHA256 of timestamp, dot and body, with ORDER_WEBHOOK_SECRET.'),
    ],
    requestBody: { required: true, content: { 'application/json': { schema: schemaOf(body, 'input') } } },
    responses: {
      200: {
        description: 'What becomes of each of them.',
        content: { 'application/json': { schema: schemaOf(answer, 'input') } },
      },
    },
  };
}

function operation({
  id,
  tag,
  summary,
  access,
  params,
  query,
  body,
  bodyType = 'application/json',
  status,
  answer,
  mediaType = 'application/json',
  nobody,
}: Endpoint): Json {
  return {
    operationId: id,
    tags: [tag],
    summary,
    security: access === 'anybody' ? [] : [{ session: [] }, { bearer: [] }],
    ...(access === 'operator' && { description: 'Requires the role operator; a viewer is refused.' }),
    ...((params ?? query) && { parameters: [...parametersOf(params, 'path'), ...parametersOf(query, 'query')] }),
    ...(body && {
      requestBody: {
        required: !body.safeParse(undefined).success,
        content: { [bodyType]: { schema: schemaOf(body, 'input') } },
      },
    }),
    responses: {
      [status]: {
        description: status === 204 ? 'Done.' : summary,
        ...(answer && { content: { [mediaType]: { schema: schemaOf(answer, 'input') } } }),
      },
      ...(nobody && { 204: { description: 'Nobody is signed in, with the query nobody=204.' } }),
      ...refusalsOf(access, params !== undefined),
    },
  };
}

function parametersOf(schema: z.ZodType | undefined, place: 'path' | 'query'): Json[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = schemaOf(schema, 'output') as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: place,
    schema: rest,
    ...(description !== undefined && { description }),
    // A parameter with a default is optional.
    ...((place === 'path' || (required.includes(name) && !('default' in rest))) && { required: true }),
  }));
}

function refusalsOf(access: Endpoint['access'], hasParams: boolean): Json {
  const codes: RefusalCode[] = [
    'bad_request',
    access === 'anybody' ? 'wrong_password' : 'no_session',
    'not_allowed',
    ...(hasParams ? ['not_found' as const] : []),
    'refused',
    'too_many',
    'internal',
    'unavailable',
  ];
  return Object.fromEntries(
    codes.map((code) => [
      REFUSALS[code].status,
      {
        description: REFUSALS[code].reason,
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Refusal' } } },
      },
    ]),
  );
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...plain } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return plain;
}
