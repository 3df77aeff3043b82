import { solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Challenge } from '../../src/client/client.ts';
import type { Gateway } from '../../src/gateway/server.ts';
import type { ChallengeRules } from '../../src/gateway/challenge/challenges.ts';
import type { ChallengeSolution } from '../../src/protocol/proofOfWork.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/freePort.ts';
import { openGateway } from '../support/servers/gateway.ts';
import { testClient } from '../support/rainClient.ts';
import { openRedis, stockRain } from '../support/rain.ts';

const RULES: ChallengeRules = {
  tickets: 'always',
  proofOfWork: 'always',
  secret: 'a-ticket-secret-for-tests-0123456789',
  proofOfWorkTries: 20,
};

/** As a page does it in its worker. */
function solver(): { solved: number; solve: (challenge: Challenge) => Promise<ChallengeSolution | undefined> } {
  const worker = {
    solved: 0,
    async solve(challenge: Challenge) {
      worker.solved++;
      const solution = await solveChallenge({ challenge, deriveKey });
      return solution ? { counter: solution.counter, derivedKey: solution.derivedKey } : undefined;
    },
  };
  return worker;
}

describe('where a grab needs a ticket, and the ticket a challenge', async () => {
  const { server, redis } = await openRedis();
  let strict: Gateway;
  beforeAll(async () => {
    strict = await openGateway(server.url, { challenges: RULES });
  });
  afterAll(() => strict.close());

  test('solves, and wins', async () => {
    await stockRain(redis, { rainId: 'strict', amounts: ['5.00'], opensInMs: -10_000 });
    const worker = solver();
    const ann = await testClient(strict.url, 'ann', { solve: worker.solve });
    await ann.connect();
    // Before the ticket is there: the tap is kept.
    const outcome = ann.grab('strict');
    expect(await outcome).toEqual({ kind: 'won', redPacketId: 'strict-0', amount: '5.00' });
    expect(worker.solved).toBe(1);
  });

  test('reports a missing solver', async () => {
    await stockRain(redis, { rainId: 'unsolved', amounts: ['5.00'] });
    const ann = await testClient(strict.url, 'ann');
    await ann.connect();
    await ann.join('unsolved');
    await eventually(() => ann.heard('error').length > 0);
    expect(ann.heard('error')[0]).toMatchObject({ code: 'no_solver' });
  });

  test.each([
    ['keeps its ticket', RULES.secret, 1],
    ['whose ticket is taken for none gets another by itself', 'another-ticket-secret-0123456789-012', 2],
  ])('a client that has to come back %s, and wins', async (_what, secret, solutions) => {
    const rainId = `back-${solutions}`;
    await stockRain(redis, { rainId, amounts: ['3.00'], opensInMs: -10_000 });
    let gateway = await openGateway(server.url, { port: await freePort(), challenges: RULES });
    onTestFinished(() => gateway.close());
    const worker = solver();
    const ann = await testClient(gateway.url, 'ann', { solve: worker.solve });
    await ann.connect();
    await ann.join(rainId);
    // It is on its way before the line is closed.
    await eventually(() => expect(gateway.counters.issued.ticket).toBe(1));
    await gateway.close();
    await eventually(() => expect(ann.link).not.toBe('up'));
    gateway = await openGateway(server.url, { port: gateway.port, challenges: { ...RULES, secret } });
    expect(await ann.grab(rainId)).toMatchObject({ kind: 'won', amount: '3.00' });
    expect(worker.solved).toBe(solutions);
    expect(gateway.counters.answers['-9']).toBe(solutions - 1);
  });
});
