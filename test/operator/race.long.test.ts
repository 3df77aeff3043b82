import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createGrabEngine, type GrabAnswer, type GrabEngine } from '../../src/grab/engine.ts';
import { shardKeys, shardOf } from '../../src/store/keys.ts';
import { close, pause, resume } from '../../src/store/transitions.ts';
import { readEntries, redisNow } from '../../src/store/rains.ts';
import { auditRain } from '../../src/operator/audit.ts';
import { createRain } from '../../src/operator/create.ts';
import { loadRain } from '../../src/operator/load.ts';
import { parseClaim } from '../../src/rain/claim.ts';
import { randomSource } from '../../src/rain/fairness.ts';
import { parseMoney } from '../../src/rain/money.ts';
import type { RedisClient } from '../../src/platform/redis/connect.ts';
import { settleRain } from '../../src/operator/settle.ts';
import { claimLog, openTestContext, type TestContext } from '../support/operatorContext.ts';
import { connect } from '../support/rain.ts';

/** The actions follow from it, their outcome does not: the race is real. */
const SEED = (process.env['RACE_SEED'] ?? '7a11').repeat(64).slice(0, 64);
const RAINS = 10;
const PACKETS = 120;
const USERS = 200;
/** Before a rain is closed, unless hastily. */
const WINS_MIN = 30;
const AUDITS_MIN = 3;

let context: TestContext;
let lines: RedisClient[];
let engines: GrabEngine[];
beforeAll(async () => {
  context = await openTestContext();
  lines = await Promise.all([0, 1].map(() => connect(context.redisUrl)));
  engines = lines.map((line) =>
    createGrabEngine(line, (fault) => {
      throw fault;
    }),
  );
});
afterAll(async () => {
  for (const line of lines) line.disconnect();
  await context.stop();
});

/**
 * Everything at once on one rain, until it is settled.
 * @param hasty it is closed whether it has been loaded or not
 * @returns the faults
 */
