import { beforeEach, describe, expect, test } from 'vitest';
import { createGrabEngine, type GrabEngine } from '../../src/grab/engine.ts';
import { shardKeys } from '../../src/store/keys.ts';
import { close, freeze, settle } from '../../src/store/transitions.ts';
import { restoreTold, type RestoreFault, type ToldClaim } from '../../src/grab/restore.ts';
import { parseClaim } from '../../src/rain/claim.ts';
import { dump, openRedis, stockRain } from '../support/rain.ts';

const { redis } = await openRedis();
const keys = shardKeys('r1', 0);
const engine: GrabEngine = createGrabEngine(redis, (fault) => { throw fault; });

beforeEach(async () => { await redis.flushall(); });

/** Wins of r1 as a gateway would remember them. */
async function grab(...users: string[]): Promise<ToldClaim[]> {
  const answers = await engine.grab('r1', 0, users);
  return answers.flatMap((answer, i) => ('amount' in answer
    ? [{ rainId: 'r1', shard: 0, userId: users[i]!, redPacketId: answer.redPacketId, amount: answer.amount, at: Date.now() }] : []));
}

/** What a failover to a replica that had not heard of the last `n` wins does to them. */
async function lose(n: number): Promise<void> {
  for (let i = 0; i < n; i++) {
    const parsed = parseClaim((await redis.lpop(keys.claims))!);
    if (!parsed.ok) throw new Error(parsed.reason);
    const { userId, redPacketId, amount } = parsed.claim;
    await redis.hdel(keys.claimed, userId);
    await redis.rpush(keys.packets, `{"redPacketId":"${redPacketId}","amount":"${amount}"}`);
  }
}

const log = async () => (await redis.lrange(keys.claims, 0, -1)).reverse().map((entry) => {
  const parsed = parseClaim(entry);
  return parsed.ok ? `${parsed.claim.userId} ${parsed.claim.redPacketId}` : parsed.reason;
});

