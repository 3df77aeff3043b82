import { afterAll, beforeAll, expect, test } from 'vitest';
import { createGrabEngine } from '../../src/grab/engine.ts';
import { restoreSentWins } from '../../src/grab/restore.ts';
import { deadLetterId } from '../../src/credit/deadLetter.ts';
import { packetElement } from '../../src/store/loadPackets.ts';
import { LIVE_RAINS_KEY, shardKeys, type ShardKeys } from '../../src/store/keys.ts';
import { findRain, redisNow } from '../../src/store/rains.ts';
import { restoredMark } from '../../src/store/restoreClaims.ts';
import { acknowledgeTampering } from '../../src/operator/audit/acknowledgeTampering.ts';
import { auditRain, type Audit } from '../../src/operator/audit.ts';
import { createRain } from '../../src/operator/create.ts';
import { loadRain } from '../../src/operator/load.ts';
import { rescheduleRain } from '../../src/operator/schedule.ts';
import { settleRain } from '../../src/operator/settle.ts';
import { closeRain } from '../../src/operator/transitions.ts';
import type { Claim } from '../../src/rain/claim.ts';
import { claimLog, openTestContext, type TestContext } from '../support/operatorContext.ts';
import { execute } from '../support/servers/postgres.ts';

const HOUR_MS = 3_600_000;
let context: TestContext;
let now: number;
beforeAll(async () => {
  context = await openTestContext();
});
afterAll(() => context?.stop());

const audit = async (id: string): Promise<Audit> => (await auditRain(context, id))!;
const kinds = (found: Audit) => found.tampering.map(({ kind }) => kind);

/** Ten packets of 1.00, open for an hour; ann, bob and eve have won the first three. */
async function openRain(id: string): Promise<ShardKeys> {
  now = await redisNow(context.redis);
  await createRain(context, {
    id,
    plan: { budget: '10.00', packets: 10, split: { method: 'even' } },
    opensAt: now - 1_000,
    closesAt: now + HOUR_MS,
  });
  await loadRain(context, id);
  await createGrabEngine(context.redis, (fault) => {
    throw fault;
  }).grab(id, 0, ['ann', 'bob', 'eve']);
  expect(await audit(id)).toMatchObject({
    report: { balanced: true, pending: '3.00', unclaimed: '7.00' },
    tampering: [],
  });
  return shardKeys(id, 0);
}

const claimOf = (rainId: string, packet: string, amount: string, at = now): Claim => ({
  rainId,
  redPacketId: packet,
  amount,
  userId: 'thief',
  at: String(at),
});

/** Replaces ann's win, in the log and in the dedupe hash. */
async function redate(keys: ShardKeys, at: number): Promise<void> {
  const entry = JSON.stringify({
    ...(JSON.parse((await context.redis.lindex(keys.claims, -1))!) as Claim),
    at: String(at),
  });
  await context.redis.lset(keys.claims, -1, entry);
  await context.redis.hset(keys.claimed, 'ann', entry);
}

const log = async (keys: ShardKeys, claim: Claim) =>
  void (await context.redis.lpush(keys.claims, JSON.stringify(claim)));
const set = async (keys: ShardKeys, ...fields: (string | number)[]) =>
  void (await context.redis.hset(keys.state, ...fields));

