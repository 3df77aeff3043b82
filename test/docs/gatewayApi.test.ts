import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import { routeOf } from '../../src/gateway/http/routes.ts';
import { httpStatusOf } from '../../src/protocol/http.ts';
import { SALE_OUTCOMES_IN_ORDER } from '../../src/protocol/saleOutcomes.ts';

interface Operation {
  parameters: { name: string; in: string; required: boolean; schema: object }[];
  requestBody?: { content: Record<string, { schema: object }> };
  responses: Record<string, object>;
}
const file = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const document = JSON.parse(file('docs/reference/gateway-openapi.json')) as {
  paths: Record<string, Record<string, Operation>>;
};

test('the document is valid OpenAPI 3.1', async () => {
  const { errors, valid } = await new Validator().validate(
    structuredClone(document) as unknown as Record<string, unknown>,
  );
  expect([errors ?? [], valid]).toEqual([[], true]);
});

test('every path of it leads to a handler with its method, and every handler is in it', () => {
  const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => {
      const route = routeOf(path.replaceAll(/\{\w+\}/g, 'autumn-1'));
      expect([route?.method.toLowerCase(), route?.id], path).toEqual([method, 'autumn-1']);
      return route!.kind;
    }),
  );
  expect(routes.sort()).toEqual(['buy', 'order', 'sale', 'ticket']);
});

test('forms and bounds are those of the messages', () => {
  const { parameters, requestBody } = document.paths['/v1/sales/{saleId}/buy']!['post']!;
  expect(parameters.map(({ name, required }) => [name, required])).toEqual([
    ['saleId', true],
    ['Idempotency-Key', false],
  ]);
  expect(requestBody!.content['application/json']!.schema).toMatchObject({
    required: ['sku'],
    additionalProperties: false,
    properties: { quantity: { type: 'integer', minimum: 1, maximum: 1_000 } },
  });
  const wait = document.paths['/v1/orders/{reservationId}']!['get']!.parameters.find(({ name }) => name === 'wait');
  expect(wait).toMatchObject({ in: 'query', required: false, schema: { type: 'integer', minimum: 0, maximum: 25 } });
});

test('every status of a decision is one of the answers to a purchase', () => {
  const { responses } = document.paths['/v1/sales/{saleId}/buy']!['post']!;
  for (const { code } of SALE_OUTCOMES_IN_ORDER)
    expect(Object.keys(responses), code).toContain(String(httpStatusOf(code)));
});

test('old clients: each code of theirs has a row in the protocol, and what it leads to is one of ours', () => {
  const page = file('docs/reference/protocol.md');
  const section = page.slice(page.indexOf('**Old clients.**'));
  const ours = new Set(SALE_OUTCOMES_IN_ORDER.map(({ code }) => `\`${code}\``));
  for (const old of [10_002, 20_001, 30_002, 30_003, 30_004, 30_005, 30_006, 30_007, 30_008]) {
    const row = new RegExp(`^\\| ${old} \\|[^|]*\\|([^|]*)\\|`, 'm').exec(section)?.[1] ?? '';
    const named = row.match(/`-?\d+`/g) ?? [];
    expect(named.length > 0 || /\b40[01]\b/.test(row), String(old)).toBe(true);
    expect(
      named.filter((code) => !ours.has(code)),
      String(old),
    ).toEqual([]);
  }
});
