import { beforeEach, describe, expect, test } from 'vitest';
import { createGrabEngine, type GrabEngine } from '../../src/grab/engine.ts';
import { shardKeys } from '../../src/store/keys.ts';
import { close, freeze, settle } from '../../src/store/transitions.ts';
import { restoreSentWins, type RestoreFault, type SentWin } from '../../src/grab/restore.ts';
import { packetElement } from '../../src/store/loadPackets.ts';
import { parseClaim } from '../../src/rain/claim.ts';
import { dump, openRedis, stockRain } from '../support/rain.ts';
import { genuine, laterSigner, signer } from '../support/signer.ts';

const { redis } = await openRedis();
const keys = shardKeys('r1', 0);
const engine: GrabEngine = createGrabEngine(redis, (fault) => {
  throw fault;
});

beforeEach(async () => {
  await redis.flushall();
});

/** Wins of r1 as a gateway would remember them. */
async function grab(...users: string[]): Promise<SentWin[]> {
  const answers = await engine.grab('r1', 0, users);
  return answers.flatMap((answer, i) =>
    'amount' in answer
      ? [
          {
            rainId: 'r1',
            shard: 0,
            userId: users[i]!,
            redPacketId: answer.redPacketId,
            amount: answer.amount,
            at: Date.now(),
          },
        ]
      : [],
  );
}

/** The effect of a failover to a replica without the last `n` wins. */
async function lose(n: number): Promise<void> {
  for (let i = 0; i < n; i++) {
    const parsed = parseClaim((await redis.lpop(keys.claims))!);
    if (!parsed.ok) throw new Error(parsed.reason);
    const { userId, redPacketId, amount } = parsed.claim;
    await redis.hdel(keys.claimed, userId);
    await redis.rpush(keys.packets, packetElement(signer, 'r1', redPacketId, amount));
  }
}

const log = async () =>
  (await redis.lrange(keys.claims, 0, -1)).reverse().map((entry) => {
    const parsed = parseClaim(entry);
    return parsed.ok ? `${parsed.claim.userId} ${parsed.claim.redPacketId}` : parsed.reason;
  });

