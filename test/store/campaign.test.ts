import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { enlist, leave, WINS_MAX } from '../../src/store/campaign.ts';
import { createGrabEngine, type GrabAnswer } from '../../src/grab/engine.ts';
import { campaignKeys, shardOf } from '../../src/store/keys.ts';
import { close, pause, resume, settle } from '../../src/store/transitions.ts';
import { findRain } from '../../src/store/rains.ts';
import { restoreSentWins, type SentWin } from '../../src/grab/restore.ts';
import { dump, openRedis, stockRain } from '../support/rain.ts';
import { signer } from '../support/signer.ts';

const SEED = Number(process.env['MODEL_SEED'] ?? 20_261_125);
const { redis } = await openRedis();
const engine = createGrabEngine(redis, (fault) => {
  throw fault;
});
const amounts = (count: number) => Array.from({ length: count }, () => '1.00');
const grab = (rainId: string, ...users: string[]) => engine.grab(rainId, 0, users);
const codes = async (rainId: string, ...users: string[]) => (await grab(rainId, ...users)).map(({ code }) => code);

describe('a user in the rounds of a campaign', () => {
  test('wins as often as the campaign allows, then gets the win limit code, and every first answer stands [R6]', async () => {
    for (const round of [1, 2, 3]) await stockRain(redis, { rainId: `cap.${round}`, amounts: amounts(3), winsMax: 2 });
    expect(await codes('cap.1', 'ann')).toEqual(['0']);
    expect(await codes('cap.2', 'ann', 'bob', 'ann')).toEqual(['0', '0', '1']);
    const before = await dump(redis);
    expect(await codes('cap.3', 'ann')).toEqual(['-11']);
    // [R11] a refusal for the win limit leaves no trace.
    expect(await dump(redis)).toEqual(before);
    expect(await codes('cap.3', 'bob', 'cat')).toEqual(['0', '0']);
    expect(await codes('cap.1', 'ann', 'bob')).toEqual(['1', '-11']);
    expect(await redis.hgetall(campaignKeys('cap.1', 0).wins)).toEqual({ ann: ',1,,2,', bob: ',2,,3,', cat: ',3,' });
  });

  test('gets nothing in a round for users without a win, even below the cap', async () => {
    await stockRain(redis, { rainId: 'fresh.1', amounts: amounts(2), winsMax: 5 });
    await stockRain(redis, { rainId: 'fresh.2', amounts: amounts(2), winsMax: 1 });
    await codes('fresh.1', 'ann');
    expect(await codes('fresh.2', 'ann', 'bob')).toEqual(['-11', '0']);
    // Also in a round that allows another win, if the user has won in the other round first.
    expect(await codes('fresh.1', 'bob')).toEqual(['0']);
  });

  test('gets the answer about the window first, the own packet before that, and "nothing left" only if a win was possible', async () => {
    await stockRain(redis, { rainId: 'order.1', amounts: amounts(1), winsMax: 1 });
    await stockRain(redis, { rainId: 'order.2', amounts: amounts(1), winsMax: 1 });
    await stockRain(redis, { rainId: 'order.3', amounts: amounts(1), winsMax: 1, opensInMs: 60_000 });
    await codes('order.1', 'ann');
    expect(await codes('order.3', 'ann', 'bob')).toEqual(['-2', '-2']);
    expect(await codes('order.2', 'ann', 'bob', 'ann', 'cat', 'ann')).toEqual(['-11', '0', '-11', '-1', '-11']);
    await pause(redis, 'order.2', 1);
    expect(await codes('order.2', 'ann', 'bob', 'cat')).toEqual(['-4', '1', '-4']);
    await resume(redis, 'order.2', 1);
    await close(redis, 'order.2', 1, 'early');
    expect(await codes('order.2', 'ann', 'bob')).toEqual(['-3', '1']);
  });

  test("is counted separately in another campaign, and in a rain with the campaign's name", async () => {
    for (const rainId of ['self.1', 'other.1', 'self.10'])
      await stockRain(redis, { rainId, amounts: amounts(1), winsMax: 1 });
    await stockRain(redis, { rainId: 'self', amounts: amounts(1) });
    expect([
      await codes('self.1', 'ann'),
      await codes('self', 'ann'),
      await codes('other.1', 'ann'),
      await codes('self.10', 'ann'),
    ]).toEqual([['0'], ['0'], ['0'], ['-11']]);
  });

  test('gets "busy" if the campaign\'s wins cannot be read, and nothing is granted', async () => {
    await stockRain(redis, { rainId: 'broken.1', amounts: amounts(1), winsMax: 1 });
    await redis.set(campaignKeys('broken.1', 0).wins, 'of another type');
    const before = await dump(redis, 'rain:{broken*');
    expect(await createGrabEngine(redis, () => {}).grab('broken.1', 0, ['ann'])).toEqual([{ code: '-7' }]);
    expect(await dump(redis, 'rain:{broken*')).toEqual(before);
  });
});

