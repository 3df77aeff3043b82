import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { shardKeys } from '../../src/store/keys.ts';
import { connectDatabase, type Database } from '../../src/ledger/database.ts';
import { auditRain } from '../../src/operator/audit.ts';
import { closeRain } from '../../src/operator/transitions.ts';
import type { Claim } from '../../src/rain/claim.ts';
import type { Durability } from '../../src/platform/redis/durability.ts';
import { startDatabase, type TestDatabase } from '../support/servers/database.ts';
import { eventually } from '../support/eventually.ts';
import { TcpProxy } from '../support/servers/proxy.ts';
import { chance } from './means/chance.ts';
import { BLIND_MS, FailoverStage, nameOf, PACKETS, toldBy } from './failoverStage.ts';
import { testFault } from './fault.ts';
import { falseAlarms } from './falseAlarms.ts';
import type { RunResult } from './recovery.ts';
import type { Run } from './run.ts';
import type { UserGroup } from './users/userGroup.ts';

let book: TestDatabase;
let database: Database;
let stage: FailoverStage;

beforeAll(async () => {
  book = await startDatabase();
  database = connectDatabase(book.url);
});
afterAll(async () => {
  await database.$disconnect();
  await book.stop();
});

/**
 * Every reported win is in the ledger to the cent or listed as told twice, and no packet is paid twice.
 * @returns the listed wins
 */
async function expectPaidOrListed(rainId: string, users: UserGroup): Promise<Set<string>> {
  const { book: inBook, listed } = await stage.finalState(rainId);
  const astray = [...toldBy(users)].filter(([claim, amount]) => inBook.get(claim) !== amount && !listed.has(claim));
  expect(
    astray,
    JSON.stringify({
      putBack: stage.putBack,
      log: (await stage.logNow(rainId)).map(nameOf),
      letters: await stage.letters(rainId),
      book: [...inBook],
    }),
  ).toEqual([]);
  const packets = [...inBook.keys()].map((claim) => claim.split(' ')[1]);
  expect(new Set(packets).size).toBe(packets.length);
  const { problems, toldTwice } = (await auditRain(stage.context, rainId))!;
  expect(new Set(toldTwice.map(({ toldTo, redPacketId }) => nameOf({ userId: toldTo, redPacketId })))).toEqual(listed);
  if (listed.size === 0) expect(problems).toEqual([]);
  expect(await falseAlarms(stage.context, rainId)).toEqual([]);
  return listed;
}

/**
 * The replication link fails at a random moment, then the master dies. Lost: wins that were reported, not paid and not
 * listed.
 */
async function failOver(durability: Durability, { name, rainId }: Run): Promise<RunResult> {
  const wins = chance(name).between(10, 100);
  const replicas = durability.mode === 'replicas';
  const run = await FailoverStage.open(database, book.url);
  try {
    await run.openRain(rainId);
    const users = run.startUsers(rainId, [await run.openGateway(durability), await run.openGateway(durability)]);
    await run.startWorker(durability);
    let struckAt = 0;
    const before = await run.lose(rainId, users, {
      wins,
      whileBlind: async () => {
        await (replicas ? sleep(BLIND_MS) : run.whileBlind(rainId, users));
        struckAt = Date.now();
      },
    });
    // No win is reported until a replica can confirm it again.
    if (replicas) await run.group.addReplica();
    await users.settle();
    const problems: string[] = [];
    const { book: inBook, listed } = await run.finalState(rainId);
    const recoverySeconds = (Date.now() - struckAt) / 1_000;
    const told = [...toldBy(users)];
    const packets = [...inBook.keys()].map((claim) => claim.split(' ')[1]);
    const audit = (await auditRain(run.context, rainId))!;
    // A win may have been credited although its answer and its claim died with the master: with local the audit reports
    // it.
    const explained = audit.report.balanced || (!replicas && audit.problems.length === audit.lostFromLog.length);
    if (!explained) problems.push(...audit.problems);
    const promised = new Set(audit.toldTwice.map(({ toldTo, redPacketId }) => nameOf({ userId: toldTo, redPacketId })));
    if (promised.size !== listed.size || [...promised].some((claim) => !listed.has(claim)))
      problems.push('the audit and the dead letters differ about what was told twice');
    problems.push(
      ...(await falseAlarms(run.context, rainId)),
      ...(await (replicas ? confirmed(run, rainId, before, told.length) : restored(run))),
    );
    return {
      acknowledged: told.length,
      lost: told.filter(([claim, amount]) => inBook.get(claim) !== amount && !listed.has(claim)).length,
      doubled: packets.length - new Set(packets).size,
      recoverySeconds,
      struck: `after ${wins} wins`,
      problems,
    };
  } finally {
    await run.close();
  }
}

const NO_LOSS = 'the failover lost nothing, so the test shows nothing';

