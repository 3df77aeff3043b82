import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Gateway } from '../../src/gateway/server.ts';
import { EVENTS_CHANNEL, shardKeys } from '../../src/store/keys.ts';
import { close, reschedule, settle } from '../../src/store/transitions.ts';
import { redisNow } from '../../src/store/rains.ts';
import { runWave } from '../../src/loadtest/wave.ts';
import { dial, tokenFor, type Client } from '../support/client.ts';
import { openGateway } from '../support/servers/gateway.ts';
import { testClient } from '../support/rainClient.ts';
import { openRedis, stockRain } from '../support/rain.ts';
import { scriptedGateway, welcomeOf } from '../support/servers/scriptedGateway.ts';
import { creditedEvent } from '../support/signer.ts';
import type { Frame } from './recording.ts';

/**
 * The messages of a client and a gateway of November 2026. Never recorded again: later versions must understand them.
 */
const recorded = readFileSync(new URL('recorded/2026-11.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Frame);

const RAIN = 'spring';
const COMMITMENT = '0123456789abcdef'.repeat(4);

describe('an old client at the current gateway', async () => {
  const { server, redis } = await openRedis();
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await openGateway(server.url);
  });
  afterAll(() => gateway.close());

  test('is answered as recorded: the same codes in the same order, and no field is missing', async () => {
    await stockRain(redis, { rainId: RAIN, title: 'Spring', amounts: ['12.21'], opensInMs: 60_000 });
    await redis.hset(shardKeys(RAIN, 0).state, 'commitment', COMMITMENT);
    const clients = new Map<string, Client>();
    let opened = false;
    onTestFinished(async () => {
      await Promise.all([...clients.values()].map((client) => client.leave()));
    });
    for (const { user, way, message } of recorded) {
      if (!clients.has(user)) clients.set(user, await dial(gateway.url, user));
      const client = clients.get(user)!;
      if (way === 'to server') {
        client.say(message);
        continue;
      }
      // It depends on timing whether the close of a rain is seen before its settlement.
      if (message['state'] === 'closed') continue;
      if (message['state'] === 'settled') await settleRain();
      if (message['state'] === 'open' && !opened) opened = await openRain();
      if (message.type === 'credited')
        await redis.publish(
          EVENTS_CHANNEL,
          creditedEvent(RAIN, [{ userId: user, redPacketId: 'spring-0', amount: '12.21' }]),
        );
      if (message.type === 'goodbye') void gateway.close();
      const heard =
        message.type === 'rain'
          ? await rainIn(client, message['state'])
          : ((await client.next(message.type as 'welcome')) as unknown as Frame['message']);
      expect(Object.keys(heard), JSON.stringify(heard)).toEqual(expect.arrayContaining(Object.keys(message)));
      for (const field of ['code', 'reason', 'ref', 'redPacketId', 'amount', 'state'] as const) {
        // The wording of an error for the developer may change.
        if (field in message && !(message.type === 'error' && field === 'reason'))
          expect(heard[field], JSON.stringify(heard)).toEqual(message[field]);
      }
    }
  });

  test('that names the tapped packet, as older clients did, is answered like any other, in every notation', async () => {
    const challenges = {
      tickets: 'always',
      proofOfWork: 'off',
      secret: 'a-ticket-secret-for-tests-0123456789',
      proofOfWorkTries: 20,
    } as const;
    const ticketed = await openGateway(server.url, { challenges });
    onTestFinished(() => ticketed.close());
    await stockRain(redis, { rainId: 'tapped', amounts: ['7.10'] });
    const ann = await dial(ticketed.url, 'ann');
    ann.say({ type: 'join', rainId: 'tapped' });
    const { ticket } = await ann.next('ticket');
    ann.say({ type: 'grab', rainId: 'tapped', ref: 'tap-1', ticket, packet: 12_345 });
    expect(await ann.next('result')).toMatchObject({ ref: 'tap-1', code: '0', amount: '7.10' });
    ann.say({ packet: 7, ticket, ref: 'tap-2', rainId: 'tapped', type: 'grab' });
    expect(await ann.next('result')).toMatchObject({ ref: 'tap-2', code: '1', amount: '7.10' });
    await ann.leave();
  });

  /** The number of snapshots depends on timing; their final content does not. */
  async function rainIn(client: Client, state: unknown): Promise<Frame['message']> {
    for (;;) {
      const rain = (await client.next('rain')) as unknown as Frame['message'];
      if (rain['state'] === state) return rain;
    }
  }

  /** Waits until all earlier messages have been repeated. */
  async function openRain(): Promise<boolean> {
    const now = await redisNow(redis);
    return (await reschedule(redis, RAIN, 1, { opensAt: now + 200, closesAt: now + 600_000 })) === 'moved';
  }

  async function settleRain(): Promise<void> {
    await close(redis, RAIN, 1, 'early');
    await settle(
      redis,
      RAIN,
      { shards: 1, title: 'Spring' },
      { ttlMs: 60_000, reveal: { seed: 'ab'.repeat(32), plan: { budget: '12.21', packets: 1 } } },
    );
    await redis.publish(EVENTS_CHANNEL, JSON.stringify({ type: 'changed', rainId: RAIN }));
  }
});

