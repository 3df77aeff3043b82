import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createGrabEngine, type GrabEngine } from '../../src/grab/engine.ts';
import { shardKeys, shardOf } from '../../src/store/keys.ts';
import { findRain, readRain, redisNow } from '../../src/store/rains.ts';
import { auditRain } from '../../src/operator/audit.ts';
import { createRain } from '../../src/operator/create.ts';
import type { OperatorContext } from '../../src/operator/context.ts';
import { loadRain } from '../../src/operator/load.ts';
import { rescheduleRain, startRain } from '../../src/operator/schedule.ts';
import { settleRain } from '../../src/operator/settle.ts';
import { closeRain } from '../../src/operator/transitions.ts';
import { topUpRain } from '../../src/operator/topUp.ts';
import { verifyRain } from '../../src/operator/verify.ts';
import { claimLog, openTestContext, type TestContext } from '../support/operatorContext.ts';
import { Cut, cutContext } from './cut.ts';

let context: TestContext;
let engine: GrabEngine;
beforeAll(async () => {
  context = await openTestContext();
  engine = createGrabEngine(context.redis, (fault) => {
    throw fault;
  });
});
afterAll(() => context.stop());

const SHARDS = 2;
/** Two chunks a shard, so that a top-up can be cut between them. */
const MORE = { budget: '50.00', packets: 4_500 };

async function createOne(id: string, opensInMs: number): Promise<void> {
  const now = await redisNow(context.redis);
  expect(
    await createRain(context, {
      id,
      plan: { budget: '10.00', packets: 4 },
      opensAt: now + opensInMs,
      closesAt: now + opensInMs + 600_000,
      shards: SHARDS,
    }),
  ).toMatchObject({ ok: true });
}

/**
 * Does it with a process that dies at each of its calls in turn, until it lives to the end.
 * @returns how many calls it takes
 */
async function dieAtEach(
  verb: (at: OperatorContext, round: number) => Promise<{ ok: boolean }>,
  when: 'before' | 'after',
  afterwards: (round: number) => Promise<void>,
): Promise<number> {
  for (let at = 1; ; at++) {
    const dying = cutContext(context, at, when);
    try {
      expect(await verb(dying, at)).toMatchObject({ ok: true });
      expect(dying.calls()).toBeLessThanOrEqual(at);
      return at - 1;
    } catch (error) {
      if (!(error instanceof Cut)) throw error;
    }
    await afterwards(at);
  }
}

const read = async (id: string) => (await readRain(context.redis, id, (await findRain(context.redis, id))!))!;

async function expectWhole(id: string): Promise<void> {
  const { problems, report } = (await auditRain(context, id))!;
  expect(problems).toEqual([]);
  expect(report).toMatchObject({ balanced: true });
}

async function expectEachPacketOnce(id: string, packets: number): Promise<void> {
  const ids: string[] = [];
  for (let shard = 0; shard < SHARDS; shard++) {
    ids.push(
      ...(await context.redis.lrange(shardKeys(id, shard).packets, 0, -1)).map(
        (element) => (JSON.parse(element) as { redPacketId: string }).redPacketId,
      ),
    );
    ids.push(...(await claimLog(context, id, shard)).map(({ redPacketId }) => redPacketId));
  }
  expect(ids).toHaveLength(packets);
  expect(new Set(ids).size).toBe(packets);
}

