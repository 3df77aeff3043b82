import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll } from 'vitest';
import { connectDatabase, type Database } from '../../src/ledger/database.ts';
import { openLedger } from '../../src/ledger/ledger.ts';
import type { OperatorContext } from '../../src/operator/context.ts';
import type { Durability } from '../../src/platform/redis/durability.ts';
import { reservationOrdinal } from '../../src/sale/ids.ts';
import { saleKeys } from '../../src/store/saleKeys.ts';
import { eventually } from '../support/eventually.ts';
import { connect } from '../support/rain.ts';
import { startDatabase, type TestDatabase } from '../support/servers/database.ts';
import { openGateway } from '../support/servers/gateway.ts';
import { startSentinel, type TestSentinel } from '../support/servers/sentinel.ts';
import { openWorker } from '../support/servers/worker.ts';
import { signer } from '../support/signer.ts';
import { testFault } from './fault.ts';
import { chance } from './means/chance.ts';
import type { RunResult } from './recovery.ts';
import type { Run } from './run.ts';
import { arrive, openFaultSale, PRICE, UNITS } from './sale/run.ts';
import { startShop } from './sale/shop.ts';
import { checkSale } from './sale/verdict.ts';
import { HonestBuyers } from './users/honestBuyers.ts';

// The replication link drops everything for 300 ms while people buy; then the master is killed, and Sentinel promotes
// the replica.

let book: TestDatabase;
let database: Database;
beforeAll(async () => {
  book = await startDatabase();
  database = connectDatabase(book.url);
});
afterAll(async () => {
  await database.$disconnect();
  await book.stop();
});

const BLIND_MS = 300;
const SETTLED_WITHIN_MS = 60_000;

async function failOver(durability: Durability, { name, rainId: saleId }: Run): Promise<RunResult> {
  const group = await startSentinel();
  const closers: (() => unknown)[] = [() => group.stop()];
  try {
    const redis = await connect(group.url);
    closers.push(() => redis.disconnect());
    const context: OperatorContext = { redis, ledger: openLedger(database), signer, actor: 'test' };
    const kept = { durability, durabilityWaitMs: 200 };
    const gateways = [await openGateway(group.url, kept), await openGateway(group.url, kept)];
    closers.push(() => Promise.all(gateways.map((gateway) => gateway.close())));
    const worker = await openWorker(
      { redisUrl: group.url, databaseUrl: book.url },
      { ...kept, settling: { settleAfterReconnectMs: 3_000 }, watching: { pauseMsMin: 500, pauseFactor: 1 } },
    );
    closers.push(() => worker.close());
    await openFaultSale(context, saleId, { windowMs: 12_000, holdMs: 4_000 });
    const buyers = new HonestBuyers(
      gateways.map(({ url }) => url),
      saleId,
    );
    closers.push(() => buyers.leave());
    const shop = startShop(context.ledger, saleId, buyers);
    closers.push(() => shop.close());
    const arrived = arrive(saleId, buyers);
    const told = chance(name).between(10, 25);
    await eventually(() => buyers.told().length >= told, { timeoutMs: 20_000 });
    group.link.blackhole();
    await sleep(BLIND_MS);
    const local = durability.mode === 'local';
    // On a busy machine 300 ms may pass without a purchase, and then the failover would lose nothing.
    if (local) await eventually(async () => (await lostAt(group, saleId, buyers)) >= 3, { timeoutMs: 20_000 });
    const struckAt = Date.now();
    await group.failOver();
    if (!local) await group.addReplica();
    await arrived;
    await eventually(() => buyers.unanswered().length === 0, { timeoutMs: 30_000 }).catch(() => {});
    const isSettled = async () => (await context.ledger.sale(saleId))?.settledAt !== undefined;
    const settled = await eventually(isSettled, { timeoutMs: SETTLED_WITHIN_MS }).then(
      () => true,
      () => false,
    );
    const recoverySeconds = (Date.now() - struckAt) / 1_000;
    await shop.close();
    const verdict = await checkSale(context, { saleId, units: UNITS, price: PRICE, buyers, mayFail: local });
    return {
      ...verdict,
      recoverySeconds,
      struck: `after ${told} reservations`,
      problems: [
        ...(settled ? [] : [`not settled within ${SETTLED_WITHIN_MS / 1_000} s`]),
        ...buyers.unanswered().map((userId) => `${userId} never got an answer`),
        ...(await shop.check()),
        ...verdict.problems,
      ],
    };
  } finally {
    for (const close of closers.reverse()) await close();
  }
}

/** Reservations that were told, and that the replica does not have. */
async function lostAt(group: TestSentinel, saleId: string, buyers: HonestBuyers): Promise<number> {
  const replica = await connect(group.replica.url);
  try {
    const made = Number(await replica.hget(saleKeys(saleId).state, 'made'));
    return buyers.told().filter(({ reservationId }) => reservationOrdinal(saleId, reservationId)! > made).length;
  } finally {
    replica.disconnect();
  }
}

testFault(
  'sale: failover to a replica that is 300 ms behind, DURABILITY=replicas=1',
  (run) => failOver({ mode: 'replicas', replicas: 1 }, run),
  { slow: true },
);
testFault(
  'sale: failover to a replica that is 300 ms behind, DURABILITY=local',
  (run) => failOver({ mode: 'local' }, run),
  { slow: true },
);
