import { expect, test } from 'vitest';
import { alike, type Mark } from '../../../client-demo/src/sky/mark.ts';

const MARK: Mark = { picture: 'envelope', x: 1, y: 2, scaleX: 1, scaleY: 1, turn: 0, alpha: 1 };
const CHANGES: Partial<Mark>[] = [
  { picture: 'gold' },
  { x: 2 },
  { y: 3 },
  { scaleX: 0.5 },
  { scaleY: 0.5 },
  { turn: 0.1 },
  { alpha: 0.5 },
];

test('a sky is painted again only if something in it has changed', () => {
  expect(alike([], [])).toBe(true);
  expect(alike([MARK, MARK], [{ ...MARK }, { ...MARK }])).toBe(true);
  expect(alike([MARK], [MARK, MARK])).toBe(false);
  for (const change of CHANGES)
    expect(alike([MARK, MARK], [MARK, { ...MARK, ...change }]), JSON.stringify(change)).toBe(false);
  expect(CHANGES.map((change) => Object.keys(change)[0]).toSorted()).toEqual(Object.keys(MARK).toSorted());
});
