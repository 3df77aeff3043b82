import { describe, expect, test } from 'vitest';
import { item } from '../../src/sale/item.ts';
import { DESCRIPTION_CHARACTERS_MAX } from '../../src/sale/purchase.ts';

const accepts = (description: unknown) => item.safeParse({ sku: 'tee', units: 1, price: '1.00', description }).success;

describe('[R10] the description of an item', () => {
  test('is plain text with line ends, of any language', () => {
    for (const text of ['Cotton.', '纯棉\n尺码 S–XL', '🎫', '<b>bold</b>', 'x'.repeat(DESCRIPTION_CHARACTERS_MAX)])
      expect(accepts(text), text).toBe(true);
    expect(accepts('🎫'.repeat(DESCRIPTION_CHARACTERS_MAX)), 'characters, not UTF-16 units').toBe(true);
  });

  test('is neither empty, nor longer, nor with control characters', () => {
    for (const text of ['', 'x'.repeat(DESCRIPTION_CHARACTERS_MAX + 1), 'a\u0000b', 'a\tb', 'a\rb', '\ud800', 7, null])
      expect(accepts(text), JSON.stringify(text)).toBe(false);
  });
});
