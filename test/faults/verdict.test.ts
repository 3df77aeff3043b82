import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createGrabEngine } from '../../src/grab/engine.ts';
import { findRain, redisNow } from '../../src/store/rains.ts';
import { connectDatabase, type Database } from '../../src/ledger/database.ts';
import { closeRain } from '../../src/operator/transitions.ts';
import type { Claim } from '../../src/rain/claim.ts';
import { settleRain } from '../../src/operator/settle.ts';
import { claimLog, openTestContext, type TestContext } from '../support/operatorContext.ts';
import { withoutTriggers } from '../support/withoutTriggers.ts';
import { createAndLoad } from './users/rainfall.ts';
import { recoverySeconds } from './recovery.ts';
import { UserRecord } from './users/told.ts';
import { checkRain, type Excused } from './verdict.ts';

let context: TestContext;
let database: Database;
beforeAll(async () => {
  context = await openTestContext();
  database = connectDatabase(context.databaseUrl);
});
afterAll(async () => {
  await database.$disconnect();
  await context.stop();
});

/** A correctly settled rain of four packets: three were won, reported and credited. */
async function settledRain(
  rainId: string,
  more: (claims: Claim[]) => Promise<unknown> = async () => {},
): Promise<Map<string, UserRecord>> {
  const now = await redisNow(context.redis);
  await createAndLoad(context, {
    id: rainId,
    plan: { budget: '4.00', packets: 4, split: { method: 'even' } },
    opensAt: now - 1,
    closesAt: now + 600_000,
  });
  const told = new Map<string, UserRecord>();
  const users = [0, 1, 2].map((i) => `${rainId}-u${i}`);
  const answers = await createGrabEngine(context.redis, () => {}).grab(rainId, 0, users);
  answers.forEach((answer, i) => {
    const record = new UserRecord(users[i]!);
    if ('amount' in answer) record.recordWin(answer.code, answer.redPacketId, answer.amount);
    told.set(users[i]!, record);
  });
  const claims = await claimLog(context, rainId);
  await context.ledger.credit(claims);
  await closeRain(context, rainId);
  expect(await settleRain(context, rainId, (await findRain(context.redis, rainId))!)).toEqual({ outcome: 'settled' });
  await more(claims);
  return told;
}

const verdictOf = (rainId: string, told: Map<string, UserRecord>, excused?: Excused) =>
  checkRain(
    context,
    database,
    rainId,
    {
      records: told,
      winners: () => [...told].flatMap(([userId, { won }]) => (won ? [[userId, won] as [string, typeof won]] : [])),
    },
    excused,
  );

describe('the verdict', () => {
  test('of a correct rain has no problems', async () => {
    expect(await verdictOf('well', await settledRain('well'))).toEqual({
      acknowledged: 3,
      lost: 0,
      doubled: 0,
      problems: [],
    });
  });

  test('[R4] counts a reported win without money as lost', async () => {
    const told = await settledRain('liar');
    const deceived = new UserRecord('liar-u9');
    deceived.recordWin('0', 'liar-3', '1.00');
    expect(await verdictOf('liar', told.set('liar-u9', deceived))).toMatchObject({
      acknowledged: 4,
      lost: 1,
      doubled: 0,
      problems: [expect.stringContaining('[R4] liar-u9')],
    });
  });

  test('counts a reported win above the credited amount as lost', async () => {
    const told = await settledRain('short');
    const more = new UserRecord('short-u0');
    more.recordWin('0', told.get('short-u0')!.won!.redPacketId, '5.00');
    expect(await verdictOf('short', told.set('short-u0', more))).toMatchObject({ acknowledged: 3, lost: 1 });
  });

  test('[R5] counts a credit without a claim as doubled', async () => {
    const told = await settledRain('gift', ([claim]) =>
      withoutTriggers(
        database,
        `INSERT INTO "Account" VALUES ('user:gift-u9', 'user', 100)`,
        `INSERT INTO "Transfer" ("id", "kind", "debitAccountId", "creditAccountId", "amountCents", "rainId", "redPacketId", "userId") VALUES
        ('credit:${claim!.redPacketId}-again', 'credit', 'rain:gift', 'user:gift-u9', 100, 'gift', '${claim!.redPacketId}-again', 'gift-u9')`,
        `UPDATE "Account" SET "balanceCents" = "balanceCents" - 100 WHERE "id" = 'operator'`,
      ),
    );
    const { lost, doubled, problems } = await verdictOf('gift', told);
    expect([lost, doubled]).toEqual([0, 1]);
    expect(problems).toEqual(expect.arrayContaining([expect.stringContaining('[R8] the audit')]));
  });

  test('[R5] counts an account with more than its credits as doubled', async () => {
    const told = await settledRain('rich', () =>
      withoutTriggers(database, `UPDATE "Account" SET "balanceCents" = "balanceCents" + 1 WHERE "id" = 'user:rich-u0'`),
    );
    expect(await verdictOf('rich', told)).toMatchObject({
      lost: 0,
      doubled: 1,
      problems: expect.arrayContaining([
        expect.stringContaining('the accounts sum to 1'),
        expect.stringContaining('[R8] the audit'),
      ]) as string[],
    });
    await withoutTriggers(
      database,
      `UPDATE "Account" SET "balanceCents" = "balanceCents" - 1 WHERE "id" = 'user:rich-u0'`,
    );
  });

  test('asks nothing about a user whom the operator has compensated, and everything about the others', async () => {
    const told = await settledRain('named');
    for (const user of ['named-u7', 'named-u8']) {
      const record = new UserRecord(user);
      record.recordWin('0', 'named-0', '1.00');
      told.set(user, record);
    }
    expect(
      await verdictOf('named', told, { compensated: new Set(['named-u7', 'named-u8']), misled: new Set() }),
    ).toEqual({ acknowledged: 5, lost: 0, doubled: 0, problems: [] });
    expect(await verdictOf('named', told, { compensated: new Set(['named-u7']), misled: new Set() })).toEqual({
      acknowledged: 5,
      lost: 1,
      doubled: 0,
      problems: [expect.stringMatching(/^\[R4\] named-u8 /)],
    });
  });

  test('a user who was misled may have heard a "no" about the win, and is paid all the same', async () => {
    const told = await settledRain('misled');
    told.get('misled-u0')!.recordLoss('-3');
    expect(await verdictOf('misled', told)).toMatchObject({
      lost: 0,
      problems: [expect.stringContaining('misled-u0 had')],
    });
    const lacking = new UserRecord('misled-u7');
    lacking.recordWin('0', 'misled-0', '1.00');
    const misled = new Set(['misled-u0', 'misled-u7']);
    expect(await verdictOf('misled', told, { compensated: new Set(), misled })).toMatchObject({
      lost: 0,
      problems: [],
    });
    expect(await verdictOf('misled', told.set('misled-u7', lacking), { compensated: new Set(), misled })).toMatchObject(
      { lost: 1 },
    );
  });

  test('reports a winner without a win message, and a credit message without a credit', async () => {
    const told = await settledRain('deaf');
    const credited = new UserRecord('deaf-u9');
    credited.recordCredit('deaf-3', '1.00');
    const { lost, problems } = await verdictOf(
      'deaf',
      told.set('deaf-u0', new UserRecord('deaf-u0')).set('deaf-u9', credited),
    );
    expect(lost).toBe(0);
    expect(problems).toEqual([
      expect.stringMatching(/^deaf-u0 won .* and never received the win/),
      'deaf-u9 received a credit that is not in the ledger',
    ]);
  });
});

