import { solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Challenge } from '../../src/client/client.ts';
import type { Gateway } from '../../src/gateway/server.ts';
import { eventually } from '../support/eventually.ts';
import { openGateway } from '../support/gateway.ts';
import { guest } from '../support/guest.ts';
import { openRedis, stockRain } from '../support/rain.ts';

describe('where a grab needs a ticket, the ticket a puzzle, and a tap a packet', async () => {
  const { server, redis } = await openRedis();
  let strict: Gateway;
  beforeAll(async () => {
    strict = await openGateway(server.url, { wicket: { tickets: 'always', puzzles: 'always', taps: true, secret: 'a-ticket-secret-for-tests-0123456789', puzzleTries: 20 } });
  });
  afterAll(() => strict.close());

  test('solves, taps what falls there, and wins', async () => {
    await stockRain(redis, { rainId: 'strict', amounts: ['5.00'], opensInMs: -10_000 });
    let puzzles = 0;
    const solve = async (challenge: Challenge) => {
      puzzles++;
      const solved = await solveChallenge({ challenge, deriveKey });
      return solved ? { counter: solved.counter, derivedKey: solved.derivedKey } : undefined;
    };
    const ann = await guest(strict.url, 'ann', { solve });
    await ann.connect();
    // Before the ticket is there: the tap is kept.
    const outcome = ann.grab('strict');
    expect(await outcome).toEqual({ kind: 'won', redPacketId: 'strict-0', amount: '5.00' });
    expect(ann.fall('strict')).toMatchObject({ seed: expect.any(Number) as number });
    expect(puzzles).toBe(1);
    expect(strict.tally.refused).toMatchObject({ packets: 0, taps: 0 });
  });

  test('says so when nobody was given who can solve', async () => {
    await stockRain(redis, { rainId: 'unsolved', amounts: ['5.00'] });
    const ann = await guest(strict.url, 'ann');
    await ann.connect();
    await ann.join('unsolved');
    await eventually(() => ann.heard('error').length > 0);
    expect(ann.heard('error')[0]).toMatchObject({ code: 'no_solver' });
  });
});
