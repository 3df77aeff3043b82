import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createGrabEngine } from '../../src/grab/engine.ts';
import { findRain, redisNow } from '../../src/store/rains.ts';
import { connectDatabase, type Database } from '../../src/ledger/database.ts';
import { closeRain } from '../../src/operator/transitions.ts';
import type { Claim } from '../../src/rain/claim.ts';
import { settleRain } from '../../src/operator/settle.ts';
import { claimLog, openTestContext, type TestContext } from '../support/operatorContext.ts';
import { raise } from './rainfall.ts';
import { recoverySeconds } from './recovery.ts';
import { Told } from './told.ts';
import { judge } from './verdict.ts';

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

/** A rain of four packets of which three were won, told, credited and settled, as it should be. */
async function settledRain(rainId: string, more: (claims: Claim[]) => Promise<unknown> = async () => {}): Promise<Map<string, Told>> {
  const now = await redisNow(context.redis);
  await raise(context, { id: rainId, plan: { budget: '4.00', packets: 4, split: { method: 'even' } }, opensAt: now - 1, closesAt: now + 600_000 });
  const told = new Map<string, Told>();
  const users = [0, 1, 2].map((i) => `${rainId}-u${i}`);
  const answers = await createGrabEngine(context.redis, () => {}).grab(rainId, 0, users);
  answers.forEach((answer, i) => {
    const ears = new Told(users[i]!);
    if ('amount' in answer) ears.tellWon(answer.code, answer.redPacketId, answer.amount);
    told.set(users[i]!, ears);
  });
  const claims = await claimLog(context, rainId);
  await context.ledger.credit(claims);
  await closeRain(context, rainId);
  expect(await settleRain(context, rainId, (await findRain(context.redis, rainId))!)).toEqual({ outcome: 'settled' });
  await more(claims);
  return told;
}

const judged = (rainId: string, told: Map<string, Told>) => judge(context, database, rainId,
  { told, winners: () => [...told].flatMap(([userId, { won }]) => (won ? [[userId, won] as [string, typeof won]] : [])) });

describe('the verdict', () => {
  test('of a rain in which all is well has nothing to say', async () => {
    expect(await judged('well', await settledRain('well'))).toEqual({ acknowledged: 3, lost: 0, doubled: 0, problems: [] });
  });

  test('[R4] counts who was told that he won and has nothing as lost', async () => {
    const told = await settledRain('liar');
    const deceived = new Told('liar-u9');
    deceived.tellWon('0', 'liar-3', '1.00');
    expect(await judged('liar', told.set('liar-u9', deceived))).toMatchObject({ acknowledged: 4, lost: 1, doubled: 0, problems: [expect.stringContaining('[R4] liar-u9')] });
  });

  test('counts who was told more than he has as lost', async () => {
    const told = await settledRain('short');
    const more = new Told('short-u0');
    more.tellWon('0', told.get('short-u0')!.won!.redPacketId, '5.00');
    expect(await judged('short', told.set('short-u0', more))).toMatchObject({ acknowledged: 3, lost: 1 });
  });

  test('[R5] counts a credit without a claim as doubled', async () => {
    const told = await settledRain('gift', ([claim]) => database.$transaction([
      database.account.update({ where: { id: 'rain:gift' }, data: { balanceCents: 100n } }),
      database.$executeRaw`INSERT INTO "Account" VALUES ('user:gift-u9', 'user', 100)`,
      database.transfer.create({ data: {
        id: `credit:${claim!.redPacketId}-again`, kind: 'credit', debitAccountId: 'rain:gift', creditAccountId: 'user:gift-u9', amountCents: 100n,
        rainId: 'gift', redPacketId: `${claim!.redPacketId}-again`, userId: 'gift-u9',
      } }),
      database.account.update({ where: { id: 'rain:gift' }, data: { balanceCents: 0n } }),
      database.account.update({ where: { id: 'operator' }, data: { balanceCents: { decrement: 100n } } }),
    ]));
    const { lost, doubled, problems } = await judged('gift', told);
    expect([lost, doubled]).toEqual([0, 1]);
    expect(problems).toEqual(expect.arrayContaining([expect.stringContaining('[R8] the audit')]));
  });

  test('[R5] counts an account with more in it than was credited as doubled', async () => {
    const told = await settledRain('rich', () => database.account.update({ where: { id: 'user:rich-u0' }, data: { balanceCents: { increment: 1n } } }));
    expect(await judged('rich', told)).toMatchObject({ lost: 0, doubled: 1, problems: [expect.stringContaining('the accounts sum to 1')] });
    await database.account.update({ where: { id: 'user:rich-u0' }, data: { balanceCents: { decrement: 1n } } });
  });

  test('names a winner who was never told, and a credit that was told and is not there', async () => {
    const told = await settledRain('deaf');
    const credited = new Told('deaf-u9');
    credited.tellCredited('deaf-3', '1.00');
    const { lost, problems } = await judged('deaf', told.set('deaf-u0', new Told('deaf-u0')).set('deaf-u9', credited));
    expect(lost).toBe(0);
    expect(problems).toEqual([expect.stringMatching(/^deaf-u0 won .* and never heard of it/), 'deaf-u9 was told of a credit that is not in the book']);
  });
});

describe('what one user was told', () => {
  const hear = (...acts: ((told: Told) => void)[]) => {
    const told = new Told('ann');
    for (const act of acts) act(told);
    return told.contradictions;
  };

  test('[R6] may be said again, by a join before the answer too', () => {
    expect(hear((told) => told.tellWon('1', 'p', '1.00'), (told) => told.tellWon('0', 'p', '1.00'), (told) => told.tellWon('1', 'p', '1.00'), (told) => told.tellCredited('p', '1.00'))).toEqual([]);
  });

  test('[R6] contradicts itself when the second answer is another', () => {
    expect(hear((told) => told.tellWon('0', 'p', '1.00'), (told) => told.tellWon('1', 'p', '2.00'))).toEqual(['ann was told p 1.00, then p 2.00']);
    expect(hear((told) => told.tellWon('0', 'p', '1.00'), (told) => told.tellWon('0', 'p', '1.00'))).toEqual(['ann won p a second time']);
    expect(hear((told) => told.tellWon('0', 'p', '1.00'), (told) => told.tellLost('-1'))).toEqual(['ann had p and was told -1']);
    expect(hear((told) => told.tellLost('-3'), (told) => told.tellWon('1', 'p', '1.00'))).toEqual(['ann was told -3, then that p is his']);
    expect(hear((told) => told.tellWon('0', 'p', '1.00'), (told) => told.tellCredited('q', '1.00'))).toEqual(['ann was told p 1.00, then q 1.00']);
  });
});

test('recovery is the longest wait after the fault, and what was over by then does not count', () => {
  const told = (askedAt: number, answeredAt: number, wonAt?: number): Told => Object.assign(new Told('u'), {
    askedAt, answeredAt, ...(wonAt !== undefined && { won: { redPacketId: 'p', amount: '1.00', at: wonAt } }),
  });
  const seconds = (ears: Told, creditedAt: Map<string, number> = new Map(), settled = 0) =>
    recoverySeconds(10_000, 12_000, { told: new Map([['u', ears]]) }, { creditedAt, settledAt: () => settled });
  expect(seconds(told(1_000, 9_000))).toBe(0);
  expect(seconds(told(1_000, 13_000))).toBe(3);
  expect(seconds(told(11_000, 13_000))).toBe(2);
  expect(seconds(told(1_000, 9_000, 9_000), new Map([['u', 14_000]]))).toBe(4);
  expect(seconds(told(1_000, 9_000), new Map(), 17_000)).toBe(5);
});
