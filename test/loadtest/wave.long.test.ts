import { afterAll, describe, expect, test } from 'vitest';
import { createAnnouncer } from '../../src/relay/announce.ts';
import { pause, resume } from '../../src/store/transitions.ts';
import type { SwarmReport } from '../../src/loadtest/report/report.ts';
import { checkMoney } from '../../src/loadtest/report/verdict.ts';
import { runWave, type WaveOptions } from '../../src/loadtest/wave.ts';
import { tokenFor } from '../support/client.ts';
import { claimLog } from '../support/operatorContext.ts';
import { eventually } from '../support/eventually.ts';
import { openGateway } from '../support/servers/gateway.ts';
import { openRedis, stockRain } from '../support/rain.ts';
import { signer } from '../support/signer.ts';

const SEED = '5eed'.repeat(16);

const { server, redis } = await openRedis();
const gateway = await openGateway(server.url);
afterAll(() => gateway.close());

const amounts = (count: number) => Array.from({ length: count }, (_, i) => `${i + 1}.05`);
const claims = (rainId: string) => claimLog({ redis }, rainId);
const sum = (of: readonly { amount: string }[]) =>
  (of.reduce((cents, { amount }) => cents + Math.round(Number(amount) * 100), 0) / 100).toFixed(2);
const wave = (options: Partial<WaveOptions> & { rainId: string }) =>
  runWave({
    url: gateway.url,
    users: 60,
    tokenFor,
    seed: SEED,
    connectsPerSecond: 2_000,
    reactionMs: { min: 0, max: 200 },
    ...options,
  });
const outcomes = (report: SwarmReport) => Object.fromEntries(report.outcomes.map(({ name, count }) => [name, count]));
const answers = (report: SwarmReport) => Object.fromEntries(report.answers.map(({ code, count }) => [code, count]));

describe('a wave of bots', () => {
  test('[R1, R2] waits for the rain, grabs, and every winner has a different packet', async () => {
    await stockRain(redis, { rainId: 'storm', amounts: amounts(20), opensInMs: 700 });
    const report = await wave({ rainId: 'storm', reactionMs: { min: 50, max: 250 } });
    expect(outcomes(report)).toEqual({ won: 20, nothing_left: 40 });
    // Nobody asked before it opened: the bots know the server's clock.
    expect(answers(report)).toEqual({ '0': 20, '-1': 40 });
    const log = await claims('storm');
    expect(log.map(({ userId }) => userId)).toSatisfy(
      (users: string[]) => new Set(users).size === 20 && users.every((user) => /^bot-\d+$/.test(user)),
    );
    expect(report).toMatchObject({
      winners: 20,
      told: sum(log),
      faults: 0,
      dials: 60,
      failedDials: 0,
      lostLines: 0,
      misunderstood: 0,
    });
    expect(report.latencyMs.ask.count).toBe(60);
    expect(report.latencyMs.tap.count).toBe(60);
    expect(report.latencyMs.ask.p50).toBeGreaterThan(0);
    expect(report.clockErrorMs).toBeLessThan(100);
    expect(checkMoney(report)).toMatchObject({ balanced: true });
    await eventually(() => gateway.sockets() === 0);
  });

  test('[R6] a second wave of the same users learns of the same packets', async () => {
    await stockRain(redis, { rainId: 'twice', amounts: amounts(10) });
    const first = await wave({ rainId: 'twice', users: 15 });
    const second = await wave({ rainId: 'twice', users: 15 });
    expect(outcomes(first)).toEqual({ won: 10, nothing_left: 5 });
    expect(outcomes(second)).toEqual({ already_claimed: 10, nothing_left: 5 });
    expect(second.told).toBe(first.told);
    expect(await claims('twice')).toHaveLength(10);
  });

  test('winners wait for their credit', async () => {
    await stockRain(redis, { rainId: 'paid', amounts: amounts(5) });
    const finished = wave({ rainId: 'paid', users: 8, creditWaitMs: 30_000 });
    const log = await eventually(async () => {
      const found = await claims('paid');
      return found.length === 5 && found;
    });
    // As the credit worker does, once the claims are in the book.
    await createAnnouncer({ redis, signer })('paid', 0, log);
    const report = await finished;
    expect(report).toMatchObject({ winners: 5, credited: 5, told: sum(log) });
    // They left when they heard it, not when they had waited long enough.
    expect(report.durationMs).toBeLessThan(20_000);
  });

  test('a winner without a credit in time leaves with the packet', async () => {
    await stockRain(redis, { rainId: 'unpaid', amounts: amounts(2) });
    const report = await wave({ rainId: 'unpaid', users: 3, creditWaitMs: 100 });
    expect(outcomes(report)).toEqual({ won: 2, nothing_left: 1 });
    expect(report.credited).toBe(0);
  });

  test('[R7] no user grabs while the rain is paused, and all do when it resumes', async () => {
    await stockRain(redis, { rainId: 'held', amounts: amounts(4) });
    expect(await pause(redis, 'held', 1)).toBe('paused');
    let connected = 0;
    const finished = wave({
      rainId: 'held',
      users: 6,
      onProgress: (progress) => {
        connected = progress.connected;
      },
    });
    await eventually(() => connected === 6);
    expect(await claims('held')).toEqual([]);
    expect(await resume(redis, 'held', 1)).toBe('loaded');
    const report = await finished;
    expect(outcomes(report)).toEqual({ won: 4, nothing_left: 2 });
    expect(answers(report)).toEqual({ '0': 4, '-1': 2 });
  });

  test('[R7] a user after the end receives "ended"', async () => {
    await stockRain(redis, { rainId: 'over', amounts: amounts(4), opensInMs: -2_000, closesInMs: -1_000 });
    expect(outcomes(await wave({ rainId: 'over', users: 6 }))).toEqual({ ended: 6 });
    expect(await claims('over')).toEqual([]);
  });

  test('a rain that does not exist has no winners', async () => {
    const report = await wave({ rainId: 'nowhere', users: 6 });
    expect(outcomes(report)).toEqual({ no_such_rain: 6 });
    expect(checkMoney(report)).toEqual({
      balanced: true,
      sentence: 'The money adds up: no simulated user won (6 no_such_rain).',
    });
  });

  test('after "too fast" or "busy" a user retries with a pause until there is a final answer', async () => {
    // Ping and join are two messages: a grab in the same second is one too many. And one grab at a time is all that may
    // wait.
    const narrow = await openGateway(server.url, { limits: { messagesPerSecondMax: 2, grabsPendingMax: 1 } });
    try {
      await stockRain(redis, { rainId: 'narrow', amounts: amounts(10) });
      const report = await wave({ rainId: 'narrow', url: narrow.url, users: 30, reactionMs: { min: 0, max: 0 } });
      expect(outcomes(report)).toEqual({ won: 10, nothing_left: 20 });
      expect((answers(report)['-5'] ?? 0) + (answers(report)['-7'] ?? 0)).toBeGreaterThan(0);
      // Waiting out the pauses is part of what the user felt.
      expect(report.latencyMs.tap.max).toBeGreaterThan(report.latencyMs.ask.max);
    } finally {
      await narrow.close();
    }
  });

  test('[R10] no more dials than allowed in a second', async () => {
    await stockRain(redis, { rainId: 'slowly', amounts: amounts(1) });
    const report = await wave({ rainId: 'slowly', users: 20, connectsPerSecond: 20, reactionMs: { min: 0, max: 0 } });
    expect(report.durationMs).toBeGreaterThan(800);
  });

  test('the same seed gives the same users the same reaction', async () => {
    // This one keeps five users more than 200 ms apart, so that a busy machine does not change their order.
    const seed = '4bda'.repeat(16);
    await stockRain(redis, { rainId: 'seeded', amounts: amounts(30), opensInMs: 600 });
    await stockRain(redis, { rainId: 'seeded-too', amounts: amounts(30), opensInMs: 600 });
    const order = async (rainId: string) => {
      await wave({ rainId, users: 5, seed, reactionMs: { min: 0, max: 1_000 } });
      return (await claims(rainId)).map(({ userId }) => userId);
    };
    const expected = ['bot-3', 'bot-1', 'bot-0', 'bot-4', 'bot-2'];
    expect(await order('seeded')).toEqual(expected);
    expect(await order('seeded-too')).toEqual(expected);
  });
});

