import { expect, test } from 'vitest';
import { openProgram } from '../../src/bin/program.ts';

const names = async (verb?: string) => (await openProgram(verb)).commands.map((command) => command.name());

test('a verb loads only its own commands; any other word loads all commands', async () => {
  const all = await names();
  expect(all.length).toBeGreaterThan(30);
  expect([
    await names('lisst'),
    await names('--help'),
    await names('help'),
    await names('manual'),
    await names('complete'),
  ]).toEqual([all, all, all, all, all]);
  // Added by what looks at all the others.
  const ownRoom = all.filter((verb) => !['manual', 'completion', 'complete'].includes(verb));
  for (const verb of ownRoom) {
    const mine = await names(verb);
    expect(mine, verb).toContain(verb);
    expect(mine.length, verb).toBeLessThan(8);
  }
});
