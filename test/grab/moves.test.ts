import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createGrabEngine } from '../../src/grab/engine.ts';
import { endMoves, MOVE_BYTES_MAX } from '../../src/store/endMoves.ts';
import { shardKeys, shardOf } from '../../src/store/keys.ts';
import {
  announce,
  lend,
  MOVE_PACKETS_MAX,
  newMoveId,
  noteArrived,
  readStock,
  receive,
  writeDrained,
} from '../../src/store/moves.ts';
import { close, freeze, pause } from '../../src/store/transitions.ts';
import { hold } from '../../src/store/holds.ts';
import { DEPTH_MAX } from '../../src/store/restoreClaims.ts';
import { loadScripts, SCRIPTS } from '../../src/store/scripts.ts';
import { dump, openRedis, stockRain } from '../support/rain.ts';

const { redis } = await openRedis();
beforeAll(() => loadScripts(redis));
beforeEach(() => redis.flushall());

const RAIN = 'r';
const SHARDS = 2;
const [home, other] = [shardKeys(RAIN, 0), shardKeys(RAIN, 1)];
const stock = (packets: number) =>
  stockRain(redis, { rainId: RAIN, amounts: Array.from({ length: packets }, (_, i) => `${i + 1}.00`), shards: SHARDS });
const idOf = (element: string) => (JSON.parse(element) as { redPacketId: string }).redPacketId;
const listed = async (shard: number) => (await redis.lrange(shardKeys(RAIN, shard).packets, 0, -1)).map(idOf);
const lendFrom = (from: number, wanted: number, parts = 100, moveId = newMoveId(from, 1 - from)) =>
  lend(redis, RAIN, moveId, { wanted, parts });
const user = (shard: number, name = 'ann') => {
  for (let i = 0; ; i++) if (shardOf(`${name}-${i}`, SHARDS) === shard) return `${name}-${i}`;
};
const grab = (shard: number, ...users: string[]) =>
  createGrabEngine(redis, (fault) => {
    throw fault;
  }).grab(RAIN, shard, users);

describe('lend', () => {
  test('takes the next packets, and writes them down before they leave; the same move again takes nothing', async () => {
    await stock(8);
    const move = (await lendFrom(0, 2))!;
    expect(JSON.parse(move.packets).map(idOf)).toEqual(['r-2', 'r-0']);
    expect(await listed(0)).toEqual(['r-6', 'r-4']);
    expect(await redis.hgetall(home.sending)).toEqual({ [move.moveId]: move.packets });
    expect(await lendFrom(0, 2, 100, move.moveId)).toEqual(move);
    await noteArrived(redis, RAIN, move);
    expect(await lendFrom(0, 2, 100, move.moveId)).toEqual(move);
    expect(await listed(0)).toHaveLength(2);
  });

  test('who has more than is wanted lends a part of it; who has less, all', async () => {
    await stock(80);
    expect(JSON.parse((await lendFrom(0, 1, 4))!.packets)).toHaveLength(10);
    expect(JSON.parse((await lendFrom(0, 500))!.packets)).toHaveLength(30);
    expect(await lendFrom(0, 1)).toBeUndefined();
  });

  test.each([
    ['paused', () => pause(redis, RAIN, SHARDS)],
    ['closed', () => close(redis, RAIN, SHARDS, 'early')],
    ['held', () => hold(redis, RAIN, SHARDS, 'redis_behind')],
    ['lost', () => redis.del(home.state)],
  ])('a shard that is %s lends nothing, and nothing is written', async (_state, stop) => {
    await stock(4);
    await stop();
    const before = await dump(redis);
    expect(await lendFrom(0, 1)).toBeUndefined();
    expect(await dump(redis)).toEqual(before);
  });

  test('what is too long for a packet is set aside, not carried about', async () => {
    await stock(4);
    await redis.lset(home.packets, -1, 'x'.repeat(300));
    expect(JSON.parse((await lendFrom(0, 2))!.packets).map(idOf)).toEqual(['r-2']);
    expect(await redis.lrange(home.spoiled, 0, -1)).toEqual(['x'.repeat(300)]);
  });

  test('a key of another type is met before the first write', async () => {
    await stock(4);
    await redis.set(home.spoiled, 'x');
    const before = await dump(redis);
    await expect(lendFrom(0, 1)).rejects.toThrow('WRONGTYPE');
    expect(await dump(redis)).toEqual(before);
  });
});