describe('lua/restore.lua', () => {
  beforeEach(() => stockRain(redis, { rainId: 'r1', amounts: ['1.00', '2.00', '3.00', '4.00', '5.00', '6.00'] }));

  test('a stored win is not changed, and nothing is written', async () => {
    const wins = await grab('ann', 'bob');
    const before = await dump(redis);
    expect(await restoreSentWins(redis, signer, wins)).toEqual([]);
    expect(await dump(redis)).toEqual(before);
  });

  test('[R2][R6] lost wins are restored as before, and nobody else gets their packets', async () => {
    const wins = await grab('ann', 'bob', 'eve');
    await lose(2);
    expect(await restoreSentWins(redis, signer, wins)).toEqual([
      { rainId: 'r1', putBack: 2, contested: 0, lost: undefined },
    ]);
    expect(await log()).toEqual(['ann r1-0', 'bob r1-1', 'eve r1-2']);
    expect(await engine.grab('r1', 0, ['bob', 'eve', 'joe'])).toEqual([
      genuine('1', 'r1', 'r1-1', '2.00'),
      genuine('1', 'r1', 'r1-2', '3.00'),
      genuine('0', 'r1', 'r1-3', '4.00'),
    ]);
    expect(await redis.lrange(keys.packets, 0, -1)).toHaveLength(2);
    expect(await redis.exists(keys.restored)).toBe(0);
  });

  test('[R2] after the signing secret was replaced, a lost win still takes its packet off the list', async () => {
    const wins = await grab('ann', 'bob');
    await lose(2);
    expect(await restoreSentWins(redis, laterSigner, wins)).toEqual([
      { rainId: 'r1', putBack: 2, contested: 0, lost: undefined },
    ]);
    expect(await engine.grab('r1', 0, ['ann', 'eve'])).toEqual([
      genuine('1', 'r1', 'r1-0', '1.00'),
      genuine('0', 'r1', 'r1-2', '3.00'),
    ]);
  });

  test("[R1] a user who got the packet since, or the winner's other packet since, keeps it; the first claim goes to the log for the ledger to decide", async () => {
    const wins = await grab('ann', 'bob');
    await lose(2);
    await grab('bob'); // r1-0, which was ann's
    expect(await restoreSentWins(redis, signer, wins)).toEqual([
      { rainId: 'r1', putBack: 0, contested: 2, lost: undefined },
    ]);
    expect(await log()).toEqual(['bob r1-0', 'ann r1-0', 'bob r1-1']);
    expect(await redis.hgetall(keys.claimed)).toEqual({ bob: expect.stringContaining('r1-0') as string });
  });

  test('the same restore again, and by several gateways at once, puts every win back once', async () => {
    const wins = await grab('ann', 'bob', 'eve', 'joe');
    await lose(4);
    await grab('zoe'); // takes ann's
    const restored = (
      await Promise.all([
        restoreSentWins(redis, signer, wins),
        restoreSentWins(redis, signer, wins.slice(1)),
        restoreSentWins(redis, signer, wins.slice().reverse()),
      ])
    ).flat();
    expect(restored.reduce((sum, { putBack }) => sum + putBack, 0)).toBe(3);
    expect(restored.reduce((sum, { contested }) => sum + contested, 0)).toBe(1);
    const before = await dump(redis);
    await restoreSentWins(redis, signer, wins);
    expect(await dump(redis)).toEqual(before);
    expect((await log()).sort()).toEqual(['ann r1-0', 'bob r1-1', 'eve r1-2', 'joe r1-3', 'zoe r1-0']);
    expect(await redis.pttl(keys.restored)).toBeGreaterThan(120_000);
  });

  test("[R2] two users who got the same packet in one batch: one keeps it, the other's claim is decided by the ledger", async () => {
    const [ann] = await grab('ann');
    await lose(1);
    expect(
      await restoreSentWins(redis, signer, [
        ann!,
        { ...ann!, userId: 'bob' },
        { ...ann!, redPacketId: 'r1-1', amount: '2.00' },
      ]),
    ).toEqual([{ rainId: 'r1', putBack: 1, contested: 2, lost: undefined }]);
    expect(await redis.hlen(keys.claimed)).toBe(1);
    // The log names both packets now, so nobody else can get either.
    expect(await redis.llen(keys.packets)).toBe(4);
  });

  test('[R7] a rain that was closed meanwhile accepts them; a settled one does not, and the lost wins are reported', async () => {
    const wins = await grab('ann', 'bob');
    await lose(2);
    await close(redis, 'r1', 1, 'early');
    expect(await restoreSentWins(redis, signer, wins.slice(0, 1))).toMatchObject([{ putBack: 1 }]);
    expect(await settle(redis, 'r1', { shards: 1, title: '' }, { ttlMs: 60_000 })).toBe(true);
    const before = await dump(redis);
    expect(await restoreSentWins(redis, signer, wins)).toEqual([
      { rainId: 'r1', putBack: 0, contested: 0, lost: { why: 'settled', claims: wins.slice(1) } },
    ]);
    expect(await dump(redis)).toEqual(before);
  });

  test('all wins of a rain that Redis has lost are reported, and no key is written', async () => {
    const wins = await grab('ann', 'bob');
    await redis.flushall();
    expect(await restoreSentWins(redis, signer, wins)).toEqual([
      { rainId: 'r1', putBack: 0, contested: 0, lost: { why: 'gone', claims: wins } },
    ]);
    expect(await redis.dbsize()).toBe(0);
  });

  test('[R8] a claim that is added after the audit keeps the rain from being settled', async () => {
    const wins = await grab('ann', 'bob');
    await lose(1);
    await close(redis, 'r1', 1, 'early');
    await restoreSentWins(redis, signer, wins);
    expect(await settle(redis, 'r1', { shards: 1, title: '' }, { ttlMs: 60_000, seen: [1] })).toBe(false);
    expect(await redis.hget(keys.state, 'state')).toBe('closed');
    expect(await settle(redis, 'r1', { shards: 1, title: '' }, { ttlMs: 60_000, seen: [2] })).toBe(true);
  });

  test('[R8] once the money is about to move nothing is put back: the answer is "frozen", and then "settled"', async () => {
    const wins = await grab('ann', 'bob');
    await lose(1);
    const live = { shards: 1, title: '' };
    expect(await freeze(redis, 'r1', live, [1]), 'an open rain').toBe(false);
    await close(redis, 'r1', 1, 'early');
    expect(await freeze(redis, 'r1', live, [2]), 'a log that is not as the audit saw it').toBe(false);
    expect(await freeze(redis, 'r1', live, [1])).toBe(true);
    expect(await freeze(redis, 'r1', live, [1])).toBe(true);
    const before = await dump(redis);
    await expect(restoreSentWins(redis, signer, wins)).rejects.toThrow('the rain r1 is being settled');
    expect(await dump(redis)).toEqual(before);
    expect(await settle(redis, 'r1', live, { ttlMs: 60_000, seen: [1] })).toBe(true);
    expect(await restoreSentWins(redis, signer, wins)).toMatchObject([{ lost: { why: 'settled' } }]);
  });

  test('[R2] the packet of a contested claim leaves the list: it is not granted again', async () => {
    const wins = await grab('ann', 'bob');
    await lose(2);
    await grab('bob'); // Bob has ann's packet now.
    expect(await restoreSentWins(redis, signer, wins)).toEqual([
      { rainId: 'r1', putBack: 0, contested: 2, lost: undefined },
    ]);
    expect(await redis.lrange(keys.packets, 0, -1)).not.toContainEqual(expect.stringContaining('"r1-1"'));
    expect(await log()).toEqual(['bob r1-0', 'ann r1-0', 'bob r1-1']);
  });

  test('a rain that cannot be checked does not delay the others', async () => {
    await stockRain(redis, { rainId: 'r0', amounts: ['1.00'] });
    const [broken] = await engine.grab('r0', 0, ['ann']);
    const wins = await grab('ann', 'bob');
    await redis.del(shardKeys('r0', 0).claimed);
    await redis.set(shardKeys('r0', 0).claimed, 'of another type');
    await lose(1);
    const also: SentWin = {
      rainId: 'r0',
      shard: 0,
      userId: 'ann',
      redPacketId: 'r0-0',
      amount: 'amount' in broken! ? broken.amount : '',
      at: Date.now(),
    };
    const error = await restoreSentWins(redis, signer, [also, ...wins]).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(String(error)).toMatch(/1 of 2 shards.*WRONGTYPE/);
    expect(await log()).toEqual(['ann r1-0', 'bob r1-1']);
    expect((error as RestoreFault).restored, 'the results of the others are reported').toEqual([
      { rainId: 'r1', putBack: 1, contested: 0, lost: undefined },
    ]);
  });

  test.each(['packets', 'claimed', 'claims', 'restored'] as const)(
    'with %s of a wrong type nothing at all is written',
    async (name) => {
      const wins = await grab('ann', 'bob');
      await lose(2);
      await grab('zoe');
      await redis.del(keys[name]);
      await redis.set(keys[name], 'of another type');
      const before = await dump(redis);
      await expect(restoreSentWins(redis, signer, wins)).rejects.toThrow(/WRONGTYPE/);
      expect(await dump(redis)).toEqual(before);
    },
  );

  test('[R10] a thousand lost wins are put back in small calls, in the order in which they were sent', async () => {
    await redis.flushall();
    await stockRain(redis, { rainId: 'r1', amounts: Array.from({ length: 3_000 }, () => '0.01') });
    const wins: SentWin[] = [];
    for (let i = 0; i < 1_000; i += 250)
      wins.push(...(await grab(...Array.from({ length: 250 }, (_, j) => `u${i + j}`))));
    const before = await dump(redis, '*packets');
    await lose(1_000);
    expect(await restoreSentWins(redis, signer, wins)).toEqual([
      { rainId: 'r1', putBack: 1_000, contested: 0, lost: undefined },
    ]);
    expect(await dump(redis, '*packets')).toEqual(before);
    expect(await log()).toEqual(wins.map(({ userId, redPacketId }) => `${userId} ${redPacketId}`));
  });
});
