import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { LIMITS } from '../../src/gateway/limits.ts';

const page = readFileSync(new URL('../../docs/how-to/plan-capacity.md', import.meta.url), 'utf8');
const number = (value: number) => value.toLocaleString('en-US');

test('the page quotes the limits as they are', () => {
  expect(page).toContain(`sockets  = V ÷ ${number(LIMITS.socketsMax)} `);
  expect(page).toContain(`accepts ${number(LIMITS.handshakesPerSecondMax)} a second`);
});

test('every mark of the page is filled from a measurement', () => {
  expect([...page.matchAll(/<!--(\w+)-->/g)].map(([, name]) => name)).toEqual([
    'machine',
    'L',
    'T',
    'W',
    'R',
    'B',
    'S',
    'Q',
    'C',
    'M',
    'A',
    'table',
  ]);
});
