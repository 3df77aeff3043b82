import { readFileSync } from 'node:fs';
import specs from '@asyncapi/specs';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { fieldsMarkdown } from '../../src/protocol/fields.ts';
import { CLIENT_MESSAGES, type ServerMessage } from '../../src/protocol/messages.ts';
import { SERVER_MESSAGES } from '../../src/protocol/serverMessages.ts';

const file = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const document = JSON.parse(file('docs/reference/asyncapi.json')) as {
  operations: Record<string, unknown>;
  components: { schemas: Record<string, object> };
};

test('it is an AsyncAPI document, and the check would know one that is not', () => {
  const validate = new Ajv({ strict: false, validateFormats: false, logger: false }).compile(
    specs.schemasWithoutId['3.0.0'] as object,
  );
  expect(validate(document), JSON.stringify(validate.errors?.slice(0, 5))).toBe(true);
  expect(validate({ ...document, operations: { join: { action: 'shout' } } })).toBe(false);
});

test('every reference in it leads somewhere', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) => path!);
  expect(references.length).toBeGreaterThan(50);
  const missing = references.filter(
    (path) =>
      path.split('/').reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], document) ===
      undefined,
  );
  expect(missing).toEqual([]);
});

describe('the schemas', () => {
  const ajv = new Ajv({ strict: false });
  const judge = (name: string) => ajv.compile(document.components.schemas[name]!);

  test('know every message, and every one of them has a word about each field', () => {
    expect(Object.keys(document.components.schemas)).toEqual([
      ...Object.keys(CLIENT_MESSAGES),
      ...Object.keys(SERVER_MESSAGES),
    ]);
    expect(
      fieldsMarkdown()
        .split('\n')
        .filter((line) => /^\| `[^|]*\|[^|]*\|\s*\|$/.test(line)),
    ).toEqual([]);
  });

  test('take what is said, and more fields than they know from the server, but from a client none', () => {
    const won: ServerMessage = {
      type: 'result',
      rainId: 'r',
      code: '0',
      reason: 'won',
      redPacketId: 'r-1',
      amount: '12.21',
    };
    expect(judge('result')({ ...won, later: true })).toBe(true);
    for (const amount of ['12.2', '12', '-1.00', 12.21])
      expect(judge('result')({ ...won, amount }), String(amount)).toBe(false);
    expect(judge('grab')({ type: 'grab', rainId: 'r', ref: '1' })).toBe(true);
    expect(judge('grab')({ type: 'grab', rainId: 'r', userId: 'bob' })).toBe(false);
  });
});
