import { expect, test } from 'vitest';
import { deadLetter } from '../../src/credit/deadLetter.ts';

const LETTER = { rainId: 'r1', shard: 0, index: 3, entry: 'torn', detail: 'not JSON' };

test('a letter with a former reason is read, so that it can still be requeued or discarded', () => {
  expect(deadLetter.parse({ ...LETTER, reason: 'promised_twice' })).toEqual({ ...LETTER, reason: 'told_twice' });
  expect(deadLetter.parse({ ...LETTER, reason: 'malformed' }).reason).toBe('malformed');
  expect(deadLetter.safeParse({ ...LETTER, reason: 'unheard_of' }).success).toBe(false);
});
