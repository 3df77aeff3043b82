import { expect, test } from 'vitest';
import { listToOpen } from '../../client-console/src/state/deadLetters.ts';

test('the count of dead letters in the menu leads to the list that has them', () => {
  expect(listToOpen({ dead: 0, 'order-letters': 54 })).toBe('order-letters');
  expect(listToOpen({ dead: 2, 'order-letters': 54 })).toBe('dead');
  expect(listToOpen({ dead: 0, 'order-letters': 0 })).toBe('dead');
});
