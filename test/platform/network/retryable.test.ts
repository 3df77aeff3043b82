import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ofHttpStatus, ofSqlState } from '../../../src/platform/network/retryable.ts';

describe('a refusal of the database', () => {
  test.each(['22003', '22021', '22P02', '23502', '23503', '23505', '23514', '23P01', '44000', 'P0001', 'P0004'])(
    '%s stays: it speaks of the values',
    (code) => {
      expect(ofSqlState(code)).toBe('refuse');
    },
  );

  test.each([
    '08006',
    '25006',
    '28P01',
    '40001',
    '40P01',
    '42P01',
    '53100',
    '53300',
    '55P03',
    '57014',
    '57P01',
    '58030',
    'XX000',
    '0A000',
    '99999',
  ])('%s passes: it speaks of the circumstances', (code) => {
    expect(ofSqlState(code)).toBe('again');
  });

  test('every code, and whatever is none, is decided', () => {
    const code = fc.oneof(
      fc.string(),
      fc.string({
        unit: fc.constantFrom(...Array.from('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ')),
        minLength: 5,
        maxLength: 5,
      }),
      fc.constantFrom('toString', '__proto__', '', '22', '220000'),
    );
    fc.assert(
      fc.property(code, (text) => {
        const permanent = /^(22|23|44|P0)...$/s.test(text);
        expect(ofSqlState(text)).toBe(permanent ? 'refuse' : 'again');
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('an HTTP status', () => {
  test.each([
    ['done', [200, 201, 202, 204, 299]],
    ['already', [409]],
    ['again', [301, 302, 304, 307, 308, 401, 405, 407, 408, 425, 429, 500, 501, 502, 503, 504, 599]],
    ['giveUp', [400, 402, 403, 404, 410, 413, 418, 422, 451, 499]],
  ] as const)('means %s: %j', (verdict, statuses) => {
    for (const status of statuses) expect(ofHttpStatus(status), String(status)).toBe(verdict);
  });

  test('whatever it is, is decided, and nothing but 4xx is given up', () => {
    fc.assert(
      fc.property(fc.oneof(fc.integer(), fc.double(), fc.integer({ min: 100, max: 599 })), (status) => {
        const verdict = ofHttpStatus(status);
        expect(['done', 'already', 'again', 'giveUp']).toContain(verdict);
        if (verdict === 'giveUp') expect(Math.floor(status / 100)).toBe(4);
        if (verdict === 'done') expect(Math.floor(status / 100)).toBe(2);
      }),
      { numRuns: 2_000 },
    );
  });
});
