import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { rain } from '../support/call.ts';
import { facts, harmless, table } from '../../src/bin/style.ts';

test('columns stand under their headings, numbers to the right, and a Chinese title takes the room that a terminal gives it', () => {
  // A test may run where colours are asked for; they take no room.
  expect(
    stripVTControlCharacters(
      table(
        ['id', 'title', 'packets'],
        [
          ['a', '年会红包雨', 1_000],
          ['bc', 'New Year', 5],
        ],
      ),
    ),
  ).toBe(['id  title       packets', 'a   年会红包雨     1000', 'bc  New Year          5'].join('\n'));
});

test('facts have no headings, and nothing trails', () => {
  expect(
    stripVTControlCharacters(
      facts([
        ['rain', 'r1'],
        ['won', 12],
        ['seed', ''],
      ]),
    ),
  ).toBe('rain  r1\nwon   12\nseed');
});

test('colours are printed only on a terminal, or on request', async () => {
  const escape = String.fromCharCode(27);
  expect((await rain(['--help'])).stdout).not.toContain(escape);
  expect((await rain(['--help'], { FORCE_COLOR: '1' })).stdout).toContain(`${escape}[36m`);
  expect((await rain(['--help'], { FORCE_COLOR: '1', NO_COLOR: '1' })).stdout).not.toContain(escape);
  const { stdout, stderr } = await rain(['show'], { FORCE_COLOR: '1' });
  expect([stdout, stderr]).toEqual(['', expect.stringContaining("missing required argument 'id'")]);
});

test('nothing that somebody has written commands the terminal, or looks like another row', () => {
  const [escape, evil] = [
    String.fromCharCode(27),
    `a${String.fromCharCode(27)}[2Jb\rc${String.fromCharCode(7)}\u202ed\u009b31m`,
  ];
  expect(harmless(evil)).toBe('a\\u001b[2Jb\\u000dc\\u0007\\u202ed\\u009b31m');
  expect(harmless(`${escape}[32mgood${escape}[39m\n${escape}[8mhidden`)).toBe(
    `${escape}[32mgood${escape}[39m\n\\u001b[8mhidden`,
  );
  expect(stripVTControlCharacters(table(['who', 'reason'], [['eve', `x\nbob  y${escape}[2K`]]))).toBe(
    'who  reason\neve  x\\nbob  y\\u001b[2K',
  );
});