describe('the wins of a campaign', () => {
  test('[R4] count once when put back after a failover, however often, and also when contested', async () => {
    for (const round of [1, 2, 3]) await stockRain(redis, { rainId: `back.${round}`, amounts: amounts(2), winsMax: 2 });
    const sentWin = (userId: string, packet: number): SentWin => ({
      rainId: 'back.1',
      shard: 0,
      userId,
      redPacketId: `back.1-${packet}`,
      amount: '1.00',
      at: 1_795_000_000_000,
    });
    // The first packet has gone to another user meanwhile.
    await codes('back.1', 'new');
    for (const _ of [1, 2]) await restoreSentWins(redis, signer, [sentWin('ann', 1), sentWin('bob', 0)]);
    expect(await redis.hgetall(campaignKeys('back.1', 0).wins)).toEqual({ new: ',1,', ann: ',1,', bob: ',1,' });
    expect(await codes('back.2', 'ann', 'bob')).toEqual(['0', '0']);
    expect(await codes('back.3', 'ann', 'bob')).toEqual(['-11', '-11']);
    // The ledger decides about the contested claim; the user gets no second one.
    expect(await codes('back.1', 'ann', 'bob')).toEqual(['1', '-11']);
  });

  test('expire only when the last round is settled, and live on when another round is added', async () => {
    for (const round of [1, 2]) await stockRain(redis, { rainId: `ttl.${round}`, amounts: amounts(1), winsMax: 1 });
    const { wins, rounds } = campaignKeys('ttl.1', 0);
    const end = async (rainId: string) => {
      await close(redis, rainId, 1, 'early');
      expect(await settle(redis, rainId, (await findRain(redis, rainId))!, { ttlMs: 60_000 })).toBe(true);
    };
    await codes('ttl.1', 'ann');
    await end('ttl.1');
    expect([await redis.pttl(wins), await redis.smembers(rounds)]).toEqual([-1, ['2']]);
    await end('ttl.2');
    expect(await redis.pttl(wins)).toBeGreaterThan(0);
    await stockRain(redis, { rainId: 'ttl.3', amounts: amounts(1), winsMax: 1 });
    expect(await redis.pttl(wins)).toBe(-1);
    expect(await codes('ttl.3', 'ann')).toEqual(['-11']);
    // Settled twice, as after a crash, while another one goes on.
    await leave(redis, 'ttl.1', 1, 60_000);
    expect(await redis.pttl(wins)).toBe(-1);
    // A settled round is not added again, or its campaign would never end.
    expect(await enlist(redis, 'ttl.1', 0, [])).toBe(false);
    expect(await enlist(redis, 'ttl.9', 0, [])).toBe(false);
  });

  test('accept known wins from elsewhere, twice and in any order, without growing', async () => {
    await stockRain(redis, { rainId: 'known.12', amounts: amounts(1), winsMax: 9 });
    const wins = Array.from({ length: WINS_MAX }, (_, i) => ({
      userId: `user-${i % 100}`,
      round: 1 + Math.floor(i / 100),
    }));
    for (const some of [wins, wins.toReversed(), [{ userId: 'user-1', round: 12 }]])
      expect(await enlist(redis, 'known.12', 0, some)).toBe(true);
    const found = await redis.hgetall(campaignKeys('known.12', 0).wins);
    expect(Object.keys(found)).toHaveLength(100);
    expect([found['user-0'], found['user-1']]).toEqual([',1,,2,,3,,4,,5,', ',1,,2,,3,,4,,5,,12,']);
  });
});

