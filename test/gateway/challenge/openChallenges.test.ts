import { expect, test } from 'vitest';
import { OpenChallenges } from '../../../src/gateway/challenge/openChallenges.ts';
import { ProofOfWork } from '../../../src/gateway/challenge/proofOfWork.ts';
import { LIMITS, type Limits } from '../../../src/gateway/limits.ts';
import { createGatewayCounters } from '../../../src/gateway/telemetry/counters.ts';
import { TICKETED } from '../sockets/upgradeServers.ts';

function stage(given: Partial<Limits> = {}) {
  const limits = { ...LIMITS, ...given };
  const clock = { now: 1_900_000_000_000 };
  const now = () => clock.now;
  const counters = createGatewayCounters();
  const proofOfWork = new ProofOfWork({
    secret: TICKETED.secret,
    tries: TICKETED.proofOfWorkTries,
    challengeMs: limits.challengeMs,
    now,
  });
  const open = new OpenChallenges({
    limits,
    counters,
    now,
    create: (userId, name) => proofOfWork.create(userId, name),
  });
  const ask = (userId: string, { address = 'home', name = 'r1', from = 0 } = {}) =>
    open.of({ userId, name, address, from });
  /** How many of so many users are given a challenge, all at once. */
  const crowd = (address: string, users: number) =>
    Array.from({ length: users }, (_, n) => ask(`${address}-${n}`, { address })).filter(
      (challenge) => challenge !== undefined,
    ).length;
  return { clock, counters, open, ask, crowd };
}

test('[R10] a user has one challenge of a rain, from any address, until half of its time is over', async () => {
  const { clock, counters, ask } = stage();
  const first = ask('ann');
  for (let n = 0; n < 1_000; n++) expect(ask('ann', { address: `address-${n}` })).toBe(first);
  expect(counters.issued.challenge).toBe(1);
  const all = await Promise.all([first, ask('bob'), ask('ann', { name: 'r2' })]);
  expect(new Set(all.map((challenge) => challenge!.signature)).size).toBe(3);
  clock.now += LIMITS.challengeMs / 2;
  expect(ask('ann')).not.toBe(first);
  expect(counters.issued.challenge).toBe(4);
});

test('a challenge from before the moment at which the first are issued is replaced', () => {
  const { clock, ask } = stage();
  const early = ask('ann');
  expect(ask('ann', { from: clock.now })).toBe(early);
  expect(ask('ann', { from: clock.now + 1 })).not.toBe(early);
});

test('one address leaves half of the challenges to the others; what these do not take it has, too', () => {
  const { counters, crowd } = stage({ challengesPerSecondMax: 40 });
  // A second adds 40: a few may come while this runs.
  const farm = crowd('farm', 200);
  expect(farm).toBeGreaterThanOrEqual(20);
  expect(farm).toBeLessThan(30);
  expect(crowd('home', 10)).toBe(10);
  expect(counters.refused.challenges).toBe(200 - farm);
});

test('[R10] the challenges that are kept are bounded, and forgotten when they are not handed out again', () => {
  const { clock, open, crowd } = stage({ challengesRememberedMax: 10 });
  crowd('office', 30);
  expect(open.size).toBe(10);
  clock.now += LIMITS.challengeMs / 2;
  open.forget();
  expect(open.size).toBe(0);
});