describe('receive', () => {
  test('puts the packets behind those that are there, once, however often it is brought', async () => {
    await stock(8);
    const move = (await lendFrom(0, 2))!;
    for (let i = 0; i < 3; i++) expect(await receive(redis, RAIN, move)).toEqual([]);
    // The tail is handed out first: the shard's own packets, then those that have come, in their order.
    expect((await listed(1)).toReversed()).toEqual(['r-1', 'r-3', 'r-5', 'r-7', 'r-0', 'r-2']);
    expect(await redis.hgetall(other.received)).toEqual({ [move.moveId]: move.packets });
  });

  test('[R1][R2] decides in the same step: who waits there wins a packet that has come, and a repeat gets the same', async () => {
    await stock(1);
    const ann = user(1);
    expect(await grab(1, ann)).toEqual([{ code: '-1', shards: 2 }]);
    const move = (await lendFrom(0, 1))!;
    const engine = createGrabEngine(redis, (fault) => {
      throw fault;
    });
    expect(await engine.grab(RAIN, 1, [ann, user(1, 'bob')], move)).toMatchObject([
      { code: '0', redPacketId: 'r-0' },
      { code: '-1', shards: 2 },
    ]);
    expect(await engine.grab(RAIN, 1, [ann], move)).toMatchObject([{ code: '1', redPacketId: 'r-0' }]);
    expect(await redis.llen(other.packets)).toBe(0);
  });

  test('[R7] a shard that is closed takes in what is on its way, and grants nothing; one that is settled or lost takes nothing in', async () => {
    await stock(4);
    const [first, second] = [(await lendFrom(0, 1))!, (await lendFrom(0, 1))!];
    await close(redis, RAIN, SHARDS, 'early');
    const engine = createGrabEngine(redis, (fault) => {
      throw fault;
    });
    expect(await engine.grab(RAIN, 1, [user(1)], first)).toEqual([{ code: '-3' }]);
    expect(await listed(1)).toEqual(['r-0', 'r-3', 'r-1']);
    await redis.hset(other.state, 'state', 'settled');
    expect(await receive(redis, RAIN, second)).toBeUndefined();
    await redis.del(other.state);
    expect(await receive(redis, RAIN, second)).toBeUndefined();
    expect(await listed(1)).toHaveLength(3);
  });
});

describe('"nothing left"', () => {
  test('is final only where it is written down that no shard has a packet; packets that are announced take that back', async () => {
    await stock(1);
    const [ann, bob] = [user(0), user(1)];
    expect(await grab(0, ann)).toMatchObject([{ code: '0' }]);
    expect(await grab(1, bob)).toEqual([{ code: '-1', shards: 2 }]);
    await writeDrained(redis, RAIN, 1, 1);
    expect(await grab(1, bob)).toEqual([{ code: '-1' }]);
    await announce(redis, RAIN, SHARDS, 3);
    expect(await grab(1, bob)).toEqual([{ code: '-1', shards: 2 }]);
    // Somebody who has looked before the packets were announced comes too late.
    await writeDrained(redis, RAIN, 1, 1);
    expect(await grab(1, bob)).toEqual([{ code: '-1', shards: 2 }]);
  });

  test('of one shard needs no other', async () => {
    await stockRain(redis, { rainId: 'single', amounts: ['1.00'] });
    const engine = createGrabEngine(redis, (fault) => {
      throw fault;
    });
    expect(await engine.grab('single', 0, ['a', 'b'])).toMatchObject([{ code: '0' }, { code: '-1' }]);
    expect(await engine.grab('single', 0, ['c'])).toEqual([{ code: '-1' }]);
  });

  test('a move that nobody of us has written is seen, and not carried out', async () => {
    await stock(2);
    await redis.hset(
      home.sending,
      'rubbish',
      '[]',
      newMoveId(0, 9),
      '[]',
      newMoveId(1, 0),
      '[]',
      newMoveId(0, 1),
      'x'.repeat(300_000),
    );
    expect(await readStock(redis, RAIN, 0, SHARDS)).toMatchObject({ left: 1, onTheirWay: 4, sending: [] });
  });
});

