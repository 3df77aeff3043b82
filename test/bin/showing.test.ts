import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { show, type ShowOptions } from '../../src/bin/showing.ts';
import type { Terminal } from '../../src/bin/terminal.ts';

const STATES = ['draft', 'draft', 'open', 'open', 'settled', 'not read'];
const rest = () => Promise.resolve();

/** @returns each print, of a state that is read again and again */
async function printsOf(options: ShowOptions, isTTY = false): Promise<string[]> {
  const prints: string[] = [];
  const stdout = Object.assign(new Writable({ write: (chunk, _, done) => done(void prints.push(String(chunk))) }), {
    isTTY,
  });
  const states = STATES.values();
  await show(
    { stdout, environment: {} } as Terminal,
    options,
    async () => {
      const text = states.next().value!;
      return { value: { state: text }, text, isLast: text === 'settled' };
    },
    rest,
  );
  return prints;
}

test('once, or until it is settled; into a file or a pipe a text goes when it has changed, JSON always, and a screen is cleared first', async () => {
  expect(await printsOf({})).toEqual(['draft\n']);
  expect(await printsOf({ watch: true })).toEqual(['draft\n', 'open\n', 'settled\n']);
  expect(
    (await printsOf({ watch: true, json: true })).map((line) => (JSON.parse(line) as { state: string }).state),
  ).toEqual(STATES.slice(0, 5));
  const cleared = '\x1b[H\x1b[2J';
  expect(await printsOf({ watch: true }, true)).toEqual(STATES.slice(0, 5).flatMap((state) => [cleared, `${state}\n`]));
});
