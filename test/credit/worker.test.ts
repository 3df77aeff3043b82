import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ledgerProvider } from '../../src/credit/ledgerProvider.ts';
import { deadLetterId } from '../../src/credit/deadLetter.ts';
import { areDeadLettered } from '../../src/credit/deadLetters.ts';
import { creditJobId, type CreditJob } from '../../src/credit/job.ts';
import type { Claim } from '../../src/rain/claim.ts';
import { randomSource } from '../../src/rain/fairness.ts';
import { claimOf, claimsOf, expectBalanced, newRain, sumOfFirst } from '../ledger/claims.ts';
import { eventually } from '../support/eventually.ts';
import { openRoom, type Room } from './room.ts';

describe('the credit worker', () => {
  let room: Room;
  beforeAll(async () => {
    room = await openRoom();
  });
  afterEach(async () => {
    await room.rest();
    await expectBalanced(room.database);
  });
  afterAll(() => room?.stop());

  const jobOf = (rainId: string, from: number, claims: readonly (Claim | string)[]): CreditJob => ({
    rainId,
    shard: 0,
    from,
    entries: claims.map((claim) => (typeof claim === 'string' ? claim : JSON.stringify(claim))),
  });
  const add = (job: CreditJob, again?: string, opts = {}) =>
    room.queue.add('range', job, { jobId: creditJobId(job, again), ...opts });
  const credited = async (rainId: string) => (await room.ledger.book(rainId))!.credited;
  const drained = () =>
    eventually(async () => (await room.queue.getJobCountByTypes('waiting', 'active', 'delayed')) === 0, {
      timeoutMs: 20_000,
    });

  it('[R5] credits a range that is delivered twice, and overlapping ranges, once', async () => {
    room.work();
    await room.ledger.createRain(newRain('twice', sumOfFirst(300)), 'ann');
    const whole = jobOf('twice', 0, claimsOf('twice', 0, 300));
    await Promise.all([
      add(whole),
      add(whole),
      add(whole, '1'),
      add(whole, '2'),
      add(jobOf('twice', 100, claimsOf('twice', 100, 250))),
    ]);
    await drained();
    expect(await credited('twice')).toEqual({ count: 300, cents: sumOfFirst(300) });
    expect(await room.letters('twice')).toEqual([]);
  });

  it('a letter whose key somebody has written before is in the list all the same; the key alone is no letter', async () => {
    room.work();
    await room.ledger.createRain(newRain('forestalled', sumOfFirst(3)), 'ann');
    const entries = ['torn', 'cut', 'worn'].map((entry, index) => ({ rainId: 'forestalled', shard: 0, index, entry }));
    const [torn, cut] = entries.map((entry) => room.dead.toKey(deadLetterId(entry)));
    await room.hand.hset(
      torn!,
      'name',
      'malformed',
      'data',
      JSON.stringify({ ...entries[0]!, reason: 'malformed', detail: '' }),
      'opts',
      '{}',
      'timestamp',
      '1',
    );
    await room.hand.set(cut!, 'not a hash');
    expect(await areDeadLettered(room.dead, entries)).toEqual([false, false, false]);
    await add(
      jobOf(
        'forestalled',
        0,
        entries.map(({ entry }) => entry),
      ),
    );
    await eventually(async () =>
      expect((await room.letters('forestalled')).map(({ entry }) => entry)).toEqual(['torn', 'cut', 'worn']),
    );
    expect(await areDeadLettered(room.dead, entries)).toEqual([true, true, true]);
    await drained();
  });

  it('[R5] with four workers on shuffled, overlapping ranges credits each claim once', async () => {
    const seed = randomBytes(32).toString('hex');
    const random = randomSource(seed, 'ranges');
    await room.ledger.createRain(newRain('crowd', sumOfFirst(1_000)), 'ann');
    const jobs = Array.from({ length: 60 }, (_, i) => {
      const from = i < 10 ? i * 100 : random.belowNumber(900);
      return jobOf('crowd', from, claimsOf('crowd', from, from + 100));
    });
    for (let worker = 0; worker < 4; worker++) room.work();
    await room.queue.addBulk(
      jobs.map((data, i) => ({ name: 'range', data, opts: { jobId: creditJobId(data, String(i)) } })),
    );
    await drained();
    expect({ seed, ...(await credited('crowd')) }).toEqual({ seed, count: 1_000, cents: sumOfFirst(1_000) });
  });

  it('sends a packet that was told twice to the dead letters: the first credit is kept, nothing is paid twice', async () => {
    room.work();
    await room.ledger.createRain(newRain('promised', 1_000n), 'ann');
    const first = claimOf('promised', 4);
    await add(jobOf('promised', 0, [first]));
    await drained();
    await add(jobOf('promised', 1, [claimOf('promised', 5), { ...first, userId: 'late' }, claimOf('promised', 6)]));
    const [letter] = await eventually(async () => {
      const letters = await room.letters('promised');
      expect(letters).toHaveLength(1);
      return letters;
    });
    expect(letter).toMatchObject({
      index: 2,
      reason: 'told_twice',
      entry: JSON.stringify({ ...first, userId: 'late' }),
    });
    expect(letter!.detail).toContain('"userId":"u4","amount":"0.05"');
    await drained();
    expect(await room.ledger.balance('late')).toBe(0n);
    expect(await credited('promised')).toEqual({ count: 3, cents: 5n + 6n + 7n });
  });

  it('bisects to poison entries; the others are credited, and each poison entry is one dead letter however often its job runs', async () => {
    room.work();
    await room.ledger.createRain(newRain('poison', 10_000n), 'ann');
    const good = claimsOf('poison', 0, 40);
    const entries: (Claim | string)[] = [...good];
    entries.splice(
      7,
      0,
      'not a claim',
      claimOf('poison', 50, { amount: '99999.99' }),
      claimOf('elsewhere', 51),
      '{"__proto__":{}}',
    );
    entries.splice(
      30,
      0,
      claimOf('poison', 52, { redPacketId: '\ud800' }),
      claimOf('poison', 53, { amount: '99999.98' }),
      claimOf('poison', 54, { redPacketId: 'n\0' }),
    );
    const job = jobOf('poison', 100, entries);
    await add(job);
    await add(job, 'once more');
    await drained();
    expect(await credited('poison')).toEqual({ count: 40, cents: sumOfFirst(40) });
    expect((await room.letters('poison')).map(({ index, reason }) => [index, reason])).toEqual([
      [107, 'malformed'],
      [108, 'refused'],
      [109, 'wrong_rain'],
      [110, 'malformed'],
      [130, 'malformed'],
      [131, 'refused'],
      [132, 'malformed'],
    ]);
  });

  it('[R8] never pays beyond the budget: what it cannot pay is a dead letter', async () => {
    room.work();
    await room.ledger.createRain(newRain('budget', 10n), 'ann');
    await add(jobOf('budget', 0, claimsOf('budget', 0, 6)));
    await drained();
    expect(await credited('budget')).toEqual({ count: 4, cents: 10n });
    expect((await room.letters('budget')).map(({ index, reason }) => [index, reason])).toEqual([
      [4, 'refused'],
      [5, 'refused'],
    ]);
  });

  it('announces a credit after its commit and never before', async () => {
    const seen: { told: string[]; balances: bigint[] }[] = [];
    await room.ledger.createRain(newRain('told', 1_000n), 'ann');
    room.work({
      async onCredited(rainId, shard, claims) {
        expect([rainId, shard]).toEqual(['told', 0]);
        const balances = await Promise.all(claims.map(({ userId }) => room.ledger.balance(userId)));
        seen.push({ told: claims.map(({ userId }) => userId), balances });
      },
    });
    const claims = [claimOf('told', 0, { userId: 'told-a' }), claimOf('told', 1, { userId: 'told-b' })];
    await add(jobOf('told', 0, claims));
    await drained();
    expect(seen).toEqual([{ told: ['told-a', 'told-b'], balances: [1n, 2n] }]);
  });

  it('tries again after a fault before, in and after the posting, and credits once', async () => {
    const faults = { before: 2, after: 1, told: 2 };
    const told: number[] = [];
    const real = ledgerProvider(room.ledger);
    await room.ledger.createRain(newRain('faults', 1_000n), 'ann');
    room.work({
      balance: {
        async post(rainId, claims) {
          if (faults.before-- > 0) throw new Error('the connection was refused');
          const outcomes = await real.post(rainId, claims);
          if (faults.after-- > 0) throw new Error('the answer to the commit was lost');
          return outcomes;
        },
      },
      async onCredited(_rainId, _shard, claims) {
        told.push(claims.length);
        if (faults.told-- > 0) throw new Error('Redis went away');
      },
    });
    const job = await add(jobOf('faults', 0, claimsOf('faults', 0, 10)));
    await drained();
    expect(await credited('faults')).toEqual({ count: 10, cents: sumOfFirst(10) });
    expect(told).toEqual([10, 10, 10]);
    expect((await room.queue.getJob(job.id!))!.attemptsMade).toBe(6);
    expect(await room.letters('faults')).toEqual([]);
  });

  it('keeps a job that has used up its attempts, and works on', async () => {
    await room.ledger.createRain(newRain('used', 1_000n), 'ann');
    const real = ledgerProvider(room.ledger);
    room.work({
      balance: {
        post: async (rainId, claims) =>
          claims.length === 3 ? Promise.reject(new Error('never')) : real.post(rainId, claims),
      },
    });
    const kept = await add(jobOf('used', 0, claimsOf('used', 0, 3)), undefined, { attempts: 3 });
    await add(jobOf('used', 3, claimsOf('used', 3, 5)));
    await drained();
    expect(await (await room.queue.getJob(kept.id!))!.getState()).toBe('failed');
    expect(await credited('used')).toEqual({ count: 2, cents: 4n + 5n });
  });

  it('gives up a job that cannot be read at its first attempt [R12]', async () => {
    room.work();
    await room.ledger.createRain(newRain('read', 1_000n), 'ann');
    const unread = await room.queue.add('range', { rainId: 'read', shard: 0, from: -1, entries: [] } as CreditJob, {
      jobId: 'unreadable-job',
    });
    await add(jobOf('read', 0, claimsOf('read', 0, 1)));
    await drained();
    const failed = (await room.queue.getJob(unread.id!))!;
    expect([await failed.getState(), failed.attemptsMade, failed.failedReason]).toEqual([
      'failed',
      1,
      expect.stringContaining('from:'),
    ]);
    expect(await credited('read')).toMatchObject({ count: 1 });
  });
});
