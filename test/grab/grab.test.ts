import { beforeEach, describe, expect, test } from 'vitest';
import { createGrabEngine, type GrabEngine } from '../../src/grab/engine.ts';
import { shardKeys } from '../../src/store/keys.ts';
import { close, pause, resume } from '../../src/store/transitions.ts';
import { SCRIPTS } from '../../src/store/scripts.ts';
import { parseClaim } from '../../src/rain/claim.ts';
import { dump, openRedis, stockRain } from '../support/rain.ts';
import { genuine } from '../support/signer.ts';

const { redis } = await openRedis();
const keys = shardKeys('r1', 0);
let engine: GrabEngine;
let faults: unknown[];

beforeEach(async () => {
  await redis.flushall();
  faults = [];
  engine = createGrabEngine(redis, (error) => faults.push(error));
});

const grab = (...users: string[]) => engine.grab('r1', 0, users);

describe('lua/grab.lua', () => {
  test('a batch is answered in order: won, the same user again, nothing left', async () => {
    await stockRain(redis, { rainId: 'r1', amounts: ['7.10', '0.01'] });
    expect(await grab('ann', 'ann', 'bob', 'eve')).toEqual([
      genuine('0', 'r1', 'r1-0', '7.10'),
      genuine('1', 'r1', 'r1-0', '7.10'),
      genuine('0', 'r1', 'r1-1', '0.01'),
      { code: '-1' },
    ]);
    const log = (await redis.lrange(keys.claims, 0, -1)).map((entry) => parseClaim(entry));
    expect(log.map((entry) => entry.ok && [entry.claim.userId, entry.claim.redPacketId, entry.claim.rainId])).toEqual([
      ['bob', 'r1-1', 'r1'],
      ['ann', 'r1-0', 'r1'],
    ]);
    expect(await redis.hget(keys.claimed, 'ann')).toBe(await redis.lindex(keys.claims, -1));
    expect(await redis.exists(keys.packets)).toBe(0);
  });

  test('[R6] a repeated grab gets the first answer, with the amount, also when the rain is paused, over or empty', async () => {
    await stockRain(redis, { rainId: 'r1', amounts: ['3.00'] });
    await grab('ann');
    const again = genuine('1', 'r1', 'r1-0', '3.00');
    expect(await grab('ann')).toEqual([again]);
    await pause(redis, 'r1', 1);
    expect(await grab('ann')).toEqual([again]);
    await close(redis, 'r1', 1, 'early');
    expect(await grab('ann')).toEqual([again]);
    expect(await redis.llen(keys.claims)).toBe(1);
  });

  test("[R14] an entry of another user's win under one's own name is no win, and a changed rainId in the state names no other rain", async () => {
    await stockRain(redis, { rainId: 'r1', amounts: ['3.00', '4.00'] });
    await grab('ann');
    await redis.hset(keys.claimed, 'mallory', (await redis.hget(keys.claimed, 'ann'))!);
    expect(await grab('mallory', 'ann')).toEqual([{ code: '-7' }, genuine('1', 'r1', 'r1-0', '3.00')]);
    await redis.hset(keys.state, 'rainId', 'r2');
    expect(await grab('bob')).toEqual([genuine('0', 'r1', 'r1-1', '4.00')]);
    expect(parseClaim((await redis.lindex(keys.claims, 0))!)).toMatchObject({
      claim: { userId: 'bob', rainId: 'r1', redPacketId: 'r1-1' },
    });
  });

  test('a packet\'s signature stands in claim and answer, "" where there is none: the gateway decides about it', async () => {
    await stockRain(redis, { rainId: 'r1', amounts: ['3.00'] });
    await redis.rpush(
      keys.packets,
      '{"redPacketId":"made-up","amount":"50.00","mac":"abc_-9"}',
      '{"redPacketId":"r1-7","amount":"0.01"}',
    );
    const unsigned = { redPacketId: 'r1-7', amount: '0.01', mac: '' };
    const forged = { redPacketId: 'made-up', amount: '50.00', mac: 'abc_-9' };
    expect(await grab('ann', 'bob', 'ann')).toEqual([
      { code: '0', ...unsigned },
      { code: '0', ...forged },
      { code: '1', ...unsigned },
    ]);
    expect(await grab('bob')).toEqual([{ code: '1', ...forged }]);
    expect(parseClaim((await redis.lindex(keys.claims, 0))!)).toEqual({
      ok: true,
      claim: { rainId: 'r1', userId: 'bob', at: expect.any(String) as string, ...forged },
    });
  });

  test('a held rain is busy for all but earlier winners, in whatever state it is, and hands out nothing', async () => {
    await stockRain(redis, { rainId: 'r1', amounts: ['3.00', '4.00'] });
    await grab('ann');
    await redis.hset(keys.state, 'held', 'the ledger is older than Redis');
    const before = await dump(redis);
    expect(await grab('ann', 'bob')).toEqual([genuine('1', 'r1', 'r1-0', '3.00'), { code: '-7' }]);
    expect(await dump(redis)).toEqual(before);
    await close(redis, 'r1', 1, 'early');
    expect(await grab('bob')).toEqual([{ code: '-7' }]);
    await redis.del(keys.state);
    expect(await grab('bob')).toEqual([{ code: '-8' }]);
    await stockRain(redis, { rainId: 'r2', amounts: ['3.00'] });
    await redis.hset(shardKeys('r2', 0).state, 'held', '');
    expect(await engine.grab('r2', 0, ['bob'])).toEqual([genuine('0', 'r2', 'r2-0', '3.00')]);
  });

  test('[R7][R11] one millisecond before the start, after the end, and while paused: refused, and Redis holds nothing new', async () => {
    await stockRain(redis, { rainId: 'r1', amounts: ['1.00', '2.00'] });
    // The script reads Redis's clock, which a test cannot set. So the window is moved to one millisecond away from now.
    const moveWindow = `
      local t = redis.call('TIME')
      local now = t[1] * 1000 + math.floor(t[2] / 1000)
      redis.call('HSET', KEYS[1], 'opensAt', string.format('%.0f', now + ARGV[1]), 'closesAt', string.format('%.0f', now + ARGV[2]))
      return string.format('%.0f', now)`;
    const at = async (opens: number, closes: number): Promise<unknown> => {
      const before = await redis.lrange(keys.packets, 0, -1);
      const [moved, answers, after] = (await redis
        .multi()
        .eval(moveWindow, 1, keys.state, opens, closes)
        .eval(
          SCRIPTS.get('grab')!.source,
          5,
          keys.state,
          keys.packets,
          keys.claimed,
          keys.claims,
          keys.spoiled,
          'ann',
          '',
          '',
        )
        .time()
        .exec())!.map(([, reply]) => reply) as [string, string[], [number, number]];
      const elapsed = Number(after[0]) * 1000 + Math.floor(Number(after[1]) / 1000) - Number(moved);
      if (elapsed > 0) {
        // The millisecond passed between the two scripts: this attempt says nothing about the edge.
        await redis.del(keys.claimed, keys.claims, keys.packets);
        await redis.rpush(keys.packets, ...before);
        return at(opens, closes);
      }
      expect(await redis.lrange(keys.packets, 0, -1)).toEqual(before);
      expect(await redis.exists(keys.claimed, keys.claims, keys.spoiled)).toBe(0);
      return answers[0];
    };
    expect(await at(1, 60_000)).toBe('{"code":"-2"}');
    expect(await at(-60_000, 0)).toBe('{"code":"-3"}');
    expect(await at(-60_000, -1)).toBe('{"code":"-3"}');
    await redis.hset(keys.state, 'closesAt', Date.now() + 60_000);
    expect(await pause(redis, 'r1', 1)).toBe('paused');
    const before = await dump(redis);
    expect(await grab('ann')).toEqual([{ code: '-4' }]);
    expect(await dump(redis)).toEqual(before);
    expect(await resume(redis, 'r1', 1)).toBe('loaded');
    expect((await grab('ann'))[0]!.code).toBe('0');
  });

  test('[R11] a loser leaves no trace', async () => {
    await stockRain(redis, { rainId: 'r1', amounts: ['1.00'] });
    await grab('ann');
    const before = await dump(redis);
    expect(await grab('bob', 'eve', 'bob')).toEqual([{ code: '-1' }, { code: '-1' }, { code: '-1' }]);
    expect(await engine.grab('other', 0, ['bob'])).toEqual([{ code: '-8' }]);
    expect(await dump(redis)).toEqual(before);
  });

  test('a partly loaded rain has not started', async () => {
    await stockRain(redis, { rainId: 'r1', amounts: ['1.00'] });
    await redis.hset(keys.state, 'state', 'draft');
    expect(await grab('ann')).toEqual([{ code: '-2' }]);
  });

  test('512 users in one call, each at most once, and no packet twice [R1][R2]', async () => {
    await stockRain(redis, { rainId: 'r1', amounts: Array.from({ length: 300 }, () => '0.01') });
    const answers = await grab(...Array.from({ length: 512 }, (_, i) => `u${i}`));
    const packets = answers.flatMap((answer) => ('redPacketId' in answer ? [answer.redPacketId] : []));
    expect(new Set(packets).size).toBe(300);
    expect(answers.filter(({ code }) => code === '-1')).toHaveLength(212);
    expect(faults).toEqual([]);
  });

  test('after SCRIPT FLUSH (a restart, a failover) the script is sent again automatically', async () => {
    await stockRain(redis, { rainId: 'r1', amounts: ['1.00'] });
    await redis.script('FLUSH');
    expect((await grab('ann'))[0]!.code).toBe('0');
    expect(faults).toEqual([]);
  });
});
