import { createHmac, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createFastHmac } from '../../src/platform/auth/hmac.ts';

test('it is the HMAC-SHA256 of Node, for short and long texts, one after the other', () => {
  for (const bytes of [0, 1, 32, 64]) {
    const key = randomBytes(bytes);
    const fast = createFastHmac(key);
    for (const text of ['', 'a', 'autumn\nautumn-7\n12.34', '红包雨🧧\n', 'x'.repeat(341), 'x'.repeat(342), '雨'.repeat(341), '雨'.repeat(2_000), 'b']) {
      expect(fast(text)).toBe(createHmac('sha256', key).update(text).digest('base64url'));
    }
  }
});

test('a key longer than a block is refused, since it would have to be hashed first', () => {
  expect(() => createFastHmac(new Uint8Array(65))).toThrow(/64 bytes/);
});
