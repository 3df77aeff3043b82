import { beforeEach, describe, expect, test } from 'vitest';
import { createGrabEngine, type GrabEngine } from '../../src/grab/engine.ts';
import { shardKeys } from '../../src/store/keys.ts';
import { loadScripts, SCRIPTS } from '../../src/store/scripts.ts';
import { dump, openRedis, stockRain } from '../support/rain.ts';
import { genuine } from '../support/signer.ts';

const { redis } = await openRedis();
const keys = shardKeys('r1', 0);
let engine: GrabEngine;
let faults: Error[];

beforeEach(async () => {
  await redis.flushall();
  faults = [];
  engine = createGrabEngine(redis, (error) => faults.push(error as Error));
});

const grab = (...users: string[]) => engine.grab('r1', 0, users);

describe('the defects of the published script', () => {
  test('it lacked two `end`s: every script of ours compiles, and a broken one is reported with its line', async () => {
    await loadScripts(redis);
    const broken = new Map(SCRIPTS);
    (SCRIPTS as Map<string, unknown>).set('broken', { source: 'if true then\nreturn 1', sha: '', keyCount: 0 });
    try {
      await expect(loadScripts(redis)).rejects.toThrow(/^lua\/broken\.lua:2: .*'end' expected/);
    } finally {
      (SCRIPTS as Map<string, unknown>).delete('broken');
    }
    expect([...SCRIPTS.keys()]).toEqual([...broken.keys()]);
  });

  test.each([
    '{not json',
    '"text"',
    '[]',
    '{}',
    '{"redPacketId":7,"amount":"1.00"}',
    '{"redPacketId":"x"}',
    '{"redPacketId":"","amount":"1.00"}',
    '{"redPacketId":"x","amount":"-1.00"}',
    '{"redPacketId":"x","amount":"1.005"}',
    '{"redPacketId":"x","amount":"0.00"}',
    '{"redPacketId":"x","amount":1}',
    '{"redPacketId":"x","amount":"007.10"}',
    '{"redPacketId":"x","amount":"100000000000000.00"}',
    '{"redPacketId":"x\\n","amount":"1.00"}',
    `{"redPacketId":"${'x'.repeat(129)}","amount":"1.00"}`,
  ])(
    'RPOP before decoding lost a malformed packet: %s is set aside and the user gets the next one',
    async (malformed) => {
      await stockRain(redis, { rainId: 'r1', amounts: ['5.00', '6.00'] });
      await redis.rpush(keys.packets, malformed);
      expect(await grab('ann', 'bob', 'eve')).toEqual([
        genuine('0', 'r1', 'r1-0', '5.00'),
        genuine('0', 'r1', 'r1-1', '6.00'),
        { code: '-1' },
      ]);
      expect(await redis.lrange(keys.spoiled, 0, -1)).toEqual([malformed]);
      expect(await redis.llen(keys.packets)).toBe(0);
    },
  );

  test('many malformed packets in a row are set aside over several calls, and "busy" says that more packets may follow', async () => {
    await stockRain(redis, { rainId: 'r1', amounts: ['5.00'] });
    await redis.rpush(keys.packets, ...Array.from({ length: 700 }, (_, i) => `rubbish ${i}`));
    expect(await grab('ann')).toEqual([{ code: '-7' }]);
    expect(await redis.llen(keys.spoiled)).toBe(512);
    expect((await grab('ann'))[0]).toMatchObject({ code: '0', amount: '5.00' });
    expect(await redis.llen(keys.spoiled)).toBe(700);
  });

  test.each(['claims', 'claimed', 'packets', 'spoiled'] as const)(
    'HSET before a failing LPUSH burned user and packet: with %s of a wrong type nothing at all is written',
    async (name) => {
      await stockRain(redis, { rainId: 'r1', amounts: ['5.00'] });
      const packets = await redis.lrange(keys.packets, 0, -1);
      await redis.del(keys[name]);
      await redis.set(keys[name], 'of another type');
      const before = await dump(redis);
      expect(await grab('ann')).toEqual([{ code: '-7' }]);
      expect(faults[0]!.message).toMatch(/WRONGTYPE/);
      expect(await dump(redis)).toEqual(before);
      await redis.del(keys[name]);
      if (name === 'packets') await redis.rpush(keys.packets, ...packets);
      expect((await grab('ann'))[0]).toMatchObject({ code: '0', amount: '5.00' });
    },
  );

  test('out of memory: the script is refused before its first write, and the packet is still there', async () => {
    await stockRain(redis, { rainId: 'r1', amounts: ['5.00'] });
    const before = await dump(redis);
    await redis.config('SET', 'maxmemory', '1');
    try {
      expect(await grab('ann')).toEqual([{ code: '-7' }]);
    } finally {
      await redis.config('SET', 'maxmemory', '0');
    }
    expect(faults[0]!.message).toMatch(/OOM/);
    expect(await dump(redis)).toEqual(before);
  });

  test('a repeat got only "1": now it gets packet and amount', async () => {
    await stockRain(redis, { rainId: 'r1', amounts: ['5.00'] });
    await grab('ann');
    expect(await grab('ann')).toEqual([genuine('1', 'r1', 'r1-0', '5.00')]);
  });

  test('numeric 18-digit ids were changed by cjson: ids are strings and come back unchanged', async () => {
    await stockRain(redis, { rainId: 'r1', amounts: ['5.00'] });
    await redis.del(keys.packets);
    await redis.rpush(keys.packets, '{"redPacketId":"123456789012345678","amount":"5.00"}');
    expect(await grab('987654321098765432')).toEqual([
      { code: '0', redPacketId: '123456789012345678', amount: '5.00', mac: '' },
    ]);
    expect(JSON.parse((await redis.hget(keys.claimed, '987654321098765432'))!)).toMatchObject({
      userId: '987654321098765432',
      redPacketId: '123456789012345678',
    });
  });

  test('userIds of any content are data, never code or key', async () => {
    await stockRain(redis, { rainId: 'r1', amounts: ['1.00', '2.00', '3.00'] });
    const users = ['__proto__', '用户"\\\'}{', 'rain:{r1/0}:packets'];
    for (const user of users) expect((await grab(user))[0]!.code).toBe('0');
    for (const user of users) expect(JSON.parse((await redis.hget(keys.claimed, user))!).userId).toBe(user);
  });

  test('a claim that does not decode is answered with "busy", not with invalid data', async () => {
    await stockRain(redis, { rainId: 'r1', amounts: ['1.00'] });
    await redis.hset(keys.claimed, 'ann', 'rubbish');
    expect(await grab('ann')).toEqual([{ code: '-7' }]);
    expect(await redis.llen(keys.packets)).toBe(1);
  });
});
