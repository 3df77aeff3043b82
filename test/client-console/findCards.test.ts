import { expect, test } from 'vitest';
import { findCards } from '../../client-console/src/screens/participants/find-cards.ts';

const CARDS = [
  { number: 'E1', name: 'Anna Li', department: 'Sales' },
  { number: 'E12', name: '王伟', department: 'Research' },
  { number: 'E3', name: 'Ben' },
];

test.each([
  ['', ['E1', 'E12', 'E3']],
  ['e1', ['E1']],
  ['E12', ['E12']],
  ['e', ['E1', 'E12', 'E3']],
  [' sales ', ['E1']],
  ['王', ['E12']],
  ['ben', ['E3']],
  ['nobody', []],
])('the cards of %o', (text, numbers) => expect(findCards(CARDS, text).map(({ number }) => number)).toEqual(numbers));
