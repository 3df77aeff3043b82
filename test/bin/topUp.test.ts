import { afterAll, beforeAll, expect, test } from 'vitest';
import { redisNow } from '../../src/store/rains.ts';
import { createRain } from '../../src/operator/create.ts';
import { loadRain } from '../../src/operator/load.ts';
import { closeRain } from '../../src/operator/transitions.ts';
import { topUpRain } from '../../src/operator/topUp.ts';
import { rain } from '../support/call.ts';
import { openTestContext, type TestContext } from '../support/operatorContext.ts';

let context: TestContext;
let env: Record<string, string>;
beforeAll(async () => {
  context = await openTestContext();
  env = { REDIS_URL: context.redisUrl, DATABASE_URL: context.databaseUrl };
});
afterAll(() => context.stop());

const json = (text: string) => JSON.parse(text) as Record<string, unknown>;
async function planned(id: string): Promise<void> {
  const now = await redisNow(context.redis);
  await createRain(context, {
    id,
    plan: { budget: '5.00', packets: 5 },
    opensAt: now + 3_600_000,
    closesAt: now + 7_200_000,
  });
  await loadRain(context, id);
}

test('`rain top-up` has a dry run, adds money only once, and `rain show` lists the top-up', async () => {
  await planned('more');
  const words = ['top-up', 'more', '--budget', '20.00', '--packets', '4', '--split', 'even', '--id', 'second'];
  const tried = await rain([...words, '--dry-run'], env);
  expect(tried).toMatchObject({ exit: 0, stderr: '' });
  expect(tried.stdout).toMatch(
    /^more would get 20\.00 in 4 packets; in total 25\.00 in 9\n[^]*largest +5\.00\n[^]*dry run: nothing was changed\n$/,
  );
  const done = await rain(words, env);
  expect(done).toMatchObject({ exit: 0, stdout: 'more got 20.00 in 4 packets; in total 25.00 in 9\n' });
  const commitment = /commitment ([0-9a-f]{64})\n/.exec(done.stderr)![1]!;
  expect(done.stderr).toContain('top-up second\n');
  expect(json((await rain([...words, '--json'], env)).stdout)).toEqual({
    rainId: 'more',
    id: 'second',
    packets: 4,
    budget: '20.00',
    total: { packets: 9, budget: '25.00' },
    commitment,
    loaded: true,
  });
  const shown = await rain(['show', 'more'], env);
  expect(shown.stdout).toMatch(new RegExp(`top-up 1 +20\\.00 in 4 packets, second, commitment ${commitment}\n?`));
  expect(shown.stdout).not.toContain('not loaded');
});

test('`rain schedule` and `rain start` move a rain, and print its new times', async () => {
  await planned('moved');
  expect((await rain(['schedule', 'moved', '--start', '+2h', '--duration', '30m'], env)).stdout).toMatch(
    /^moved: loaded, from \d{4}-.*Z to \d{4}-.*Z\n$/,
  );
  expect(json((await rain(['start', 'moved', '--json'], env)).stdout)).toMatchObject({
    rainId: 'moved',
    state: 'open',
  });
  const { opensAt, closesAt } = (await context.ledger.rain('moved'))!;
  expect(closesAt - opensAt).toBe(1_800_000);
});

test('`rain recycle` settles what is over, and `rain verify` finds the top-up as it was promised', async () => {
  await planned('done');
  await topUpRain(context, 'done', { budget: '20.00', packets: 4 });
  await closeRain(context, 'done');
  expect(await rain(['recycle', 'done'], env)).toMatchObject({ exit: 0, stdout: 'done: settled, 25.00 went back\n' });
  expect(json((await rain(['recycle', 'done', '--json'], env)).stdout)).toEqual({
    rainId: 'done',
    state: 'settled',
    amount: '25.00',
  });
  expect(json((await rain(['verify', 'done', '--json'], env)).stdout)).toMatchObject({
    fair: true,
    packets: 9,
    topUps: [{ packets: 4 }],
    problems: [],
  });
});

test('[R12] what cannot be done is refused in words, exit 1, and nothing is added', async () => {
  await planned('refused');
  const [tooLittle, nowhere, tooLong, weeks, early] = await Promise.all([
    rain(['top-up', 'refused', '--budget', '0.01', '--packets', '2'], env),
    rain(['top-up', 'nowhere', '--budget', '1.00', '--packets', '2'], env),
    rain(['start', 'refused', '--in', '2m'], env),
    rain(['schedule', 'refused', '--start', '+1h', '--duration', '8d'], env),
    rain(['recycle', 'refused'], env),
  ]);
  expect(tooLittle).toMatchObject({
    exit: 1,
    stdout: '',
    stderr: expect.stringMatching(/^rain: --packets: 2 packets of at least 0\.01 would take 0\.02/m) as string,
  });
  expect(nowhere).toMatchObject({ exit: 1, stderr: 'rain: rain: there is no rain nowhere\n' });
  expect(tooLong).toMatchObject({ exit: 1, stderr: 'rain: --in: expected 0s to 60s\n' });
  expect(weeks).toMatchObject({ exit: 1, stderr: 'rain: --duration: a rain lasts a week at most\n' });
  expect(early).toMatchObject({ exit: 1, stderr: expect.stringContaining('end it first with close') as string });
  expect((await context.ledger.rain('refused'))!.topUps).toEqual([]);
});