describe.each(['before', 'after'] as const)('a process killed %s each of its calls in turn', (when) => {
  test('[R2][R8] in a top-up that is repeated with its id: added once, each packet once, and the audit is balanced after every kill', async () => {
    await createOne(`top-${when}`, -1_000);
    const id = `top-${when}`;
    await loadRain(context, id);
    let user = 0;
    const steps = await dieAtEach(
      (at) => topUpRain(at, id, { id: `word-${when}`, ...MORE }),
      when,
      async () => {
        const name = `user-${user++}`;
        await engine.grab(id, shardOf(name, SHARDS), [name]);
        await expectWhole(id);
      },
    );
    expect(steps).toBeGreaterThan(10);
    expect(await read(id)).toMatchObject({ packets: 4_504, loaded: 4_504 });
    expect((await context.ledger.book(id))!.fundedCents).toBe(6_000n);
    await expectEachPacketOnce(id, 4_504);
    await expectWhole(id);
  });

  test('[R8] in a top-up that is not repeated: the rain still ends, is settled to the cent and verified', async () => {
    const seen = { nothing: 0, booked: 0, loaded: 0 };
    await dieAtEach(
      async (at, round) => {
        const id = `left-${when}-${round}`;
        await createOne(id, -1_000);
        await loadRain(context, id);
        return topUpRain(at, id, { id: `word-${id}`, ...MORE });
      },
      when,
      async (round) => {
        const id = `left-${when}-${round}`;
        await engine.grab(id, shardOf('anna', SHARDS), ['anna']);
        await expectWhole(id);
        await closeRain(context, id);
        for (let shard = 0; shard < SHARDS; shard++) await context.ledger.credit(await claimLog(context, id, shard));
        const { topUps } = (await context.ledger.rain(id))!;
        seen[topUps.length === 0 ? 'nothing' : (await read(id)).loaded === 4 ? 'booked' : 'loaded']++;
        expect(await settleRain(context, id, (await findRain(context.redis, id))!)).toEqual({ outcome: 'settled' });
        const { report } = (await auditRain(context, id))!;
        expect(report).toMatchObject({
          budget: topUps.length > 0 ? '60.00' : '10.00',
          unclaimed: '0.00',
          pending: '0.00',
          winners: 1,
          balanced: true,
        });
        expect(await verifyRain(context, id, [])).toMatchObject({ fair: true });
      },
    );
    // Each kind of death was met.
    expect(Object.values(seen).every((count) => count > 0)).toBe(true);
    expect(await context.ledger.sumOfBalances()).toBe(0n);
  });

  test('in a repeated load of a rain that was topped up as a draft: each packet once', async () => {
    const id = `load-${when}`;
    await createOne(id, -1_000);
    await topUpRain(context, id, { id: `draft-${when}`, ...MORE });
    await dieAtEach(
      (at) => loadRain(at, id),
      when,
      () => expectWhole(id),
    );
    expect(await read(id)).toMatchObject({ packets: 4_504, loaded: 4_504 });
    await expectEachPacketOnce(id, 4_504);
  });

  test('[R7] in a start that is repeated: every shard opens at the time in the ledger', async () => {
    const id = `start-${when}`;
    await createOne(id, 60_000);
    await loadRain(context, id);
    await dieAtEach(
      (at) => startRain(at, id),
      when,
      () => expectWhole(id),
    );
    const rain = (await context.ledger.rain(id))!;
    for (let shard = 0; shard < SHARDS; shard++) {
      expect(await context.redis.hmget(shardKeys(id, shard).state, 'opensAt', 'closesAt')).toEqual([
        String(rain.opensAt),
        String(rain.closesAt),
      ]);
    }
    expect(rain.closesAt - rain.opensAt).toBe(600_000);
    expect((await engine.grab(id, shardOf('anna', SHARDS), ['anna']))[0]!.code).toBe('0');
  });

  test('in a repeated reschedule: every shard has the window of the ledger', async () => {
    const id = `move-${when}`;
    await createOne(id, 60_000);
    await loadRain(context, id);
    const opensAt = (await redisNow(context.redis)) + 3_600_000;
    await dieAtEach(
      (at) => rescheduleRain(at, id, { opensAt, closesAt: opensAt + 5_000 }),
      when,
      () => expectWhole(id),
    );
    for (let shard = 0; shard < SHARDS; shard++) {
      expect(await context.redis.hmget(shardKeys(id, shard).state, 'opensAt', 'closesAt')).toEqual([
        String(opensAt),
        String(opensAt + 5_000),
      ]);
    }
  });
});
