import type { Job } from 'bullmq';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createDeadQueue } from '../../src/credit/queue.ts';
import type { DeadLetter } from '../../src/credit/deadLetter.ts';
import type { Gateway, GatewayOptions } from '../../src/gateway/server.ts';
import { QUEUE_PREFIX, shardKeys } from '../../src/grab/keys.ts';
import { redisNow } from '../../src/grab/reading.ts';
import { connectDatabase, type Database } from '../../src/ledger/database.ts';
import { openLedger } from '../../src/ledger/ledger.ts';
import { auditRain } from '../../src/operator/audit.ts';
import { createRain } from '../../src/operator/create.ts';
import type { Desk } from '../../src/operator/desk.ts';
import { loadRain } from '../../src/operator/load.ts';
import { closeRain } from '../../src/operator/steer.ts';
import { readCredits } from '../../src/operator/audit/booked.ts';
import { parseClaim, type Claim } from '../../src/rain/claim.ts';
import { formatMoney } from '../../src/rain/money.ts';
import type { Durability } from '../../src/runtime/durability.ts';
import { createLog, type Logger } from '../../src/runtime/log.ts';
import { connectRedis, untilReady, type RedisClient } from '../../src/runtime/redis.ts';
import { startDatabase, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { openGateway } from '../support/gateway.ts';
import { TcpProxy } from '../support/proxy.ts';
import { connect } from '../support/rain.ts';
import { startSentinel, type TestSentinel } from '../support/sentinel.ts';
import { openWorker } from '../support/worker.ts';
import { startStorm, type Storm } from './storm.ts';

/**
 * The replication link swallows everything for 300 ms in full swing, the master is killed, Sentinel makes the replica
 * master: what was won meanwhile is gone from Redis. Everything here is real but the size.
 */
const BLIND_MS = 300;
const PACKETS = 150;

let book: TestDatabase;
let database: Database;
let group: TestSentinel;
let desk: Desk & { redis: RedisClient };
let putBack: { putBack: number; contested: number }[];
const closers: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  book = await startDatabase();
  database = connectDatabase(book.url);
});
afterAll(async () => {
  await database.$disconnect();
  await book.stop();
});
beforeEach(async () => {
  putBack = [];
  group = await startSentinel();
  const redis = await connect(group.url);
  desk = { redis, ledger: openLedger(database), actor: 'test' };
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  desk.redis.disconnect();
  await group.stop();
});

async function openRain(rainId: string): Promise<void> {
  const now = await redisNow(desk.redis);
  const created = await createRain(desk, { id: rainId, plan: { budget: '300.00', packets: PACKETS }, opensAt: now, closesAt: now + 600_000 });
  if (!created.ok) throw new Error(JSON.stringify(created.refusals));
  await loadRain(desk, rainId);
}

async function openDoor(durability: Durability, options: Pick<Partial<GatewayOptions>, 'redisUrl'> = {}): Promise<Gateway> {
  const log = createLog('gateway', 'silent');
  log.warn = ((facts: { putBack?: number; contested?: number }) => {
    if (facts.putBack !== undefined) putBack.push({ putBack: facts.putBack, contested: facts.contested! });
  }) as Logger['warn'];
  const { redisUrl = group.url } = options;
  const gateway = await openGateway(redisUrl, { durability, durabilityWaitMs: 200, log });
  closers.push(() => gateway.close());
  return gateway;
}

async function work(durability: Durability): Promise<void> {
  const worker = await openWorker({ redisUrl: group.url, databaseUrl: book.url }, { durability, durabilityWaitMs: 200 });
  closers.push(() => worker.close());
}

function storm(rainId: string, doors: readonly Gateway[], users = 200): Storm {
  const started = startStorm({ rainId, users, everyMs: 2_400 / users, gatewayUrl: (user) => doors[user % doors.length]!.url });
  closers.push(() => started.stop());
  return started;
}

