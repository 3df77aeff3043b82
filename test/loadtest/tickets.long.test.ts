import { afterAll, expect, test } from 'vitest';
import type { ChallengeRules } from '../../src/gateway/challenge/challenges.ts';
import { behavioursOf } from '../../src/loadtest/bots/behaviours.ts';
import type { SwarmReport } from '../../src/loadtest/report/report.ts';
import { renderReport } from '../../src/loadtest/report/reportTable.ts';
import { TRICK_NAMES } from '../../src/loadtest/bots/forgeries.ts';
import { checkMoney } from '../../src/loadtest/report/verdict.ts';
import { runWave, type WaveOptions } from '../../src/loadtest/wave.ts';
import { tokenFor } from '../support/client.ts';
import { claimLog } from '../support/operatorContext.ts';
import { openGateway } from '../support/servers/gateway.ts';
import { openRedis, stockRain } from '../support/rain.ts';

const SEED = '71c7'.repeat(16);
const { server, redis } = await openRedis();
const rules: ChallengeRules = {
  tickets: 'always',
  proofOfWork: 'always',
  secret: 'a-ticket-secret-for-tests-0123456789',
  proofOfWorkTries: 20,
};
// Cheaters are to go on for as long as they like: what stops them here is to be the ticket alone.
const limits = { offencesMax: 1_000_000, errorsPerSocketMax: 1_000_000 };
const [strict, free] = [
  await openGateway(server.url, { challenges: rules, limits }),
  await openGateway(server.url, { challenges: { ...rules, proofOfWork: 'off' }, limits }),
];
afterAll(() => Promise.all([strict.close(), free.close()]));

const amounts = (count: number) => Array.from({ length: count }, () => '0.25');
const wave = (options: Partial<WaveOptions> & { rainId: string }) =>
  runWave({
    url: strict.url,
    users: 40,
    tokenFor,
    seed: SEED,
    connectsPerSecond: 200,
    reactionMs: { min: 0, max: 500 },
    ...options,
  });
const ends = (report: SwarmReport) => Object.fromEntries(report.outcomes.map(({ name, count }) => [name, count]));
const heardBy = ({ cheaters }: SwarmReport) =>
  Object.fromEntries(cheaters!.heard.map(({ name, count }) => [name, count]));

// Cheaters cheat for seconds: side by side, each in a rain and with users of its own.
test.concurrent('with proof of work, users that solve it win, and cheaters that do not get nothing by any trick', async () => {
  const shares = { flaky: 0, slow: 0, cheaters: 0.2 };
  const users = 50;
  await stockRain(redis, { rainId: 'worked', amounts: amounts(40), opensInMs: 3_000 });
  const report = await wave({ rainId: 'worked', users, shares });
  expect(ends(report)).toEqual({ won: 40 });
  expect(report.challenges).toBeGreaterThanOrEqual(40);
  const honest = behavioursOf(shares, users, SEED).flatMap((behaviour, i) =>
    behaviour === 'cheater' ? [] : [`bot-${i}`],
  );
  expect((await claimLog({ redis }, 'worked')).map(({ userId }) => userId).sort()).toEqual(honest.sort());
  expect(report.cheaters).toMatchObject({ users: 10, winners: 0, unheard: 0 });
  const heard = heardBy(report);
  for (const trick of ['no ticket', 'forged ticket', "another's ticket"])
    expect(heard[`answer no_ticket to ${trick}`], trick).toBeGreaterThan(0);
  expect(heard['answer won']).toBeUndefined();
  expect(checkMoney(report)).toMatchObject({ balanced: true });
  expect(renderReport(report)).toMatch(/challenges were solved/);
}, 60_000);

test.concurrent('[R1] a cheater with an own ticket wins like any user: one packet for two grabs at once, and nothing by any trick', async () => {
  await stockRain(redis, { rainId: 'free', amounts: amounts(60), opensInMs: 2_000 });
  const report = await wave({
    rainId: 'free',
    url: free.url,
    userId: (i) => `free-${i}`,
    users: 50,
    shares: { flaky: 0, slow: 0, cheaters: 0.2 },
  });
  expect(ends(report)).toEqual({ won: 40 });
  const heard = heardBy(report);
  for (const trick of TRICK_NAMES.slice(0, -1))
    for (const win of ['won', 'already_claimed']) expect(heard[`answer ${win} to ${trick}`], trick).toBeUndefined();
  expect(heard['answer won to own ticket twice']).toBeGreaterThan(0);
  expect(report.cheaters).toMatchObject({ users: 10, wonTwice: 0, unheard: 0 });
  expect(report.winners).toBe((await claimLog({ redis }, 'free')).length);
  expect(checkMoney(report)).toMatchObject({ balanced: true });
}, 60_000);

test.concurrent('[R6] users whose lines break again and again keep their tickets, and all learn their result', async () => {
  // A line lasts 0.2 to 5 s: three seconds before the opening break far more than the ten asked for, however fast the
  // answers are.
  await stockRain(redis, { rainId: 'flaky', amounts: amounts(15), opensInMs: 3_000 });
  const report = await wave({
    rainId: 'flaky',
    userId: (i) => `flaky-${i}`,
    users: 30,
    shares: { flaky: 1, slow: 0, cheaters: 0 },
    reactionMs: { min: 0, max: 1_000 },
  });
  const { won = 0, already_claimed: again = 0, ...others } = ends(report);
  expect([won + again, others]).toEqual([15, { nothing_left: 15 }]);
  expect(report.lostLines).toBeGreaterThan(10);
  expect(report.misunderstood).toBe(0);
}, 60_000);

test('a user after the end receives "ended" without a ticket', async () => {
  await stockRain(redis, { rainId: 'past', amounts: amounts(5), opensInMs: -2_000, closesInMs: -1_000 });
  expect(ends(await wave({ rainId: 'past', users: 5 }))).toEqual({ ended: 5 });
});