describe('a move that is known on one side only', () => {
  test('that has not arrived is ended; a rain is not frozen before', async () => {
    await stock(4);
    await lendFrom(0, 1);
    await close(redis, RAIN, SHARDS, 'early');
    const live = { shards: SHARDS, title: '' };
    expect(await freeze(redis, RAIN, live, [0, 0])).toBe(false);
    await endMoves(redis, RAIN, SHARDS);
    expect([await listed(0), await listed(1)]).toEqual([['r-2'], ['r-0', 'r-3', 'r-1']]);
    expect(await freeze(redis, RAIN, live, [0, 0])).toBe(true);
  });

  test('that its receiver has forgotten is brought again; one that its lender has forgotten is taken off its list', async () => {
    await stock(8);
    const [first, second] = [(await lendFrom(0, 1))!, (await lendFrom(0, 1))!];
    const listsBefore = [await redis.lrange(home.packets, 0, -1), await redis.lrange(other.packets, 0, -1)];
    for (const move of [first, second]) {
      await receive(redis, RAIN, move);
      await noteArrived(redis, RAIN, move);
    }
    // The receiver falls back to before the first move, and the lender to before the second.
    await redis.del(other.received, other.packets);
    await redis.rpush(other.packets, ...listsBefore[1]!);
    await redis.hset(other.received, second.moveId, second.packets);
    await redis.lpush(other.packets, ...(JSON.parse(second.packets) as string[]));
    await redis.hdel(home.lent, second.moveId);
    await redis.rpush(home.packets, ...(JSON.parse(second.packets) as string[]));
    for (let i = 0; i < 2; i++) await endMoves(redis, RAIN, SHARDS);
    expect([...(await listed(0)), ...(await listed(1))].toSorted()).toEqual(
      Array.from({ length: 8 }, (_, i) => `r-${i}`),
    );
    expect(await listed(0)).toEqual(['r-6', 'r-4']);
  });
});

describe('[R14] what somebody else has written among the moves', () => {
  test.each(['not JSON', '{"a":1}', '[1,{}]', '[[["x"]]]', '"x"'])(
    '%s brings nothing, stops nothing, and is taken away before the rain is frozen',
    async (rubbish) => {
      await stock(4);
      const [moveId, arrived] = [newMoveId(0, 1), newMoveId(1, 0)];
      await redis.hset(home.sending, moveId, rubbish, 'mallory', '[]');
      await redis.hset(home.received, arrived, rubbish);
      await close(redis, RAIN, SHARDS, 'early');
      for (let i = 0; i < 2; i++) await endMoves(redis, RAIN, SHARDS);
      expect(await redis.hlen(home.sending)).toBe(0);
      expect(await redis.hget(home.received, arrived)).toBe('[]');
      expect([await listed(0), await listed(1)]).toEqual([
        ['r-2', 'r-0'],
        ['r-3', 'r-1'],
      ]);
      expect(await redis.llen(home.spoiled)).toBeGreaterThan(0);
      expect(await freeze(redis, RAIN, { shards: SHARDS, title: '' }, [0, 0])).toBe(true);
      expect(await receive(redis, RAIN, { moveId, from: 0, to: 1, packets: rubbish })).toEqual([]);
    },
  );

  test('keys of another type are taken away', async () => {
    await stock(4);
    for (const key of [home.sending, other.lent, other.received]) await redis.set(key, 'x');
    await endMoves(redis, RAIN, SHARDS);
    expect(await redis.exists(home.sending, other.lent, other.received)).toBe(0);
  });

  test('counts that are no numbers refuse a move before anything is written, and begin anew when packets are announced', async () => {
    await stock(4);
    await redis.hset(home.state, 'moves', 'x', 'total', 'y', 'shards', 'z');
    const before = await dump(redis);
    await expect(lendFrom(0, 1)).rejects.toThrow('not an integer');
    expect(await dump(redis)).toEqual(before);
    await announce(redis, RAIN, SHARDS, 4);
    expect(await redis.hmget(home.state, 'moves', 'total', 'shards', 'elsewhere')).toEqual(['0', '4', '2', '2']);
    expect(await lendFrom(0, 1)).toBeDefined();
  });
});

test.each([
  ['remaining', 'BYTES_MAX', MOVE_BYTES_MAX],
  ['takeback', 'DEPTH_MAX', DEPTH_MAX],
  ['restore', 'DEPTH_MAX', DEPTH_MAX],
  ['lend', 'PART_MAX', MOVE_PACKETS_MAX],
  ['receive', 'PART_MAX', MOVE_PACKETS_MAX],
])('lua/%s.lua has the same %s as TypeScript', (script, name, number) => {
  const { names, values } = /^local (?<names>[A-Z_, ]*_MAX[A-Z_, ]*) = (?<values>[\d, ]+)/m.exec(
    SCRIPTS.get(script)!.source,
  )!.groups!;
  expect(Number(values!.split(', ')[names!.split(', ').indexOf(name)])).toBe(number);
});