type Act = readonly [
  act: string,
  harm: (id: string, keys: ShardKeys) => Promise<unknown>,
  kinds: readonly string[],
  sentence: RegExp,
];
const ACTS: readonly Act[] = [
  [
    'a claim of a packet that was never made',
    (id, keys) => log(keys, claimOf(id, 'gift', '50.00')),
    ['false_claim'],
    /^gift was won as 50\.00 by thief and is not a packet of this rain; letter \S+-0-3-/,
  ],
  [
    'a raised claim',
    (id, keys) => log(keys, claimOf(id, `${id}-3`, '120.00')),
    ['false_claim'],
    /-3 was won as 120\.00 and allocated as 1\.00, by thief; letter /,
  ],
  [
    'a claim of a packet that still lies in the list',
    (id, keys) => log(keys, claimOf(id, `${id}-5`, '1.00')),
    ['claimed_missing', 'two_places'],
    /-5 is in the claim log for thief, and still in the list/,
  ],
  [
    'a claim of a packet that another user has won',
    (id, keys) => log(keys, claimOf(id, `${id}-0`, '1.00')),
    ['claimed_missing'],
    /-0 was won by thief, and Redis would let thief win again/,
  ],
  [
    'a mark that nobody has signed beside a claim of a packet that another user has won',
    async (id, keys) => {
      await log(keys, claimOf(id, `${id}-0`, '1.00'));
      await context.redis.sadd(keys.restored, `${id}-0\nthief`);
    },
    ['claimed_missing'],
    /-0 was won by thief, and Redis would let thief win again/,
  ],
  [
    'an entry of the dedupe hash copied to another user',
    async (_, keys) => context.redis.hset(keys.claimed, 'bob', (await context.redis.hget(keys.claimed, 'ann'))!),
    ['claimed_differs'],
    /-1 was won by bob, and Redis would tell bob of another win/,
  ],
  [
    'the name in an entry of the dedupe hash changed',
    async (_, keys) => {
      const entry = JSON.parse((await context.redis.hget(keys.claimed, 'bob'))!) as Claim;
      await context.redis.hset(keys.claimed, 'bob', JSON.stringify({ ...entry, userId: 'thief' }));
    },
    ['claimed_differs'],
    /-1 was won by bob, and Redis would tell bob of another win/,
  ],
  [
    'an entry of the dedupe hash deleted',
    (_, keys) => context.redis.hdel(keys.claimed, 'bob'),
    ['claimed_missing'],
    /-1 was won by bob, and Redis would let bob win again/,
  ],
  [
    'an entry of the dedupe hash invented',
    (id, keys) => context.redis.hset(keys.claimed, 'thief', JSON.stringify(claimOf(id, `${id}-8`, '1.00'))),
    ['claimed_unlogged'],
    /^thief is told of a win that the claim log does not have/,
  ],
  [
    'an entry of the dedupe hash changed',
    (id, keys) => context.redis.hset(keys.claimed, 'bob', JSON.stringify(claimOf(id, `${id}-8`, '1.00'))),
    ['claimed_differs'],
    /-1 was won by bob, and Redis would tell bob of another win/,
  ],
  [
    'another title in the index',
    (id) => context.redis.hset(LIVE_RAINS_KEY, id, '{"shards":1,"title":"All prizes are at example.org"}'),
    ['terms'],
    /^the index of rains in Redis has \S+ as .*example\.org/,
  ],
  [
    'an earlier start',
    (_, keys) => set(keys, 'opensAt', now - 600_000),
    ['window'],
    /^shard 0 opens at \S+ and closes at \S+; the ledger says /,
  ],
  ['a later end', (_, keys) => set(keys, 'closesAt', now + 2 * HOUR_MS), ['window'], /^shard 0 opens at /],
  [
    'more packets planned',
    (_, keys) => set(keys, 'packets', 15),
    ['planned'],
    /^shard 0 plans 15 packets; the ledger has 10/,
  ],
  ['more packets loaded', (_, keys) => set(keys, 'loaded', 11), ['loaded'], /^shard 0 counts 11 packets as loaded; /],
  ['fewer packets loaded', (_, keys) => set(keys, 'loaded', 9), ['loaded'], /^shard 0 counts 9 packets as loaded; /],
  [
    'a top-up that nobody booked',
    (_, keys) => set(keys, 'topUps', JSON.stringify([{ commitment: 'f'.repeat(64), packets: 5 }])),
    ['top_ups'],
    /^the top-ups in shard 0 are not those of the ledger/,
  ],
  [
    'other terms',
    (_, keys) => set(keys, 'terms', '{"rehearsal":true}'),
    ['terms'],
    /^the terms in shard 0 are not those of the ledger/,
  ],
  ['a limit of wins', (_, keys) => set(keys, 'winsMax', 3), ['terms'], /^the terms in shard 0 /],
  [
    'another commitment',
    (_, keys) => set(keys, 'commitment', 'f'.repeat(64)),
    ['commitment'],
    /^the commitment in shard 0 is not the recorded one/,
  ],
  [
    'another rain',
    (_, keys) => set(keys, 'rainId', 'other'),
    ['rain_id'],
    /^shard 0 says that it is of the rain other/,
  ],
  [
    'a win dated in the future',
    (_, keys) => redate(keys, now + 600_000),
    ['claim_time'],
    /-0 was won by ann at \S+, which is in the future/,
  ],
  [
    'a win before the start',
    (_, keys) => redate(keys, now - 600_000),
    ['claim_time'],
    /-0 was won by ann at \S+, which is outside of the window/,
  ],
  [
    'a raised packet in the list',
    (id, keys) => context.redis.lset(keys.packets, 0, packetElement(context.signer, id, `${id}-9`, '90.00')),
    ['false_packet'],
    /-9 is in the list as 90\.00 and allocated as 1\.00/,
  ],
  [
    'a packet in the list that was never made',
    (id, keys) => context.redis.lpush(keys.packets, packetElement(context.signer, id, 'gift', '50.00')),
    ['false_packet'],
    /^gift is in the list as 50\.00 and is not a packet of this rain/,
  ],
  [
    'a packet twice in the list',
    async (_, keys) => context.redis.lpush(keys.packets, (await context.redis.lindex(keys.packets, 2))!),
    ['packet_twice'],
    /-7 is in the list twice/,
  ],
  [
    'a packet back in the list',
    (id, keys) => context.redis.rpush(keys.packets, packetElement(context.signer, id, `${id}-0`, '1.00')),
    ['two_places'],
    /-0 is in the claim log for ann, and still in the list/,
  ],
  [
    'a packet taken out of the list',
    (_, keys) => context.redis.rpop(keys.packets),
    ['packet_missing'],
    /^packets neither won nor left: 1/,
  ],
  [
    'an entry of the claim log removed',
    (_, keys) => context.redis.lpop(keys.claims),
    ['packet_missing', 'claimed_unlogged'],
    /^eve is told of a win/,
  ],
  [
    'another seed in the ledger',
    (id) => execute(context.databaseUrl, `UPDATE "Rain" SET "seed" = '${'0'.repeat(64)}' WHERE "id" = '${id}'`),
    ['book'],
    /^seed or plan in the ledger do not match the recorded commitment/,
  ],
  [
    'the state deleted',
    (_, keys) => context.redis.del(keys.state),
    ['state_gone'],
    /^Redis has lost the state of shard 0, but not its claims; .*rain restore apply /,
  ],
];

