import { expect, test } from 'vitest';
import { errorLine } from '../../../src/platform/telemetry/errorLine.ts';

test('an error becomes one short line', () => {
  expect(errorLine('\nInvalid call:\n\n  the database\tdoes not answer \u001b[31m')).toBe(
    'Invalid call: the database does not answer [31m',
  );
  expect([...errorLine('🧧'.repeat(1_000))]).toHaveLength(300);
  expect(errorLine('')).toBe('');
});

test.each([
  ['postgres://rain:pass@word@db:5432/rain is away', 'postgres://…@db:5432/rain is away'],
  ['https://shop.example/orders?key=abcdef&page=2 answers 500', 'https://shop.example/orders?key=…&page=2 answers 500'],
  ['401 for Authorization: Bearer abc.def-123', '401 for Authorization: Bearer …'],
  ['bad token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbm4ifQ.c2lnbmF0dXJl', 'bad token …'],
  ['no account for rop_0123456789abcdefghij', 'no account for rop_…'],
])('a secret in it is not shown: %s', (text, shown) => {
  expect(errorLine(text)).toBe(shown);
});
