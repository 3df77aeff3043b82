import { expect, test } from 'vitest';
import { isFingerprint, orderDetails, shortened } from '../../src/rain/actionDetails.ts';

test('details are told in the order in which people read, unknown ones after the known, and hashes last', () => {
  const commitment = 'ab'.repeat(32);
  expect(
    orderDetails({
      commitment,
      invented: 1,
      packets: 10,
      reason: 'why',
      seed: '0'.repeat(64),
      title: 'Rain',
      budget: '10.00',
    }).map(([field]) => field),
  ).toEqual(['title', 'budget', 'packets', 'reason', 'invented', 'commitment', 'seed']);
  expect(shortened(commitment)).toBe('abababab…');
});

test('an amount, a number or an id that people chose is no hash', () => {
  expect(
    ['10.00', 1_234_567_890_123_456, 'party', 'deadbeef', 'spring-0-0-ab', undefined].filter(isFingerprint),
  ).toEqual([]);
  expect(isFingerprint('0123456789abcdef')).toBe(true);
});