describe('a wave that cannot', () => {
  test('[R9] connect for want of a good token says so', async () => {
    const report = await wave({ rainId: 'storm', users: 4, tokenFor: async () => 'not.a.token' });
    expect(outcomes(report)).toEqual({ refused_401: 4 });
    expect(report.dials).toBe(4);
  });

  test('get tokens at all ends with that fault and leaves no socket', async () => {
    const fault = new Error('the signer is away');
    await stockRain(redis, { rainId: 'unsigned', amounts: amounts(1), opensInMs: 60_000, closesInMs: 90_000 });
    await expect(
      wave({
        rainId: 'unsigned',
        users: 30,
        tokenFor: (userId) => (userId === 'bot-20' ? Promise.reject(fault) : tokenFor(userId)),
      }),
    ).rejects.toBe(fault);
    await eventually(() => gateway.sockets() === 0);
  });

  test('reach the gateway gives up after its patience [R10]', async () => {
    const closed = await openGateway(server.url);
    await closed.close();
    const report = await wave({
      rainId: 'storm',
      url: closed.url,
      users: 3,
      retryPolicy: { dialsMax: 3, backoffMsMin: 5, backoffMsMax: 20 },
    });
    expect(outcomes(report)).toEqual({ [`gave_up: connect ECONNREFUSED 127.0.0.1:${closed.port}`]: 3 });
    expect(report).toMatchObject({ dials: 9, failedDials: 9, lostLines: 0 });
  });

  test.each<[string, Partial<WaveOptions>]>([
    ['users', { users: 0 }],
    ['users', { users: 50_001 }],
    ['reactionMs.max', { reactionMs: { min: 10, max: 9 } }],
    ['connects per second', { connectsPerSecond: 0 }],
    ['ws://', { url: 'http://127.0.0.1:1' }],
  ])('[R12] start because of %s is refused at once', async (what, options) => {
    await expect(wave({ rainId: 'storm', ...options })).rejects.toThrow(what);
  });
});

describe('an aborted wave', () => {
  test('reports what it saw and leaves no socket behind', async () => {
    await stockRain(redis, { rainId: 'later', amounts: amounts(3), opensInMs: 60_000, closesInMs: 90_000 });
    const stop = new AbortController();
    const finished = wave({
      rainId: 'later',
      users: 10,
      signal: stop.signal,
      onProgress: ({ connected }) => {
        if (connected === 10) stop.abort();
      },
    });
    const report = await finished;
    expect(outcomes(report)).toEqual({ aborted: 10 });
    await eventually(() => gateway.sockets() === 0);
  });

  test('before it began connects nobody', async () => {
    const report = await wave({ rainId: 'later', users: 10, signal: AbortSignal.abort() });
    expect(outcomes(report)).toEqual({ aborted: 10 });
    expect(report.dials).toBe(0);
  });
});
