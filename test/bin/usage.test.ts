import { describe, expect, test } from 'vitest';
import { rain } from '../support/call.ts';

const json = (text: string): unknown => JSON.parse(text);

describe('[R12] bad usage with --json is answered as every other refusal is, exit 2', () => {
  test.each<[string, string[], string | RegExp]>([
    ['an unknown command', ['rob', '--json'], "unknown command 'rob'"],
    ['a command misspelt', ['lst', '--json'], "unknown command 'lst' (Did you mean list?)"],
    ['no command', ['--json'], "unknown option '--json'"],
    ['no command of a group', ['dead', '--json'], "unknown option '--json'"],
    ['an unknown option', ['list', '--all', '--json'], "unknown option '--all'"],
    [
      'a mistyped option whose right name is required',
      ['create', '--json', '--budjet', '888', '--packets', '10'],
      "unknown option '--budjet' (Did you mean --budget?)",
    ],
    [
      'a mistyped option with its value',
      ['create', '--json', '--budjet=888', '--packets', '10'],
      "unknown option '--budjet' (Did you mean --budget?)",
    ],
    [
      'a mistyped option of a list',
      ['preview', '--json', '--tiers', '10x88'],
      "unknown option '--tiers' (Did you mean --tier?)",
    ],
    ['a missing argument', ['show', '--json'], "missing required argument 'id'"],
    ['one argument too many', ['list', '--json', 'x'], /too many arguments for 'list'/],
    ['a missing option', ['create', '--json'], /^required option '--budget <amount>' not specified$/],
    ['an option without its value', ['token', '--json', '--user'], "option '--user <id>' argument missing"],
    [
      'a value out of bounds',
      ['dead', 'list', '--json', '--limit', '0'],
      /^option '--limit <n>' argument '0' is invalid\. expected a whole number from 1 to 1000$/,
    ],
    [
      'a choice there is not',
      ['replay', 'x', '--format', 'xml', '--json'],
      /^option '--format <format>' argument 'xml' is invalid\. Allowed choices are csv, ndjson\.$/,
    ],
    ['what the command itself refuses', ['audit', '--json'], /^id: missing/],
  ])('%s', async (_, args, reason) => {
    const run = await rain(args);
    expect(json(run.stdout)).toEqual({
      ok: false,
      exit: 2,
      reasons: [typeof reason === 'string' ? reason : (expect.stringMatching(reason) as string)],
    });
    expect(run.stderr).not.toMatch(/\n {4}at /);
    expect(run.exit).toBe(2);
  });

  test('a person reads each sentence once, and a script without --json nothing on stdout', async () => {
    const run = await rain(['list', '--all']);
    expect(run).toEqual({
      exit: 2,
      stdout: '',
      stderr: "error: unknown option '--all'\n(add --help for the options and an example)\n",
    });
    const asked = await rain(['list', '--all', '--json']);
    expect(asked.stderr).toBe(run.stderr);
  });

  test('a whole number is an amount, in every option that takes money', async () => {
    for (const amounts of [
      ['--budget', '888', '--min', '1', '--max', '800'],
      ['--budget', '888', '--tier', '10x88'],
    ])
      expect(await rain(['preview', '--packets', '12', ...amounts])).toMatchObject({ exit: 0, stderr: '' });
  });

  test('help that is asked for comes before a mistyped option', async () => {
    expect(await rain(['create', '--budjet', '888', '--help'])).toMatchObject({
      exit: 0,
      stdout: expect.stringMatching(/^Usage: rain create/) as string,
    });
  });

  test('requested help is no refusal, also with --json', async () => {
    const run = await rain(['list', '--help', '--json']);
    expect(run).toMatchObject({ exit: 0, stdout: expect.stringMatching(/^Usage: rain list/) as string });
  });
});
