import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CreditJob } from '../../src/credit/job.ts';
import { LIVE_RAINS_KEY, shardKeys } from '../../src/store/keys.ts';
import { loadScripts, run } from '../../src/store/scripts.ts';
import type { Claim } from '../../src/rain/claim.ts';
import { createRelay, type RelayOptions } from '../../src/relay/relay.ts';
import { createLog } from '../../src/platform/telemetry/log.ts';
import { openRoom, type Room } from '../credit/room.ts';
import { claimOf, claimsOf, expectBalanced, newRain, sumOfFirst } from '../ledger/claims.ts';
import { eventually } from '../support/eventually.ts';
import { dump } from '../support/rain.ts';

describe('the relay', () => {
  let room: Room;
  beforeAll(async () => {
    room = await openRoom();
    await loadScripts(room.hand);
  });
  beforeEach(async () => {
    await room.queue.obliterate({ force: true });
    await room.hand.del(LIVE_RAINS_KEY);
  });
  afterEach(async () => {
    await room.rest();
    await expectBalanced(room.database);
  });
  afterAll(() => room?.stop());

  const relayOf = (options: Partial<RelayOptions> = {}) =>
    createRelay({
      redis: room.redis,
      queue: room.queue,
      log: createLog('relay', 'silent'),
      busyMs: 1,
      idleMs: 5,
      ...options,
    });
  const live = async (rainId: string, shards = 1) => {
    for (let shard = 0; shard < shards; shard++) await room.hand.hset(shardKeys(rainId, shard).state, 'rainId', rainId);
    await room.hand.hset(LIVE_RAINS_KEY, rainId, JSON.stringify({ shards, title: rainId }));
  };
  const win = (rainId: string, claims: readonly Claim[], shard = 0) =>
    room.hand.lpush(shardKeys(rainId, shard).claims, ...claims.map((claim) => JSON.stringify(claim)));
  const cursor = async (rainId: string, shard = 0) => Number(await room.hand.get(shardKeys(rainId, shard).relayed));
  const jobs = async () =>
    (await room.queue.getJobs(['waiting', 'completed', 'failed'], 0, -1, true))
      .map(({ data }) => data)
      .sort((a, b) => a.from - b.from);
  const users = (job: CreditJob | undefined) => job?.entries.map((entry) => (JSON.parse(entry) as Claim).userId);
  const drained = () =>
    eventually(async () => (await room.queue.getJobCountByTypes('waiting', 'active', 'delayed')) === 0, {
      timeoutMs: 20_000,
    });

  it('carries the log in ranges of at most 500, oldest first, and moves the cursor', async () => {
    await live('order');
    await win('order', claimsOf('order', 0, 700));
    const relay = relayOf();
    expect(await relay.round()).toBe('more');
    expect(await cursor('order')).toBe(500);
    expect(await relay.round()).toBe('carried');
    await win('order', claimsOf('order', 700, 703));
    expect(await relay.round()).toBe('carried');
    const carried = await jobs();
    expect(carried.map(({ from, entries }) => [from, entries.length])).toEqual([
      [0, 500],
      [500, 200],
      [700, 3],
    ]);
    expect(carried.flatMap(users)).toEqual(Array.from({ length: 703 }, (_, n) => `u${n}`));
    expect(await cursor('order')).toBe(703);
    await relay.stop();
  });

  it('carries every shard of every live rain, and no other rain', async () => {
    await live('many', 3);
    await live('other');
    await room.hand.hset(LIVE_RAINS_KEY, 'unreadable', 'no JSON');
    for (const shard of [0, 1, 2]) await win('many', claimsOf('many', shard * 10, shard * 10 + 5), shard);
    await win('other', claimsOf('other', 0, 1));
    await win('gone', claimsOf('gone', 0, 1));
    const relay = relayOf();
    await relay.round();
    expect((await jobs()).map(({ rainId, shard }) => `${rainId}/${shard}`).sort()).toEqual([
      'many/0',
      'many/1',
      'many/2',
      'other/0',
    ]);
    await relay.stop();
  });

  it('[R11] writes nothing while there is nothing to carry', async () => {
    await live('quiet', 2);
    const before = await dump(room.hand, 'rain:*');
    const relay = relayOf();
    expect(await relay.round()).toBe('idle');
    expect(await dump(room.hand, 'rain:*')).toEqual(before);
    await relay.stop();
  });

  it('[R5] killed between queue and cursor, it sends again, and nothing is credited twice', async () => {
    await live('killed');
    await room.ledger.createRain(newRain('killed', sumOfFirst(20)), 'ann');
    await win('killed', claimsOf('killed', 0, 10));
    let kills = 1;
    const relay = relayOf({
      runScript: (redis, name, keys, args) =>
        name === 'relay' && kills-- > 0 ? Promise.reject(new Error('killed')) : run(redis, name, keys, args),
    });
    expect(await relay.round()).toBe('idle');
    expect([await cursor('killed'), (await jobs()).length]).toEqual([0, 1]);
    // More is won before the next start, so that the range sent again is another one, which overlaps the first.
    await win('killed', claimsOf('killed', 10, 20));
    expect(await relay.round()).toBe('carried');
    expect((await jobs()).map(({ from, entries }) => [from, entries.length])).toEqual([
      [0, 10],
      [0, 20],
    ]);
    room.work();
    await drained();
    expect((await room.ledger.book('killed'))!.credited).toEqual({ count: 20, cents: sumOfFirst(20) });
    await relay.stop();
  });

  it('[R5] two relays that both have the lease lose nothing and credit nothing twice', async () => {
    const wins = 3_000;
    await live('two', 2);
    await room.ledger.createRain(newRain('two', sumOfFirst(wins)), 'ann');
    const relays = [relayOf({ owner: 'both' }), relayOf({ owner: 'both' })];
    for (const relay of relays) relay.start();
    room.work();
    for (let n = 0; n < wins; n += 60) {
      await win('two', claimsOf('two', n, n + 30), 0);
      await win('two', claimsOf('two', n + 30, n + 60), 1);
    }
    await eventually(
      async () => expect((await room.ledger.book('two'))!.credited).toEqual({ count: wins, cents: sumOfFirst(wins) }),
      { timeoutMs: 20_000 },
    );
    await Promise.all(relays.map((relay) => relay.stop()));
    expect([await cursor('two', 0), await cursor('two', 1)]).toEqual([wins / 2, wins / 2]);
    expect(await room.letters('two')).toEqual([]);
  });

  it('carries without the lease when nobody moves the cursor: somebody else may hold it for ever', async () => {
    await live('kept');
    await win('kept', claimsOf('kept', 0, 3));
    await room.hand.set(shardKeys('kept', 0).lease, 'thief', 'PX', 600_000);
    const relay = relayOf({ leasedMs: 50 });
    relay.start();
    await eventually(async () => expect(await cursor('kept')).toBe(3));
    await room.hand.set(shardKeys('kept', 0).lease, 'thief', 'PX', 600_000);
    await eventually(async () => expect(await relay.resend('kept', 0, 0, 3)).toBe(3));
    expect((await jobs()).map(({ from, entries }) => [from, entries.length])).toEqual([
      [0, 3],
      [0, 3],
    ]);
    await relay.stop();
  });

  it('that lost its lease half-way does not move the cursor of the other relay back', async () => {
    await live('late');
    await win('late', claimsOf('late', 0, 3));
    const other = relayOf();
    const late = relayOf({
      leaseMs: 1,
      async runScript(redis, name, keys, args) {
        await eventually(async () => (await room.hand.exists(shardKeys('late', 0).lease)) === 0);
        await win('late', claimsOf('late', 3, 8));
        expect(await other.round()).toBe('carried');
        return run(redis, name, keys, args);
      },
    });
    expect(await late.round()).toBe('idle');
    expect(await cursor('late')).toBe(8);
    await Promise.all([late.stop(), other.stop()]);
  });

  it('leaves a shard to the relay with its lease, and takes over when that one is gone', async () => {
    await live('lease');
    await win('lease', claimsOf('lease', 0, 3));
    const [first, second] = [relayOf({ owner: 'first', leaseMs: 60_000 }), relayOf({ owner: 'second' })];
    expect(await first.round()).toBe('carried');
    expect(await room.hand.get(shardKeys('lease', 0).lease)).toBe('first');
    expect(await room.hand.pttl(shardKeys('lease', 0).lease)).toBeGreaterThan(0);
    await win('lease', claimsOf('lease', 3, 5));
    expect(await second.round()).toBe('idle');
    await first.stop();
    expect(await room.hand.exists(shardKeys('lease', 0).lease)).toBe(0);
    expect(await second.round()).toBe('carried');
    expect(await cursor('lease')).toBe(5);
    await second.stop();
  });

  it('[R10] adds no more jobs while too many wait', async () => {
    await live('full');
    await win('full', claimsOf('full', 0, 1_200));
    const relay = relayOf({ waitingJobsMax: 2 });
    expect([await relay.round(), await relay.round(), await relay.round()]).toEqual(['more', 'more', 'idle']);
    expect(await cursor('full')).toBe(1_000);
    await room.ledger.createRain(newRain('full', 10_000_000n), 'ann');
    room.work();
    await drained();
    expect(await relay.round()).toBe('carried');
    await relay.stop();
  });

  it('is not delayed by a shard that cannot be carried', async () => {
    await live('broken');
    await live('whole');
    await room.hand.set(shardKeys('broken', 0).claims, 'not a list');
    await win('whole', claimsOf('whole', 0, 2));
    const relay = relayOf();
    expect(await relay.round()).toBe('carried');
    expect((await jobs()).map(({ rainId }) => rainId)).toEqual(['whole']);
    await room.hand.del(shardKeys('broken', 0).claims);
    await win('broken', claimsOf('broken', 0, 2));
    expect(await relay.round()).toBe('carried');
    await relay.stop();
  });

  it('starts over when the log is shorter than the cursor', async () => {
    await live('short');
    await win('short', claimsOf('short', 0, 4));
    await room.hand.set(shardKeys('short', 0).relayed, '9');
    const relay = relayOf();
    expect(await relay.round()).toBe('carried');
    expect((await jobs()).map(users)).toEqual([['u0', 'u1', 'u2', 'u3']]);
    expect(await cursor('short')).toBe(4);
    await relay.stop();
  });

  it('[R5] carries other claims at the same position, as after a failover, although the queue still has the range', async () => {
    await live('failover');
    await room.ledger.createRain(newRain('failover', 1_000n), 'ann');
    room.work();
    await win('failover', claimsOf('failover', 0, 3));
    const relay = relayOf();
    await relay.round();
    await drained();
    // The new master has lost two wins and the cursor, and has won two others since.
    await room.hand.ltrim(shardKeys('failover', 0).claims, 2, -1);
    await room.hand.del(shardKeys('failover', 0).relayed);
    await win('failover', [claimOf('failover', 7), claimOf('failover', 8)]);
    await relay.round();
    await drained();
    expect((await room.ledger.book('failover'))!.credited).toEqual({ count: 5, cents: 1n + 2n + 3n + 8n + 9n });
    await relay.stop();
  });

  it('[R5] sends a range again on demand, past a permanently failed job of the same range', async () => {
    await live('again');
    await room.ledger.createRain(newRain('again', 1_000n), 'ann');
    await win('again', claimsOf('again', 0, 6));
    const relay = relayOf();
    await relay.round();
    const [job] = await room.queue.getJobs(['waiting']);
    await job!.remove();
    expect(await relay.round()).toBe('idle');
    expect(await relay.resend('again', 0, 0, 4)).toBe(4);
    expect(await relay.resend('again', 0, 2, 100)).toBe(4);
    room.work();
    await drained();
    expect((await room.ledger.book('again'))!.credited).toEqual({ count: 6, cents: sumOfFirst(6) });
    await relay.stop();
  });
});