test.each(ACTS)('%s is found, and named', async (act, harm, expected, sentence) => {
  const id = `t${ACTS.findIndex(([name]) => name === act)}`;
  const keys = await openRain(id);
  await harm(id, keys);
  const found = await audit(id);
  expect(kinds(found)).toEqual(expected);
  expect(found.tampering.map((finding) => finding.sentence).join('\n')).toMatch(new RegExp(sentence, 'm'));
  expect(found.problems).toEqual(expect.arrayContaining(found.tampering.map((finding) => finding.sentence)));
  expect(found.report).toMatchObject({ balanced: false, credited: '0.00' });
  // A lie is never money: what is won is at most what was allocated.
  expect(Number(found.report.pending)).toBeLessThanOrEqual(4);
});

test('a packet that was raised in the list and won: the operator discards the letter, the others are paid, and its true amount goes back', async () => {
  const keys = await openRain('raised');
  await context.redis.lset(keys.packets, -1, packetElement(context.signer, 'raised', 'raised-3', '9.00'));
  await createGrabEngine(context.redis, (fault) => {
    throw fault;
  }).grab('raised', 0, ['kim']);
  const entry = (await context.redis.lindex(keys.claims, 0))!;
  await context.ledger.credit((await claimLog(context, 'raised')).slice(0, 3));
  expect(await audit('raised')).toMatchObject({
    report: { pending: '0.00', credited: '3.00', unclaimed: '6.00', spoiled: '1.00', balanced: false, winners: 3 },
    tampering: [{ kind: 'false_claim' }],
  });
  await closeRain(context, 'raised');
  const live = (await findRain(context.redis, 'raised'))!;
  expect((await settleRain(context, 'raised', live)).outcome).toBe('waiting');
  await context.ledger.discard({
    letterId: deadLetterId({ rainId: 'raised', shard: 0, index: 3, entry }),
    rainId: 'raised',
    entry,
    deadReason: 'not_in_plan',
    reason: 'a thief',
    actor: 'test',
  });
  expect(await audit('raised')).toMatchObject({
    report: { balanced: true, discarded: 1, spoiled: '1.00' },
    tampering: [],
  });
  expect(await settleRain(context, 'raised', live)).toEqual({ outcome: 'settled' });
  expect(await context.ledger.book('raised')).toMatchObject({ credited: { cents: 300n }, recycledCents: 700n });
});

