import { afterAll, beforeAll, expect, test } from 'vitest';
import { createGrabEngine } from '../../src/grab/engine.ts';
import { rain } from '../support/call.ts';
import { openTestContext, type TestContext } from '../support/operatorContext.ts';

let context: TestContext;
let env: Record<string, string>;
beforeAll(async () => {
  context = await openTestContext();
  env = { REDIS_URL: context.redisUrl, DATABASE_URL: context.databaseUrl };
});
afterAll(() => context.stop());

const round = ['--budget', '2.00', '--packets', '2', '--start', '+0s', '--duration', '1h'];
const json = async (...args: string[]) => JSON.parse((await rain([...args, '--json'], env)).stdout) as unknown;

test('a campaign is begun, and gets its first round', async () => {
  expect(
    await rain(['campaign', 'create', '--id', 'autumn', '--title', '年会', '--wins-per-user', '1'], env),
  ).toMatchObject({ exit: 0, stdout: 'autumn\n' });
  expect((await rain(['campaign', 'add-round', 'autumn', ...round, '--load'], env)).stdout).toBe('autumn.1\n');
  expect(await createGrabEngine(context.redis, () => {}).grab('autumn.1', 0, ['ann'])).toMatchObject([{ code: '0' }]);
});

test('rounds are added one after the other, or by number', async () => {
  expect(await json('campaign', 'add-round', 'autumn', ...round, '--exclude-earlier-winners')).toMatchObject({
    rainId: 'autumn.2',
    state: 'draft',
  });
  expect((await rain(['create', '--campaign', 'autumn', '--round', '7', ...round], env)).stdout).toBe('autumn.7\n');
});

test('a person sees it with its rounds, and a round with its campaign', async () => {
  const { stdout } = await rain(['campaign', 'show', 'autumn'], env);
  expect(stdout).toMatch(/campaign +autumn {2}年会\nwins per user +at most 1\n/);
  expect(stdout).toMatch(/autumn\.1 .* open .*none\nautumn\.2 .* draft .*exclude earlier winners\nautumn\.7 /);
  expect((await rain(['show', 'autumn.1'], env)).stdout).toMatch(/campaign +autumn, round 1\n/);
});

test('so does a machine', async () => {
  expect(await json('campaign', 'show', 'autumn')).toMatchObject({
    campaignId: 'autumn',
    rounds: [{ claims: 1 }, {}, {}],
    winners: { users: 0, beyond: 0 },
  });
  expect(await json('campaign', 'list')).toMatchObject({ campaigns: [{ campaignId: 'autumn', rounds: 3 }] });
});

test.each<[string, string[], number, string]>([
  ['a round without its number', ['create', '--campaign', 'autumn', ...round], 2, '--round: missing'],
  ['a number without its campaign', ['create', '--round', '1', ...round], 2, '--campaign: missing'],
  [
    'a campaign that is not there',
    ['campaign', 'add-round', 'nowhere', ...round],
    1,
    'campaign: there is no campaign nowhere',
  ],
  [
    'a dot in the id of a rain',
    ['create', '--id', 'a.1', ...round],
    1,
    'id: a dot is reserved for rounds of a campaign',
  ],
  ['nobody to show', ['campaign', 'show', 'nowhere'], 1, 'id: there is no campaign nowhere'],
  [
    'a rehearsal that is a round',
    ['create', '--rehearsal', '--campaign', 'autumn', '--round', '8', ...round],
    1,
    'terms.rehearsal: ',
  ],
])('[R12] %s is refused', async (_, args, exit, reason) => {
  const run = await rain(args, env);
  expect(run.stderr).toContain(reason);
  expect(run.exit).toBe(exit);
});
