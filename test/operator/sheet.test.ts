import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sheetOf } from '../../src/operator/sheet.ts';
import { fromCell, toCell } from '../../src/platform/sheetCell.ts';

async function* rowsOf(...users: string[]): AsyncGenerator<{ user: string; amount: string }> {
  for (const user of users) yield { user, amount: '1.00' };
}
const cells = async (...users: string[]) =>
  (await text(sheetOf(rowsOf(...users), ['user', 'amount'], 'plain'))).split('\n').slice(1, -1);

test('no part of a cell begins as a formula, wherever a spreadsheet splits it', async () => {
  expect(await cells('user;=1+1', ' =1+1', '\t=1+1', '＝1', 'a|@SUM', 'a;"=1;b', "'=1", '=1', 'a-b@c.d')).toEqual([
    "user;'=1+1,1.00",
    `" '=1+1",1.00`,
    `"\t'=1+1",1.00`,
    "'＝1,1.00",
    "a|'@SUM,1.00",
    '"a;""\'=1;b",1.00',
    "''=1,1.00",
    "'=1,1.00",
    'a-b@c.d,1.00',
  ]);
});

test('[R10] rows are made as fast as they are read, so no sheet is in memory', async () => {
  let made = 0;
  async function* endless(): AsyncGenerator<{ user: string }> {
    for (;;) yield { user: `user-${made++}` };
  }
  const sheet = sheetOf(endless(), ['user'], 'plain');
  let read = '';
  while (!read.includes('user-5000\n')) read += String(sheet.read() ?? (await once(sheet, 'readable'), ''));
  expect(made).toBeLessThan(5_001 + 5_000);
  sheet.destroy();
});

test('what is exported can be read back, so no two users are exported alike', () => {
  const evil = fc
    .array(fc.constantFrom("'", '=', '+', ';', ' ', '\t', '\n', 'a', ',', '@', '"'), { maxLength: 8 })
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(evil, (user) => fromCell(toCell(user)) === user),
    { numRuns: 2_000 },
  );
  fc.assert(
    fc.property(evil, (user) => !/(^|[;,|\t\n])[\s"]*[=+@]/.test(toCell(user))),
    { numRuns: 2_000 },
  );
});

test.each([
  ['line breaks', '\n'],
  ['quotes', '"'],
  ['apostrophes', "'"],
  ['formulas', '\n='],
  ['separators and apostrophes', ";'"],
])('[R10] a cell of very many %s takes a moment', (_what, part) => {
  const cell = part.repeat(50_000) + 'a';
  const start = performance.now();
  expect(fromCell(toCell(cell))).toBe(cell);
  expect(performance.now() - start).toBeLessThan(1_500);
});
