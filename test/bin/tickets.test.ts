import { afterAll, beforeAll, expect, test } from 'vitest';
import { rain } from '../support/call.ts';
import { openTestContext, type TestContext } from '../support/operatorContext.ts';

let context: TestContext;
let env: Record<string, string>;
beforeAll(async () => {
  context = await openTestContext();
  env = { REDIS_URL: context.redisUrl, DATABASE_URL: context.databaseUrl };
});
afterAll(() => context.stop());

const RAIN = ['create', '--id', 'ruled', '--budget', '2.00', '--packets', '2', '--start', '+0s', '--duration', '1h'];
const SALE = ['sale', 'create', '--id', 'shop', '--item', 'tee:5@1.00'];

test.each<[string, string[], string[]]>([
  ['a rain', RAIN, []],
  ['a sale', SALE, ['sale']],
])('%s gets its ticket rules with its creation, and others while it runs', async (_what, create, word) => {
  const id = create[create.indexOf('--id') + 1]!;
  expect(await rain([...create, '--tickets', 'pressure', '--load'], env)).toMatchObject({ exit: 0 });
  expect((await rain([...word, 'show', id], env)).stdout).toMatch(/tickets +tickets pressure, proof of work off\n/);
  expect(await rain([...word, 'tickets', id, '--pow', 'always'], env)).toMatchObject({
    exit: 0,
    stdout: `${id}: tickets pressure, proof of work always\n`,
  });
  expect(JSON.parse((await rain([...word, 'tickets', id, '--tickets', 'always', '--json'], env)).stdout)).toMatchObject(
    { tickets: 'always', proofOfWork: 'always' },
  );
});

test.each<[string, string[], RegExp]>([
  ['neither option', ['tickets', 'ruled'], /--tickets: missing, expected --tickets, --pow or both/],
  ['a word that is none', ['tickets', 'ruled', '--tickets', 'maybe'], /--tickets.*off, pressure, always/],
  ['work without tickets', [...RAIN, '--id', 'other', '--pow', 'always'], /--pow: needs tickets/],
  ['the same of a sale', [...SALE, '--id', 'other-shop', '--pow', 'always'], /--pow: needs tickets/],
  ['a rain that is none', ['tickets', 'nowhere', '--tickets', 'always'], /there is no rain nowhere/],
])('[R12] %s is refused by the option as typed', async (_what, args, reason) => {
  const { exit, stderr } = await rain(args, env);
  expect(exit).not.toBe(0);
  expect(stderr).toMatch(reason);
});