/** Lets the wins run, then breaks the link, then the master. @returns the old master's claim log, as it was at its death */
async function lose(rainId: string, users: Storm, whileBlind: () => Promise<unknown> = () => sleep(BLIND_MS)): Promise<Claim[]> {
  await eventually(() => users.wins() > 30, { timeoutMs: 20_000 });
  const witness = connectRedis(group.master.url, { purpose: 'once', onError: () => {} });
  await untilReady(witness);
  group.link.blackhole();
  await whileBlind();
  const claims = claimsOf(await witness.lrange(shardKeys(rainId, 0).claims, 0, -1));
  witness.disconnect();
  await group.failOver();
  await eventually(() => desk.redis.ping(), { timeoutMs: 20_000 });
  return claims;
}

function claimsOf(entries: readonly string[]): Claim[] {
  return entries.map((entry) => {
    const parsed = parseClaim(entry);
    if (!parsed.ok) throw new Error(parsed.reason);
    return parsed.claim;
  });
}

const logNow = async (rainId: string) => claimsOf(await desk.redis.lrange(shardKeys(rainId, 0).claims, 0, -1));
const name = ({ userId, redPacketId }: Pick<Claim, 'userId' | 'redPacketId'>) => `${userId} ${redPacketId}`;

/** `user packet` → amount, of everybody who heard of a win. */
function toldBy(users: Storm): Map<string, string> {
  return new Map([...users.heard.values()].flatMap(({ userId, wins }) => wins.map(({ redPacketId, amount }) => [name({ userId, redPacketId }), amount] as const)));
}

/** `user packet` → amount, as the book has it. */
async function credited(rainId: string): Promise<Map<string, string>> {
  return new Map([...await readCredits(desk, rainId)].map(([redPacketId, { userId, cents }]) => [name({ userId, redPacketId }), formatMoney(cents)]));
}

async function letters(rainId: string): Promise<DeadLetter[]> {
  const connection = connectRedis(group.url, { purpose: 'queue', onError: () => {} });
  const queue = createDeadQueue({ connection, prefix: QUEUE_PREFIX, onError: () => {} });
  try {
    return ((await queue.getJobs(['waiting'])) as Job<DeadLetter>[]).map(({ data }) => data).filter((letter) => letter.rainId === rainId);
  } finally {
    await queue.close();
    connection.disconnect();
  }
}

/** Every entry of the log has come to its end, in the book or among the dead letters. */
async function untilJudged(rainId: string): Promise<{ book: Map<string, string>; dead: DeadLetter[] }> {
  return eventually(async () => {
    const [log, inBook, dead] = [await logNow(rainId), await credited(rainId), await letters(rainId)];
    const buried = new Set(dead.map(({ entry }) => entry));
    const open = log.filter((claim) => !inBook.has(name(claim)) && !buried.has(JSON.stringify(claim)) && !dead.some(({ entry }) => name(JSON.parse(entry) as Claim) === name(claim)));
    expect(open.map(name)).toEqual([]);
    return { book: inBook, dead };
  }, { timeoutMs: 60_000, everyMs: 250 });
}

/** Whatever anybody was told is in the book to the cent, or listed as promised twice, and no packet is paid twice. @returns what is listed */
async function expectPaidOrListed(rainId: string, users: Storm): Promise<Set<string>> {
  const { book: inBook, dead } = await untilJudged(rainId);
  const listed = new Set(dead.filter(({ reason }) => reason === 'promised_twice').map(({ entry }) => name(JSON.parse(entry) as Claim)));
  expect([...toldBy(users)].filter(([claim, amount]) => inBook.get(claim) !== amount && !listed.has(claim))).toEqual([]);
  const packets = [...inBook.keys()].map((claim) => claim.split(' ')[1]);
  expect(new Set(packets).size).toBe(packets.length);
  const { problems, promisedTwice } = (await auditRain(desk, rainId))!;
  expect(new Set(promisedTwice.map(({ promisedTo, redPacketId }) => name({ userId: promisedTo, redPacketId })))).toEqual(listed);
  if (listed.size === 0) expect(problems).toEqual([]);
  return listed;
}

