import { createHmac, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createFastHmac, hmacKeyOf } from '../../src/platform/auth/hmac.ts';

test('it is the HMAC-SHA256 of Node, for short and long texts, one after the other', () => {
  for (const bytes of [0, 1, 32, 64]) {
    const key = randomBytes(bytes);
    const fast = createFastHmac(key);
    for (const text of [
      '',
      'a',
      'autumn\nautumn-7\n12.34',
      '红包雨🧧\n',
      'x'.repeat(341),
      'x'.repeat(342),
      '雨'.repeat(341),
      '雨'.repeat(2_000),
      'b',
    ]) {
      expect(fast(text)).toBe(createHmac('sha256', key).update(text).digest('base64url'));
    }
  }
});

test('a key longer than a block is refused, since it would have to be hashed first', () => {
  expect(() => createFastHmac(new Uint8Array(65))).toThrow(/64 bytes/);
});

test('of a longer secret the hash is the key, as in Node', () => {
  for (const secret of [
    '',
    'x'.repeat(32),
    'x'.repeat(64),
    'x'.repeat(65),
    '雨'.repeat(21),
    '雨'.repeat(22),
    'x'.repeat(1_000),
  ]) {
    expect(createFastHmac(hmacKeyOf(secret))('text')).toBe(
      createHmac('sha256', secret).update('text').digest('base64url'),
    );
  }
});
