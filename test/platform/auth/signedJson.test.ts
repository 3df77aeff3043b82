import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readSignedJson } from '../../../src/platform/auth/signedJson.ts';
import { createTokenReader } from '../../../src/platform/auth/tokenReader.ts';

const SECRET = 'a secret of at least thirty-two characters';
const NOW = Date.UTC(2031, 0, 28);

test('signed text is read as JSON.parse reads it, unless an object names a key twice', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2, '\t'), (value, space) => {
      const text = JSON.stringify(value, undefined, space);
      expect(readSignedJson(text)).toEqual(JSON.parse(text));
    }),
  );
  for (const twice of [
    '{"a":1,"a":1}',
    '{"a":1, "\\u0061" :2}',
    '[{"b":{"":0,"":1}}]',
    '{"__proto__":1,"__proto__":2}',
    '{"a":"\\":",',
    '',
  ])
    expect(readSignedJson(twice), twice).toBeUndefined();
  expect(readSignedJson('{"a":"\\"b\\": 1","c":[":"]}')).toEqual({ a: '"b": 1', c: [':'] });
});

test('[R9] a token that names its user twice is none', async () => {
  const read = createTokenReader({ secret: SECRET }, () => NOW);
  const signed = (claims: string) => {
    const text = ['{"alg":"HS256"}', claims].map((part) => Buffer.from(part).toString('base64url')).join('.');
    return `${text}.${createHmac('sha256', SECRET).update(text).digest('base64url')}`;
  };
  const exp = NOW / 1_000 + 60;
  expect(await read(signed(`{"sub":"ann","exp":${exp}}`))).toMatchObject({ subject: 'ann' });
  expect(await read(signed(`{"sub":"ann","exp":${exp},"sub":"ben"}`))).toBeUndefined();
  expect(await read(signed(`{"sub":"ann","exp":1,"exp":${exp}}`))).toBeUndefined();
});
