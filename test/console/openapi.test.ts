import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import { API } from '../../src/console/contract/api.ts';
import { endedRequest, orderRequest } from '../../src/orders/shopMessage.ts';
import { openApi } from '../../src/console/openapi.ts';

interface Operation {
  operationId: string;
  security: object[];
  parameters?: { name: string; in: string; schema: object }[];
  responses: Record<string, unknown>;
}
const document = openApi() as { openapi: string; paths: Record<string, Record<string, Operation>> };
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

test('the document is valid OpenAPI 3.1', async () => {
  const validator = new Validator();
  const verdict = await validator.validate(JSON.parse(JSON.stringify(document)) as Record<string, unknown>);
  expect(verdict.errors ?? []).toEqual([]);
  expect(verdict.valid).toBe(true);
  expect(validator.version).toBe('3.1');
});

test('every endpoint is in it once, with a unique name', () => {
  expect(operations).toHaveLength(API.length);
  expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(API.length);
});

test('exactly the parameters of a path are described', () => {
  for (const { path, operation } of operations) {
    const named = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
    expect(
      (operation.parameters ?? []).filter((parameter) => parameter.in === 'path').map(({ name }) => name),
      path,
    ).toEqual(named);
  }
});

test('only signing in needs no session', () => {
  expect(
    operations.filter(({ operation }) => operation.security.length === 0).map(({ operation }) => operation.operationId),
  ).toEqual(['signIn']);
});

test('what workers post to a shop is described as it is posted', () => {
  const { webhooks } = document as unknown as {
    webhooks: Record<
      string,
      {
        post: {
          requestBody: {
            content: {
              'application/json': { schema: { properties: Record<string, { items: { properties: object } }> } };
            };
          };
        };
      }
    >;
  };
  const fields = (name: string) =>
    Object.keys(
      webhooks[name]!.post.requestBody.content['application/json'].schema.properties[name]!.items.properties,
    ).sort();
  const posted = ({ body }: { body: string }, name: string) =>
    Object.keys((JSON.parse(body) as Record<string, object[]>)[name]![0]!).sort();
  const order = {
    id: 's-1',
    saleId: 's',
    userId: 'ann',
    sku: 'tee',
    quantity: 1,
    price: '1.00',
    ref: 'a',
    status: 'timed_out',
    reservedAt: 1,
    payBy: 2,
    changedAt: 3,
  } as const;
  expect(fields('orders')).toEqual(posted(orderRequest('s', [order]), 'orders'));
  expect(fields('ended')).toEqual(posted(endedRequest('s', [order]), 'ended'));
});

test('queries are described by type and bounds', () => {
  const limit = document.paths['/api/console/rains']!['get']!.parameters!.find(({ name }) => name === 'limit');
  expect(limit).toMatchObject({ in: 'query', schema: { type: 'integer', minimum: 1, maximum: 1_000, default: 100 } });
});
