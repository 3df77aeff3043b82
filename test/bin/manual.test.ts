import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseDuration } from '../../src/bin/arguments.ts';
import { commandsOf, examplesOf, manual } from '../../src/bin/manual.ts';
import { openProgram } from '../../src/bin/program.ts';
import { rain } from '../support/call.ts';

/** Commands that give no answer in one piece, and why. */
const WITHOUT_JSON: Record<string, string> = {
  'rain gateway': 'a server: its log is JSON',
  'rain worker': 'a server: its log is JSON',
  'rain console': 'a server: its log is JSON',
  'rain completion': 'prints what a shell runs',
};

/** Each of them moves money or stock, or sends it on its way. */
const MONEY = [
  'rain create',
  'rain campaign add-round',
  'rain top-up',
  'rain close',
  'rain recycle',
  'rain write-off',
  'rain restore apply',
  'rain restore import',
  'rain dead discard',
  'rain audit',
  'rain sale create',
  'rain sale top-up',
  'rain sale end',
  'rain sale pay',
  'rain sale cancel',
  'rain sale refund',
  'rain sale audit',
  'rain sale dead discard',
  'rain sale write-off',
];

const documented = async () => commandsOf(await openProgram());
/** Reads a whole list, and shows first what it has understood. */
const LISTS = ['rain participants import'];

const has =
  (flag: string) =>
  ({ command }: Awaited<ReturnType<typeof documented>>[number]) =>
    command.options.some(({ long }) => long === flag);

test('every command with an answer has --json', async () => {
  const without = (await documented()).filter((one) => !has('--json')(one)).map(({ path }) => path);
  expect(without.sort()).toEqual(Object.keys(WITHOUT_JSON).sort());
});

test('exactly the commands that move money or stock, or read a whole list, have --dry-run', async () => {
  expect(
    (await documented())
      .filter(has('--dry-run'))
      .map(({ path }) => path)
      .sort(),
  ).toEqual([...MONEY, ...LISTS].sort());
});

test('every command has words, and an example that begins with its name', async () => {
  for (const { path, command } of await documented()) {
    expect(command.summary(), path).not.toBe('');
    expect(command.description(), path).toMatch(/\.$/);
    expect(
      examplesOf(command).filter((line) => line.includes(path)),
      path,
    ).not.toEqual([]);
  }
});

test('a default length of time stands in the help as people type it, never in ms', async () => {
  const lengths = (await documented()).flatMap(({ path, command }) =>
    command.options
      .filter(({ parseArg, defaultValue }) => parseArg === parseDuration && typeof defaultValue === 'number')
      .map(({ long, defaultValue, defaultValueDescription = '' }) => ({
        option: `${path} ${long}`,
        right: defaultValue as number,
        told: parseDuration(defaultValueDescription),
        inHelp: command.helpInformation().includes(`(default: ${defaultValueDescription})`),
      })),
  );
  expect(lengths.length).toBeGreaterThan(5);
  for (const { option, right, told, inHelp } of lengths) expect([told, inHelp], option).toEqual([right, true]);
});

test('every option of an example is one that the command has', async () => {
  for (const { path, command } of await documented()) {
    const known = new Set(command.options.flatMap(({ long, short }) => [long, short]));
    const used = examplesOf(command)
      .filter((line) => line.includes(path))
      .flatMap((line) => [...line.matchAll(/ (--[a-z-]+)/g)].map(([, flag]) => flag));
    expect(
      used.filter((flag) => !known.has(flag)),
      path,
    ).toEqual([]);
  }
});

test('the links of the manual lead to its headings', async () => {
  const text = manual(await openProgram());
  const anchors = new Set([...text.matchAll(/^## (.+)$/gm)].map(([, title]) => `#${title!.replaceAll(' ', '-')}`));
  const links = [...text.matchAll(/\]\((#[^)]+)\)/g)].map(([, link]) => link!);
  expect(links.length).toBeGreaterThan(40);
  expect(links.filter((link) => !anchors.has(link))).toEqual([]);
});

test('the printed manual equals docs/reference/cli.md, and the command is hidden', async () => {
  const { stdout, exit } = await rain(['manual']);
  expect(exit).toBe(0);
  expect(stdout).toBe(readFileSync(new URL('../../docs/reference/cli.md', import.meta.url), 'utf8'));
  expect((await rain(['--help'])).stdout).not.toMatch(/^ {2}manual/m);
});