async function race(
  rainId: string,
  shards: number,
  hasty: boolean,
): Promise<{ violations: string[]; wins: number; audits: number }> {
  const violations: string[] = [];
  const told = new Map<string, { redPacketId: string; amount: string }>();
  const wish = (who: string) => randomSource(SEED, `${rainId} ${who}`);
  let [settled, audits] = [false, 0];
  const until = async (who: string, act: (chance: ReturnType<typeof wish>) => Promise<void>, pauseMs = 8) => {
    for (const chance = wish(who); !settled;) {
      await act(chance);
      await sleep(chance.belowNumber(pauseMs));
    }
  };

  function hear(user: string, answer: GrabAnswer): void {
    if (!('amount' in answer)) {
      if (told.has(user)) violations.push(`[R6] ${user} had won and was told ${answer.code}`);
      return;
    }
    const first = told.get(user);
    if (!first) told.set(user, answer);
    else if (answer.code === '0') violations.push(`[R1] ${user} won twice`);
    else if (first.redPacketId !== answer.redPacketId || first.amount !== answer.amount)
      violations.push(`[R6] ${user} was told two packets`);
  }
  const grabber = (n: number) =>
    until(`grabber ${n}`, async (chance) => {
      // Each engine has its own users, so that the answers of one user are in order.
      const users = Array.from(
        { length: 1 + chance.belowNumber(6) },
        () => `${rainId}-${n + 40 * chance.belowNumber(USERS / 40)}`,
      );
      for (let shard = 0; shard < shards; shard++) {
        const mine = users.filter((user) => shardOf(user, shards) === shard);
        if (mine.length > 0)
          (await engines[n % 2]!.grab(rainId, shard, mine)).forEach((answer, i) => hear(mine[i]!, answer));
      }
    });
  const loader = async (n: number) => {
    await sleep(wish(`loader ${n}`).belowNumber(60));
    await loadRain(context, rainId);
  };
  const pauser = () =>
    until(
      'pauser',
      async (chance) => void (await (chance.belowNumber(3) === 0 ? pause : resume)(context.redis, rainId, shards)),
    );
  const closer = async (loaded: Promise<unknown>) => {
    // Some are closed at once; the others when it has been a race, however long a busy machine takes for that.
    if (!hasty) {
      await loaded;
      while (told.size < WINS_MIN || audits < AUDITS_MIN) await sleep(5);
    }
    await sleep(50 + wish('closer').belowNumber(150));
    await close(context.redis, rainId, shards, 'early');
  };
  const creditor = (n: number) =>
    until(`creditor ${n}`, async (chance) => {
      const shard = chance.belowNumber(shards);
      const from = chance.belowNumber(1 + (await context.redis.llen(shardKeys(rainId, shard).claims)));
      // Half of the time to the end, or the last few would be waited for long.
      const entries = await readEntries(
        context.redis,
        rainId,
        shard,
        Math.floor(from / 2),
        chance.belowNumber(2) === 0 ? from : PACKETS,
      );
      const claims = entries
        .map((entry) => parseClaim(entry))
        .map((parsed) => (parsed.ok ? parsed.claim : expect.fail(parsed.reason)));
      for (const { outcome } of await context.ledger.credit(claims))
        if (outcome !== 'posted' && outcome !== 'already') violations.push(`[R5] ${outcome}`);
    });
  const settler = (n: number) =>
    until(
      `settler ${n}`,
      async () => {
        const { outcome } = await settleRain(context, rainId, { shards, title: `Rain ${rainId}` });
        if (outcome === 'lost' || outcome === 'does_not_add_up') violations.push(`settling: ${outcome}`);
        if (outcome === 'settled') settled = true;
      },
      60,
    );
  const auditor = () =>
    until(
      'auditor',
      async () => {
        const { report, problems } = (await auditRain(context, rainId))!;
        audits++;
        if (!report.balanced) violations.push(`[R8] ${JSON.stringify({ report, problems })}`);
      },
      30,
    );

  const loaders = [loader(1), loader(2)];
  await Promise.all([
    ...loaders,
    pauser(),
    closer(Promise.all(loaders)),
    auditor(),
    ...Array.from({ length: 40 }, (_, n) => grabber(n)),
    ...[1, 2, 3].map(creditor),
    ...[1, 2, 3].map(settler),
  ]);
  const log = (
    await Promise.all(Array.from({ length: shards }, (_, shard) => claimLog(context, rainId, shard)))
  ).flat();
  const wins = new Map(log.map(({ userId, redPacketId, amount }) => [userId, { redPacketId, amount }]));
  // Every engine has answered, so answers and log must agree [R4].
  if (log.length !== told.size) violations.push(`[R1][R4] ${log.length} claims, ${told.size} users were told of one`);
  for (const [user, { redPacketId, amount }] of told) {
    if (wins.get(user)?.redPacketId !== redPacketId)
      violations.push(`[R4] ${user} was told ${redPacketId}, the log says ${wins.get(user)?.redPacketId}`);
    if ((await context.ledger.balance(user)) !== parseMoney(amount))
      violations.push(`[R5] ${user} has ${await context.ledger.balance(user)} for ${amount}`);
  }
  if (new Set(log.map(({ redPacketId }) => redPacketId)).size !== log.length)
    violations.push('[R2] a packet went out twice');
  const { report } = (await auditRain(context, rainId))!;
  if (!report.balanced || report.pending !== '0.00' || report.unclaimed !== '0.00')
    violations.push(`[R8] at the end ${JSON.stringify(report)}`);
  return { violations, wins: log.length, audits };
}

test(`[R1]–[R8] all at once: loaders, a pauser, a closer, 40 grabbers, creditors, settlers and an auditor (RACE_SEED ${SEED.slice(0, 8)})`, async () => {
  let [wins, audits] = [0, 0];
  for (let n = 0; n < RAINS; n++) {
    const [rainId, now] = [`race-${n}`, await redisNow(context.redis)];
    const shards = 1 + (n % 3);
    expect(
      await createRain(context, {
        id: rainId,
        plan: { budget: '500.00', packets: PACKETS },
        shards,
        opensAt: now + 20,
        closesAt: now + 600_000,
        seed: SEED,
      }),
    ).toMatchObject({ ok: true });
    const end = await race(rainId, shards, n % 5 === 4);
    expect({ SEED, rainId, violations: end.violations }).toEqual({ SEED, rainId, violations: [] });
    wins += end.wins;
    audits += end.audits;
  }
  expect(await context.ledger.sumOfBalances()).toBe(0n);
  // It was a race: much was won, and looked at while it was.
  expect(wins).toBeGreaterThan(RAINS * 20);
  expect(audits).toBeGreaterThan(RAINS * 2);
}, 180_000);
