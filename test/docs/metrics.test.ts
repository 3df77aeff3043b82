import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { knownFigures } from '../support/registries.ts';

const PAGE = new URL('../../docs/reference/metrics.md', import.meta.url);
const figures = await knownFigures();
const ours = figures.filter(({ name }) => name.startsWith('rain_'));

test('names follow the convention: rain_, base units, _total for counters and for nothing else', () => {
  expect(ours.length).toBeGreaterThan(35);
  const faults = ours.filter(
    ({ name, kind }) =>
      /_(ms|milliseconds|minutes|kb|mb|percent)(_|$)/.test(name) ||
      (kind === 'counter') !== name.endsWith('_total') ||
      (kind === 'histogram' && !/_(seconds|bytes|grabs)$/.test(name)) ||
      !/^rain_[a-z0-9]+(_[a-z0-9]+)*$/.test(name),
  );
  expect(faults.map(({ name }) => name)).toEqual([]);
});

test('every figure says what to think of it, and the same name says the same everywhere', () => {
  expect(ours.filter(({ help }) => help.length < 40).map(({ name, help }) => `${name}: ${help}`)).toEqual([]);
  for (const { name, help, labels, kind } of ours) {
    for (const other of ours.filter((one) => one.name === name))
      expect([other.help, other.labels, other.kind], name).toEqual([help, labels, kind]);
  }
});

test('no name that was given up is told or talked about', () => {
  const names = new Set(figures.map(({ name }) => name));
  const written = readFileSync(PAGE, 'utf8').match(/\brain_[a-z0-9_]+/g) ?? [];
  expect(written.filter((name) => !names.has(name.replace(/_(bucket|sum|count)$/, '')) && !names.has(name))).toEqual(
    [],
  );
});