describe('a failover in full swing', () => {
  test('replicas=1: nobody who heard of a win is without exactly that credit, and the rain adds up and is settled', async () => {
    const durability: Durability = { mode: 'replicas', replicas: 1 };
    await openRain('replicated');
    const users = storm('replicated', [await openDoor(durability), await openDoor(durability)]);
    await work(durability);
    const before = await lose('replicated', users);
    await group.addReplica();
    await users.settle();
    const now = new Set((await logNow('replicated')).map(name));
    const lost = before.filter((claim) => !now.has(name(claim)));
    expect(lost.length, 'the failover lost nothing, so nothing was shown').toBeGreaterThan(0);

    await closeRain(desk, 'replicated');
    await eventually(async () => expect((await desk.ledger.rain('replicated'))!.settledAt).toBeDefined(), { timeoutMs: 60_000, everyMs: 250 });
    const [told, inBook] = [toldBy(users), await credited('replicated')];
    expect([...told].filter(([claim, amount]) => inBook.get(claim) !== amount)).toEqual([]);
    expect(told.size).toBe(inBook.size);
    expect(await letters('replicated')).toEqual([]);
    expect((await auditRain(desk, 'replicated'))!).toMatchObject({ report: { adds_up: true }, problems: [] });
  }, 120_000);

  test('local: what living gateways had told is put back; no packet is paid twice, and what was promised twice is listed', async () => {
    const durability: Durability = { mode: 'local' };
    await openRain('restored');
    const users = storm('restored', [await openDoor(durability), await openDoor(durability)]);
    await work(durability);
    await lose('restored', users);
    await users.settle();
    expect(putBack.reduce((sum, counts) => sum + counts.putBack, 0), 'the failover lost nothing, so nothing was shown').toBeGreaterThan(0);
    await expectPaidOrListed('restored', users);
  }, 120_000);

  test('local: a gateway that comes back when its packets have been given to others: each is paid once, and both promises are listed', async () => {
    const durability: Durability = { mode: 'local' };
    let master = group.master.port;
    const line = await TcpProxy.open(() => master);
    closers.push(() => line.close());
    await openRain('contested');
    const users = storm('contested', [await openDoor(durability, { redisUrl: `redis://127.0.0.1:${line.port}` }), await openDoor(durability)], 2 * PACKETS + 50);
    await work(durability);
    await lose('contested', users, async () => {
      await sleep(BLIND_MS);
      line.refuse();
    });
    await eventually(async () => expect(await desk.redis.llen(shardKeys('contested', 0).packets)).toBe(0), { timeoutMs: 20_000 });
    master = group.replica.port;
    line.pass();
    await users.settle();
    const listed = await expectPaidOrListed('contested', users);
    expect(listed.size, 'nothing was promised twice, so nothing was shown').toBeGreaterThan(0);
  }, 120_000);

  test('local, and the gateway is gone, too: what was credited and lost, and what was promised twice for it, is reported', async () => {
    const durability: Durability = { mode: 'local' };
    await openRain('unknown');
    const doors = [await openDoor(durability)];
    const users = storm('unknown', doors);
    await work(durability);
    const before = await lose('unknown', users, async () => {
      await sleep(BLIND_MS);
      await doors[0]!.close();
      const granted = (await logNow('unknown')).length;
      await eventually(async () => expect((await credited('unknown')).size).toBe(granted), { timeoutMs: 20_000 });
    });
    const onTheReplica = new Set((await logNow('unknown')).map(name));
    const lost = before.filter((claim) => !onTheReplica.has(name(claim)));
    expect(lost.length, 'the failover lost nothing, so nothing was shown').toBeGreaterThan(0);
    doors[0] = await openDoor(durability);
    await users.settle();

    await untilJudged('unknown');
    const [{ report, lostFromLog, promisedTwice }, inBook] = [(await auditRain(desk, 'unknown'))!, await credited('unknown')];
    expect(report).toMatchObject({ adds_up: lostFromLog.length === 0, promised_twice: promisedTwice.length });
    for (const { redPacketId, userId, amount } of lost) {
      expect(inBook.get(`${userId} ${redPacketId}`), 'money that was credited stays where it is').toBe(amount);
      const isReported = lostFromLog.some((found) => found.redPacketId === redPacketId && found.userId === userId)
        || promisedTwice.some(({ paid }) => paid?.redPacketId === redPacketId && paid.userId === userId);
      expect(isReported, `${redPacketId} of ${userId} is not reported`).toBe(true);
    }
    expect(promisedTwice.length).toBeGreaterThan(0);
  }, 120_000);
});
