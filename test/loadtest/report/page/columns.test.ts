import { expect, test } from 'vitest';
import { columnsOf, running } from '../../../../src/loadtest/report/page/columns.ts';

test('a long run is shown in columns that a page can show, and nothing is lost on the way', () => {
  const columns = columnsOf({ binMs: 250, counts: { a: Array.from({ length: 1_000 }, () => 2), b: [0, 7] } });
  expect([columns.count, columns.seconds]).toEqual([200, 1.25]);
  expect(columns.of('a')).toEqual(Array.from({ length: 200 }, () => 10));
  expect(columns.of('b').slice(0, 2)).toEqual([7, 0]);
  expect(columns.of('c').every((count) => count === 0)).toBe(true);
});

test('changes add up to what stands', () => expect(running([3, 0, -2, 1])).toEqual([3, 3, 1, 2]));