test('a rain without a campaign runs no extra commands', async () => {
  await stockRain(redis, { rainId: 'plain', amounts: amounts(4) });
  await grab('plain', 'warm');
  const cost = async (...users: string[]) => {
    await redis.config('RESETSTAT');
    await grab('plain', ...users);
    const stats = (await redis.info('commandstats')).matchAll(/^cmdstat_([a-z|]+):calls=(\d+)/gm);
    return Object.fromEntries(
      [...stats].map(([, name, calls]) => [name!, Number(calls)]).filter(([name]) => name !== 'config|resetstat'),
    );
  };
  expect(await cost('a', 'b', 'warm')).toEqual({
    evalsha: 1,
    hmget: 2,
    time: 1,
    lrange: 1,
    llen: 2,
    hset: 1,
    lpush: 1,
    rpop: 1,
  });
  expect(await cost('warm')).toEqual({ evalsha: 1, hmget: 2, time: 1 });
  await grab('plain', 'c');
  expect(await cost('d', 'e')).toEqual({ evalsha: 1, hmget: 2, time: 1, lrange: 1 });
});

interface Played {
  packets: number;
  winsMax: number;
}
interface Move {
  round: number;
  users: number[];
}

describe.each([1, 4])('[R1][R2] overlapping rounds with %i shard(s)', (shards) => {
  let campaigns = 0;
  const plan = fc.record({
    rounds: fc.array(fc.record({ packets: fc.integer({ min: 1, max: 12 }), winsMax: fc.integer({ min: 1, max: 3 }) }), {
      minLength: 2,
      maxLength: 4,
    }),
    moves: fc.array(fc.record({ round: fc.nat(3), users: fc.array(fc.nat(9), { minLength: 1, maxLength: 12 }) }), {
      minLength: 4,
      maxLength: 24,
      size: 'max',
    }),
  });

  test('behave like a model: nobody wins beyond the cap, every packet goes to one user, and a retry changes nothing', async () => {
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(plan, async ({ rounds, moves }: { rounds: Played[]; moves: Move[] }) => {
        const campaign = `model-${shards}-${campaigns++}`;
        const idOf = (round: number) => `${campaign}.${round + 1}`;
        for (const [i, { packets, winsMax }] of rounds.entries())
          await stockRain(redis, { rainId: idOf(i), amounts: amounts(packets), shards, winsMax });
        const left = rounds.map(({ packets }) =>
          Array.from({ length: shards }, (_, shard) => Math.floor((packets - shard + shards - 1) / shards)),
        );
        const held = rounds.map(() => new Map<string, string>());
        const expected = (round: number, user: string): '1' | '-11' | '-1' | '0' => {
          if (held[round]!.has(user)) return '1';
          if (held.filter((won) => won.has(user)).length >= rounds[round]!.winsMax) return '-11';
          return left[round]![shardOf(user, shards)] === 0 ? '-1' : '0';
        };
        for (const { round: any, users } of moves) {
          const round = any % rounds.length;
          for (let shard = 0; shard < shards; shard++) {
            const names = users.map((user) => `user-${user}`).filter((user) => shardOf(user, shards) === shard);
            if (names.length === 0) continue;
            const answers = await engine.grab(idOf(round), shard, names);
            for (const [i, user] of names.entries()) {
              const answer: GrabAnswer = answers[i]!;
              const code = expected(round, user);
              expect(answer.code).toBe(code);
              if (code === '-11') refused++;
              if (code === '0') left[round]![shard]!--;
              if (!('redPacketId' in answer)) continue;
              expect(held[round]!.get(user) ?? answer.redPacketId).toBe(answer.redPacketId);
              held[round]!.set(user, answer.redPacketId);
            }
          }
        }
        for (const won of held) expect(new Set(won.values()).size).toBe(won.size);
        const most = Math.max(...rounds.map(({ winsMax }) => winsMax));
        for (let user = 0; user < 10; user++)
          expect(held.filter((won) => won.has(`user-${user}`)).length).toBeLessThanOrEqual(most);
      }),
      { seed: SEED, numRuns: 60 },
    );
    expect(refused).toBeGreaterThan(60);
  }, 60_000);
});