/** Unconfirmed wins were neither reported nor credited, and the rain is settled normally. */
async function confirmed(
  run: FailoverStage,
  rainId: string,
  before: readonly Claim[],
  told: number,
): Promise<string[]> {
  const problems: string[] = [];
  const now = new Set((await run.logNow(rainId)).map(nameOf));
  if (before.every((claim) => now.has(nameOf(claim)))) problems.push(NO_LOSS);
  if ((await run.letters(rainId)).length > 0) problems.push('there are dead letters');
  await closeRain(run.context, rainId);
  await eventually(async () => expect((await run.context.ledger.rain(rainId))!.settledAt).toBeDefined(), {
    timeoutMs: 60_000,
    everyMs: 250,
  });
  const { report, problems: found } = (await auditRain(run.context, rainId))!;
  const credited = (await run.credited(rainId)).size;
  if (credited !== told) problems.push(`${told} wins were reported and ${credited} are credited`);
  return [...problems, ...found, ...(report.balanced ? [] : ['it is settled, but does not add up'])];
}

async function restored(run: FailoverStage): Promise<string[]> {
  return run.putBack.some(({ putBack }) => putBack > 0) ? [] : [NO_LOSS];
}

testFault(
  'failover to a replica that is 300 ms behind, DURABILITY=replicas=1',
  (run) => failOver({ mode: 'replicas', replicas: 1 }, run),
  { slow: true },
);
testFault('failover to a replica that is 300 ms behind, DURABILITY=local', (run) => failOver({ mode: 'local' }, run), {
  slow: true,
});

describe('a failover during the rain', () => {
  beforeEach(async () => {
    stage = await FailoverStage.open(database, book.url);
  });
  afterEach(() => stage.close());

  test('local: a gateway reconnects after others have won its packets: each packet is paid once, and both wins are listed', async () => {
    const durability: Durability = { mode: 'local' };
    let master = stage.group.master.port;
    const line = await TcpProxy.open(() => master);
    stage.onClose(() => line.close());
    await stage.openRain('contested');
    const users = stage.startUsers(
      'contested',
      [
        await stage.openGateway(durability, { redisUrl: `redis://127.0.0.1:${line.port}` }),
        await stage.openGateway(durability),
      ],
      2 * PACKETS + 50,
    );
    const isAtFirstDoor = (userId: string) => Number(userId.split('-')[1]) % 2 === 0;
    await stage.lose('contested', users, {
      whileBlind: async () => {
        await stage.whileBlind('contested', users, isAtFirstDoor);
        line.refuse();
      },
    });
    await eventually(async () => expect(await stage.context.redis.llen(shardKeys('contested', 0).packets)).toBe(0), {
      timeoutMs: 20_000,
    });
    master = stage.group.replica.port;
    const reports = stage.putBack.length;
    line.pass();
    await users.settle();
    // A gateway that cannot read Redis within three seconds answers grabs before it has restored its wins.
    await eventually(() => stage.putBack.length > reports);
    // Not before: what a worker has credited it puts back itself, and nobody else wins it.
    await stage.startWorker(durability);
    const listed = await expectPaidOrListed('contested', users);
    expect(listed.size, 'nothing was told twice, so the test shows nothing').toBeGreaterThan(0);
  }, 120_000);

  test('local, and the gateway is lost, too: the credited wins are put back from the ledger, and nothing is told twice', async () => {
    const durability: Durability = { mode: 'local' };
    await stage.openRain('unknown');
    const doors = [await stage.openGateway(durability)];
    await stage.startWorker(durability);
    const users = stage.startUsers('unknown', doors);
    let onTheReplica = new Set<string>();
    const before = await stage.lose('unknown', users, {
      whileBlind: async () => {
        await stage.whileBlind('unknown', users);
        await doors[0]!.close();
        const granted = (await stage.logNow('unknown')).length;
        await eventually(async () => expect((await stage.credited('unknown')).size).toBe(granted), {
          timeoutMs: 20_000,
        });
        onTheReplica = new Set((await stage.replicaLog('unknown')).map(nameOf));
      },
    });
    const lost = before.map(nameOf).filter((claim) => !onTheReplica.has(claim));
    expect(lost.length, 'the failover lost nothing, so the test shows nothing').toBeGreaterThan(0);
    doors[0] = await stage.openGateway(durability);
    await users.settle();

    expect(await expectPaidOrListed('unknown', users)).toEqual(new Set());
    const [inBook, log] = [await stage.credited('unknown'), new Set((await stage.logNow('unknown')).map(nameOf))];
    expect(lost.filter((claim) => !inBook.has(claim) || !log.has(claim))).toEqual([]);
    expect((await auditRain(stage.context, 'unknown'))!).toMatchObject({
      report: { balanced: true },
      lostFromLog: [],
      toldTwice: [],
    });
    expect(await falseAlarms(stage.context, 'unknown')).toEqual([]);
  }, 120_000);
});
