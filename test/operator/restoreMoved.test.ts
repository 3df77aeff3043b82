import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createGrabEngine } from '../../src/grab/engine.ts';
import { restoreSentWins } from '../../src/grab/restore.ts';
import { endMoves } from '../../src/store/endMoves.ts';
import { shardKeys, shardOf } from '../../src/store/keys.ts';
import { lend, newMoveId, noteArrived, receive, type Move } from '../../src/store/moves.ts';
import { redisNow } from '../../src/store/rains.ts';
import { auditRain } from '../../src/operator/audit.ts';
import { createRain } from '../../src/operator/create.ts';
import { loadRain } from '../../src/operator/load.ts';
import { applyRestore } from '../../src/operator/restore/apply.ts';
import { settleRain } from '../../src/operator/settle.ts';
import { closeRain, resumeRain } from '../../src/operator/transitions.ts';
import { verifyRain } from '../../src/operator/verify.ts';
import { claimLog } from '../support/operatorContext.ts';
import { openQueueContext, type TestQueueContext } from '../support/queueContext.ts';
import { signer } from '../support/signer.ts';

let context: TestQueueContext;
beforeAll(async () => {
  context = { ...(await openQueueContext()), signer };
});
afterAll(() => context.stop());
beforeEach(() => context.redis.flushall());

const SHARDS = 3;
const live = { shards: SHARDS, title: '' };
const everyShard = Array.from({ length: SHARDS }, (_, shard) => shard);
function users(shard: number, count: number, stem = 'u'): string[] {
  const found: string[] = [];
  for (let i = 0; found.length < count; i++) if (shardOf(`${stem}${i}`, SHARDS) === shard) found.push(`${stem}${i}`);
  return found;
}
const grab = (id: string, shard: number, names: string[], move?: Move) =>
  createGrabEngine(context.redis, (fault) => {
    throw fault;
  }).grab(id, shard, names, move);

async function bring(id: string, from: number, to: number, wanted: number): Promise<Move> {
  const move = (await lend(context.redis, id, newMoveId(from, to), { wanted, parts: 100 }))!;
  await receive(context.redis, id, move);
  await noteArrived(context.redis, id, move);
  return move;
}

/**
 * Twelve packets in three shards. Two of shard 0 were brought to 1, where one is won; one of 2 was brought to 0; one of
 * 1 is on its way to 0.
 */
async function movedRain(id: string): Promise<void> {
  const now = await redisNow(context.redis);
  await createRain(context, {
    id,
    title: id,
    plan: { budget: '12.00', packets: 12 },
    shards: SHARDS,
    opensAt: now - 60_000,
    closesAt: now + 600_000,
  });
  await loadRain(context, id);
  expect(await grab(id, 1, users(1, 4))).toMatchObject(Array.from({ length: 4 }, () => ({ code: '0' })));
  await bring(id, 0, 1, 2);
  expect(await grab(id, 1, users(1, 5).slice(4))).toMatchObject([{ code: '0', redPacketId: `${id}-0` }]);
  await bring(id, 2, 0, 1);
  expect(await grab(id, 0, users(0, 1))).toMatchObject([{ code: '0' }]);
  await lend(context.redis, id, newMoveId(1, 0), { wanted: 1, parts: 100 });
}

/** Everything that is left is won, each packet once, and the rain is settled and verified. */
async function winsTheRest(id: string): Promise<void> {
  await endMoves(context.redis, id, SHARDS);
  for (const shard of everyShard) await grab(id, shard, users(shard, 12, 'late'));
  const won = (await Promise.all(everyShard.map((shard) => claimLog(context, id, shard))))
    .flat()
    .map(({ redPacketId }) => redPacketId);
  expect(won.toSorted()).toEqual(Array.from({ length: 12 }, (_, i) => `${id}-${i}`).toSorted());
  await context.credit();
  expect(await auditRain(context, id)).toMatchObject({
    problems: [],
    tampering: [],
    toldTwice: [],
    report: { balanced: true, credited: '12.00' },
  });
  await closeRain(context, id);
  expect(await settleRain(context, id, live)).toEqual({ outcome: 'settled' });
  expect(await verifyRain(context, id, [])).toMatchObject({ fair: true, problems: [] });
}

test('the audit counts what is on its way as unclaimed, and accuses nobody', async () => {
  await movedRain('way');
  expect(await auditRain(context, 'way')).toMatchObject({
    problems: [],
    tampering: [],
    report: { balanced: true, winners: 6 },
    equation: { pending: { count: 6 }, unclaimed: { count: 6 } },
  });
  await winsTheRest('way');
});

test('a packet that has moved and is taken from its list is missed', async () => {
  await movedRain('stolen');
  await context.redis.lpop(shardKeys('stolen', 0).packets);
  expect((await auditRain(context, 'stolen'))!.tampering).toMatchObject([{ kind: 'packet_missing' }]);
});

test.each([0, 1, 2])(
  'shard %i has lost its state: it is rebuilt with the packets that are nowhere else',
  async (shard) => {
    const id = `state-${shard}`;
    await movedRain(id);
    await context.redis.del(shardKeys(id, shard).state);
    expect(await applyRestore(context, id, { waitMs: 5_000 })).toMatchObject({ ok: true, left: { counts: {} } });
    expect(await resumeRain(context, id)).toMatchObject({ ok: true });
    await winsTheRest(id);
  },
);

test.each([0, 1, 2])(
  "shard %i has lost everything, its wins are credited: it is rebuilt on the operator's word, and nothing is handed out twice",
  async (shard) => {
    const id = `all-${shard}`;
    await movedRain(id);
    await context.credit();
    await context.redis.del(...Object.values(shardKeys(id, shard)));
    expect(await applyRestore(context, id, { reason: 'a disk was lost', waitMs: 5_000 })).toMatchObject({
      ok: true,
      left: { counts: {} },
    });
    await resumeRain(context, id);
    await winsTheRest(id);
  },
);

test('[R2] a told win whose move both shards have forgotten: its packet leaves the list of the lender', async () => {
  const now = await redisNow(context.redis);
  await createRain(context, {
    id: 'both',
    title: 'both',
    plan: { budget: '3.00', packets: 3, split: { method: 'even' } },
    shards: SHARDS,
    opensAt: now - 60_000,
    closesAt: now + 600_000,
  });
  await loadRain(context, 'both');
  const [ann] = users(1, 1) as [string];
  // She was told packet 0 after a move of which no shard knows any more.
  await restoreSentWins(context.redis, signer, [
    { rainId: 'both', shard: 1, userId: ann, redPacketId: 'both-0', amount: '1.00', at: now },
  ]);
  expect(await context.redis.llen(shardKeys('both', 0).packets)).toBe(0);
  expect(await grab('both', 0, users(0, 1))).toMatchObject([{ code: '-1', shards: SHARDS }]);
});