describe('lua/restore.lua', () => {
  beforeEach(() => stockRain(redis, { rainId: 'r1', amounts: ['1.00', '2.00', '3.00', '4.00', '5.00', '6.00'] }));

  test('what is there is left alone, and nothing is written', async () => {
    const told = await grab('ann', 'bob');
    const before = await dump(redis);
    expect(await restoreTold(redis, told)).toEqual([]);
    expect(await dump(redis)).toEqual(before);
  });

  test('[R2][R6] lost wins are there again as if nothing had happened, and their packets are nobody else\'s', async () => {
    const told = await grab('ann', 'bob', 'eve');
    await lose(2);
    expect(await restoreTold(redis, told)).toEqual([{ rainId: 'r1', putBack: 2, contested: 0, lost: undefined }]);
    expect(await log()).toEqual(['ann r1-0', 'bob r1-1', 'eve r1-2']);
    expect(await engine.grab('r1', 0, ['bob', 'eve', 'joe'])).toEqual([
      { code: '1', redPacketId: 'r1-1', amount: '2.00' }, { code: '1', redPacketId: 'r1-2', amount: '3.00' }, { code: '0', redPacketId: 'r1-3', amount: '4.00' }]);
    expect(await redis.lrange(keys.packets, 0, -1)).toHaveLength(2);
    expect(await redis.exists(keys.restored)).toBe(0);
  });

  test('[R1] whoever was told the packet since, and whoever has another one since, keeps it; the first word goes to the log for the book to judge', async () => {
    const told = await grab('ann', 'bob');
    await lose(2);
    await grab('bob'); // r1-0, which was ann's
    expect(await restoreTold(redis, told)).toEqual([{ rainId: 'r1', putBack: 0, contested: 2, lost: undefined }]);
    expect(await log()).toEqual(['bob r1-0', 'ann r1-0', 'bob r1-1']);
    expect(await redis.hgetall(keys.claimed)).toEqual({ bob: expect.stringContaining('r1-0') as string });
  });

  test('the same restore again, and of several gateways at once, puts everything back once', async () => {
    const told = await grab('ann', 'bob', 'eve', 'joe');
    await lose(4);
    await grab('zoe'); // takes ann's
    const restored = (await Promise.all([restoreTold(redis, told), restoreTold(redis, told.slice(1)), restoreTold(redis, told.slice().reverse())])).flat();
    expect(restored.reduce((sum, { putBack }) => sum + putBack, 0)).toBe(3);
    expect(restored.reduce((sum, { contested }) => sum + contested, 0)).toBe(1);
    const before = await dump(redis);
    await restoreTold(redis, told);
    expect(await dump(redis)).toEqual(before);
    expect((await log()).sort()).toEqual(['ann r1-0', 'bob r1-1', 'eve r1-2', 'joe r1-3', 'zoe r1-0']);
    expect(await redis.pttl(keys.restored)).toBeGreaterThan(120_000);
  });

  test('[R2] two who were told the same packet in one batch: one gets it, the other goes to the book', async () => {
    const [ann] = await grab('ann');
    await lose(1);
    expect(await restoreTold(redis, [ann!, { ...ann!, userId: 'bob' }, { ...ann!, redPacketId: 'r1-1', amount: '2.00' }])).toEqual([{ rainId: 'r1', putBack: 1, contested: 2, lost: undefined }]);
    expect(await redis.hlen(keys.claimed)).toBe(1);
    // Both packets are named in the log now, so neither is for anybody else.
    expect(await redis.llen(keys.packets)).toBe(4);
  });

  test('[R7] a rain that was closed meanwhile takes them; one that is settled does not, and who was lost is reported', async () => {
    const told = await grab('ann', 'bob');
    await lose(2);
    await close(redis, 'r1', 1, 'early');
    expect(await restoreTold(redis, told.slice(0, 1))).toMatchObject([{ putBack: 1 }]);
    expect(await settle(redis, 'r1', { shards: 1, title: '' }, { ttlMs: 60_000 })).toBe(true);
    const before = await dump(redis);
    expect(await restoreTold(redis, told)).toEqual([{ rainId: 'r1', putBack: 0, contested: 0, lost: { why: 'settled', claims: told.slice(1) } }]);
    expect(await dump(redis)).toEqual(before);
  });

  test('a rain that Redis has forgotten is reported whole, and not one key is written', async () => {
    const told = await grab('ann', 'bob');
    await redis.flushall();
    expect(await restoreTold(redis, told)).toEqual([{ rainId: 'r1', putBack: 0, contested: 0, lost: { why: 'gone', claims: told } }]);
    expect(await redis.dbsize()).toBe(0);
  });

  test('[R8] a claim that comes after the audit has counted keeps the rain from being settled', async () => {
    const told = await grab('ann', 'bob');
    await lose(1);
    await close(redis, 'r1', 1, 'early');
    await restoreTold(redis, told);
    expect(await settle(redis, 'r1', { shards: 1, title: '' }, { ttlMs: 60_000, seen: [1] })).toBe(false);
    expect(await redis.hget(keys.state, 'state')).toBe('closed');
    expect(await settle(redis, 'r1', { shards: 1, title: '' }, { ttlMs: 60_000, seen: [2] })).toBe(true);
  });

  test('[R8] once the money is about to move nothing is put back: who asks is told to ask again, and then that it is settled', async () => {
    const told = await grab('ann', 'bob');
    await lose(1);
    const live = { shards: 1, title: '' };
    expect(await freeze(redis, 'r1', live, [1]), 'an open rain').toBe(false);
    await close(redis, 'r1', 1, 'early');
    expect(await freeze(redis, 'r1', live, [2]), 'a log that is not as the audit saw it').toBe(false);
    expect(await freeze(redis, 'r1', live, [1])).toBe(true);
    expect(await freeze(redis, 'r1', live, [1])).toBe(true);
    const before = await dump(redis);
    await expect(restoreTold(redis, told)).rejects.toThrow('the rain r1 is being settled');
    expect(await dump(redis)).toEqual(before);
    expect(await settle(redis, 'r1', live, { ttlMs: 60_000, seen: [1] })).toBe(true);
    expect(await restoreTold(redis, told)).toMatchObject([{ lost: { why: 'settled' } }]);
  });

  test('[R2] the packet of a contested claim leaves the list: it is not promised once more', async () => {
    const told = await grab('ann', 'bob');
    await lose(2);
    await grab('bob'); // Who now has ann's.
    expect(await restoreTold(redis, told)).toEqual([{ rainId: 'r1', putBack: 0, contested: 2, lost: undefined }]);
    expect(await redis.lrange(keys.packets, 0, -1)).not.toContainEqual(expect.stringContaining('"r1-1"'));
    expect(await log()).toEqual(['bob r1-0', 'ann r1-0', 'bob r1-1']);
  });

  test('a rain that cannot be looked at keeps nobody of another waiting', async () => {
    await stockRain(redis, { rainId: 'r0', amounts: ['1.00'] });
    const [broken] = await engine.grab('r0', 0, ['ann']);
    const told = await grab('ann', 'bob');
    await redis.del(shardKeys('r0', 0).claimed);
    await redis.set(shardKeys('r0', 0).claimed, 'of another type');
    await lose(1);
    const also: ToldClaim = { rainId: 'r0', shard: 0, userId: 'ann', redPacketId: 'r0-0', amount: 'amount' in broken! ? broken.amount : '', at: Date.now() };
    const error = await restoreTold(redis, [also, ...told]).then(() => undefined, (reason: unknown) => reason);
    expect(String(error)).toMatch(/1 of 2 shards.*WRONGTYPE/);
    expect(await log()).toEqual(['ann r1-0', 'bob r1-1']);
    expect((error as RestoreFault).restored, 'what became of the others is told').toEqual([{ rainId: 'r1', putBack: 1, contested: 0, lost: undefined }]);
  });

  test.each(['packets', 'claimed', 'claims', 'restored'] as const)('with %s of a wrong type nothing at all is written', async (name) => {
    const told = await grab('ann', 'bob');
    await lose(2);
    await grab('zoe');
    await redis.del(keys[name]);
    await redis.set(keys[name], 'of another type');
    const before = await dump(redis);
    await expect(restoreTold(redis, told)).rejects.toThrow(/WRONGTYPE/);
    expect(await dump(redis)).toEqual(before);
  });

  test('[R10] a thousand lost wins go back in small calls, in the order in which they were told', async () => {
    await redis.flushall();
    await stockRain(redis, { rainId: 'r1', amounts: Array.from({ length: 3_000 }, () => '0.01') });
    const told: ToldClaim[] = [];
    for (let i = 0; i < 1_000; i += 250) told.push(...await grab(...Array.from({ length: 250 }, (_, j) => `u${i + j}`)));
    const before = await dump(redis, '*packets');
    await lose(1_000);
    expect(await restoreTold(redis, told)).toEqual([{ rainId: 'r1', putBack: 1_000, contested: 0, lost: undefined }]);
    expect(await dump(redis, '*packets')).toEqual(before);
    expect(await log()).toEqual(told.map(({ userId, redPacketId }) => `${userId} ${redPacketId}`));
  });
});