test('what no step of the operator can undo is acknowledged with a reason, and then the rain can be settled', async () => {
  const keys = await openRain('seen');
  await redate(keys, now - 600_000);
  await context.ledger.credit(await claimLog(context, 'seen'));
  await closeRain(context, 'seen');
  const live = (await findRain(context.redis, 'seen'))!;
  expect(await settleRain(context, 'seen', live)).toMatchObject({ outcome: 'does_not_add_up' });
  expect(await acknowledgeTampering(context, 'seen', '')).toMatchObject({ ok: false, refusals: [{ field: 'reason' }] });
  expect(await acknowledgeTampering(context, 'seen', 'looked into', true)).toEqual({ ok: true, findings: 1 });
  expect(await acknowledgeTampering(context, 'seen', 'looked into')).toEqual({ ok: true, findings: 1 });
  expect(await audit('seen')).toMatchObject({
    report: { balanced: true, discarded: 1 },
    tampering: [],
    acknowledged: [{ deadReason: 'claim_time', reason: 'looked into' }],
  });
  expect(await settleRain(context, 'seen', live)).toEqual({ outcome: 'settled' });
});

test('what a failover leaves is no tampering: wins lost, packets won twice, wins restored and contested, a reschedule undone', async () => {
  const keys = await openRain('honest');
  const [, bob, eve] = await claimLog(context, 'honest');
  await context.ledger.credit(await claimLog(context, 'honest'));
  // The newest two wins are lost, and one of the two packets is won by another user before they are restored.
  for (const lost of [eve!, bob!]) {
    await context.redis.lpop(keys.claims);
    await context.redis.hdel(keys.claimed, lost.userId);
    await context.redis.rpush(keys.packets, packetElement(context.signer, 'honest', lost.redPacketId, lost.amount));
  }
  expect((await audit('honest')).tampering).toEqual([]);
  await createGrabEngine(context.redis, (fault) => {
    throw fault;
  }).grab('honest', 0, ['zoe']);
  expect((await audit('honest')).tampering).toEqual([]);
  await restoreSentWins(
    context.redis,
    context.signer,
    [bob!, eve!].map((lost) => ({ ...lost, shard: 0, at: Number(lost.at) })),
  );
  expect(await audit('honest')).toMatchObject({ tampering: [], report: { balanced: true, told_twice: 1 } });

  // restore.lua looks for a packet near the tail only: one that lies deeper stays in the list.
  await openRain('deep');
  const deep = claimOf('deep', 'deep-9', '1.00');
  await log(shardKeys('deep', 0), deep);
  await context.redis.sadd(shardKeys('deep', 0).restored, restoredMark(context.signer, deep));
  expect(await audit('deep')).toMatchObject({
    tampering: [],
    problems: [expect.stringMatching(/^deep-9 was restored for thief after a failover, and is still in the list/)],
  });

  const opensAt = (await redisNow(context.redis)) + HOUR_MS;
  await createRain(context, {
    id: 'moved',
    plan: { budget: '10.00', packets: 10 },
    opensAt,
    closesAt: opensAt + HOUR_MS,
  });
  await loadRain(context, 'moved');
  expect(
    await rescheduleRain(context, 'moved', { opensAt: opensAt + 60_000, closesAt: opensAt + HOUR_MS }),
  ).toMatchObject({ ok: true });
  await context.redis.hset(shardKeys('moved', 0).state, 'opensAt', opensAt);
  expect(await audit('moved')).toMatchObject({
    tampering: [],
    report: { balanced: true },
    notices: [expect.stringMatching(/undone by a failover: repeat it with rain schedule moved/)],
  });
  // But a rain must not let anybody win before its time.
  await openRain('early');
  await context.ledger.reschedule(
    'early',
    { opensAt, closesAt: opensAt + HOUR_MS },
    { actor: 'test', verb: 'schedule' },
  );
  expect(kinds(await audit('early'))).toEqual(['window']);
});
