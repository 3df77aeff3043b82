import { expect, test } from 'vitest';
import { canonicalJson } from '../../src/rain/json.ts';
import {
  requestedTermNames,
  areUsual,
  describeTerm,
  TERM_NAMES,
  termWords,
  unknownTerms,
} from '../../src/rain/terms.ts';
import { requestedTerms, checkTerms, recordedTerms } from '../../src/rain/terms-check.ts';

test('default terms are left out, so that one rain has one text', () => {
  expect(requestedTerms.parse({ rehearsal: false, excludeEarlierWinners: true })).toEqual({
    excludeEarlierWinners: true,
  });
  expect(canonicalJson(requestedTerms.parse({ rehearsal: false }))).toBe('{}');
  expect([areUsual({}), areUsual({ rehearsal: true })]).toEqual([true, false]);
});

test.each([
  ['a term that there is not, such as a misspelt one', { rehersal: true }],
  ['a flag that is none', { rehearsal: 'yes' }],
  ['what follows from a campaign', { winsMax: 2 }],
  ['no object', 'rehearsal'],
])('[R12] %s is refused when it is asked for', (_, asked) => {
  expect(requestedTerms.safeParse(asked).success).toBe(false);
});

test('a term of a newer version is passed on unchanged, and known by name', () => {
  const newer = { rehearsal: true, colour: { red: 1 } };
  expect(recordedTerms.parse(newer)).toEqual(newer);
  expect(unknownTerms(recordedTerms.parse(newer))).toEqual(['colour']);
  expect(recordedTerms.safeParse({ winsMax: 'many' }).success).toBe(false);
});

test('[R12] a rain is not given terms of another kind of rain', () => {
  expect(checkTerms({ rehearsal: true }, true)).toMatchObject([{ field: 'terms.rehearsal' }]);
  expect(checkTerms({ excludeEarlierWinners: true }, false)).toMatchObject([{ field: 'terms.excludeEarlierWinners' }]);
  expect([...checkTerms({ rehearsal: true }, false), ...checkTerms({ excludeEarlierWinners: true }, true)]).toEqual([]);
  expect(requestedTermNames('rounds')).not.toContain('rehearsal');
});

test('every term has a description for operators and for players, and the name of an option', () => {
  for (const name of TERM_NAMES) {
    const { tells, asks = tells, suits, unsuited } = describeTerm(name);
    for (const text of [tells, asks]) expect(text, name).toMatch(/^\S.*[^.\s]$/);
    expect(suits === 'all' || name === 'winsMax' || unsuited !== undefined, name).toBe(true);
    expect(termWords(name)).toMatch(/^[a-z]+(-[a-z]+)*$/);
  }
});