describe('a rain settled by a newer version', async () => {
  const { server, redis } = await openRedis();

  test('is sent whole by a gateway that does not understand it: the plan, and all fields beside the commitment of a top-up', async () => {
    const plan = {
      budget: '1.00',
      packets: 1,
      recipe: 'red-packet-rain/v9',
      split: { method: 'by-the-moon', phase: 3 },
    };
    const topUp = { commitment: COMMITMENT, packets: 1, seed: 'cd'.repeat(32), plan, sponsor: 'the moon' };
    await stockRain(redis, { rainId: RAIN, amounts: ['1.00'] });
    await redis.hset(shardKeys(RAIN, 0).state, {
      state: 'settled',
      commitment: COMMITMENT,
      seed: 'ab'.repeat(32),
      plan: JSON.stringify(plan),
      topUps: JSON.stringify([topUp]),
    });
    const gateway = await openGateway(server.url);
    onTestFinished(() => gateway.close());
    const ann = await dial(gateway.url, 'ann');
    ann.say({ type: 'join', rainId: RAIN });
    expect(await ann.next('rain')).toMatchObject({ state: 'settled', seed: 'ab'.repeat(32), plan, topUps: [topUp] });
    await ann.leave();
  });
});

describe('a newer gateway', () => {
  const snapshot = {
    type: 'rain',
    rainId: RAIN,
    title: 'Spring',
    state: 'open',
    opensAt: 1_000,
    closesAt: 9_000_000_000_000,
    packets: 1,
    left: 1,
    weather: 'fine',
  };

  /** Sends messages that no version sends today, and delays a grab by an unknown code before it answers. */
  const newer = (answers: readonly Record<string, unknown>[]) => {
    const left = [...answers];
    return scriptedGateway(
      ({ request, say }) => {
        say(JSON.stringify({ type: 'forecast', rains: 3 }));
        say(JSON.stringify({ ...welcomeOf(request.headers['user-agent'] ?? 'ann'), features: ['forecast'] }));
      },
      (message, { say }) => {
        if (message.type === 'join') say(JSON.stringify({ ...snapshot, serverTime: Date.now() }));
        if (message.type !== 'grab') return;
        say(JSON.stringify({ type: 'result', rainId: message.rainId, ref: message.ref, ...left.shift() }));
      },
    );
  };
  const QUEUED = { code: '-99', reason: 'queued', retryInMs: 20, place: 7 };
  const WON = { code: '0', reason: 'won', redPacketId: 'spring-0', amount: '12.21' };

  test('is obeyed by the current client: it retries after the delay of an unknown code', async () => {
    const gateway = await newer([QUEUED, QUEUED, WON]);
    const ann = await testClient(gateway.url, 'ann');
    await ann.connect();
    expect(await ann.join(RAIN)).toMatchObject({ kind: 'joined' });
    expect(await ann.grab(RAIN)).toEqual({ kind: 'won', redPacketId: 'spring-0', amount: '12.21' });
    expect(gateway.heard.filter(({ type }) => type === 'grab')).toHaveLength(3);
  });

  test('is believed: a packet is won whatever the code, and an unknown code without packet and delay ends the grab with its own reason', async () => {
    const gateway = await newer([
      { code: '7', reason: 'won_twice', redPacketId: 'spring-0', amount: '12.21', retryInMs: 5 },
    ]);
    const ann = await testClient(gateway.url, 'ann');
    await ann.connect();
    expect(await ann.grab(RAIN)).toMatchObject({ kind: 'won', amount: '12.21' });
    const other = await newer([{ code: '-98', reason: 'too_windy' }]);
    const bob = await testClient(other.url, 'bob');
    await bob.connect();
    expect(await bob.grab(RAIN)).toEqual({ kind: 'unknown', code: '-98', reason: 'too_windy' });
    expect(other.heard.filter(({ type }) => type === 'grab')).toHaveLength(1);
  });

  test('is understood by simulated users: they wait as told, and count unknown codes by number', async () => {
    const gateway = await newer([QUEUED, { code: '-98', reason: 'too_windy' }]);
    const report = await runWave({
      url: gateway.url,
      rainId: RAIN,
      users: 1,
      tokenFor,
      seed: '7a0b'.repeat(16),
      reactionMs: { min: 0, max: 0 },
    });
    expect(report.outcomes).toEqual([{ name: 'code_-98', count: 1 }]);
    expect(report.answers.map(({ code, reason }) => [code, reason])).toEqual(
      expect.arrayContaining([
        ['-99', 'code_-99'],
        ['-98', 'code_-98'],
      ]),
    );
    expect(report.lostLines).toBe(0);
  });
});
