import { expect, test } from 'vitest';
import { mask } from '../../src/rain/mask.ts';

test("a ticker and a wall reveal a winner's name only to that user", () => {
  expect(mask('alice-1234')).toBe('a•••4');
  expect(mask('li')).toBe('•••');
  expect(mask('🙂b🙃')).toBe('🙂•••🙃');
});