describe('the answers of one user', () => {
  const contradictionsOf = (...acts: ((told: UserRecord) => void)[]) => {
    const told = new UserRecord('ann');
    for (const act of acts) act(told);
    return told.contradictions;
  };

  test('[R6] may repeat the win, also by a join before the answer', () => {
    expect(
      contradictionsOf(
        (told) => told.recordWin('1', 'p', '1.00'),
        (told) => told.recordWin('0', 'p', '1.00'),
        (told) => told.recordWin('1', 'p', '1.00'),
        (told) => told.recordCredit('p', '1.00'),
      ),
    ).toEqual([]);
  });

  test('[R6] are contradictory if the second answer differs', () => {
    expect(
      contradictionsOf(
        (told) => told.recordWin('0', 'p', '1.00'),
        (told) => told.recordWin('1', 'p', '2.00'),
      ),
    ).toEqual(['ann was told p 1.00, then p 2.00']);
    expect(
      contradictionsOf(
        (told) => told.recordWin('0', 'p', '1.00'),
        (told) => told.recordWin('0', 'p', '1.00'),
      ),
    ).toEqual(['ann won p a second time']);
    expect(
      contradictionsOf(
        (told) => told.recordWin('0', 'p', '1.00'),
        (told) => told.recordLoss('-1'),
      ),
    ).toEqual(['ann had p and was told -1']);
    expect(
      contradictionsOf(
        (told) => told.recordLoss('-3'),
        (told) => told.recordWin('1', 'p', '1.00'),
      ),
    ).toEqual(['ann was told -3, then won p']);
    expect(
      contradictionsOf(
        (told) => told.recordWin('0', 'p', '1.00'),
        (told) => told.recordCredit('q', '1.00'),
      ),
    ).toEqual(['ann was told p 1.00, then q 1.00']);
  });
});

test('recovery is the longest wait after the fault; waits that ended before do not count', () => {
  const told = (askedAt: number, answeredAt: number, wonAt?: number): UserRecord =>
    Object.assign(new UserRecord('u'), {
      askedAt,
      answeredAt,
      ...(wonAt !== undefined && { won: { redPacketId: 'p', amount: '1.00', at: wonAt } }),
    });
  const seconds = (record: UserRecord, creditedAt: Map<string, number> = new Map(), settled = 0) =>
    recoverySeconds(10_000, 12_000, { records: new Map([['u', record]]) }, { creditedAt, settledAt: () => settled });
  expect(seconds(told(1_000, 9_000))).toBe(0);
  expect(seconds(told(1_000, 13_000))).toBe(3);
  expect(seconds(told(11_000, 13_000))).toBe(2);
  expect(seconds(told(1_000, 9_000, 9_000), new Map([['u', 14_000]]))).toBe(4);
  expect(seconds(told(1_000, 9_000), new Map(), 17_000)).toBe(5);
});
