import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectDatabase, type Database } from '../../src/ledger/database.ts';
import { openLedger, type Ledger } from '../../src/ledger/ledger.ts';
import { createLeaderboards } from '../../src/wallet/leaderboard.ts';
import { claimOf, newRain } from '../ledger/claims.ts';
import { startDatabase, type TestDatabase } from '../support/servers/database.ts';

let book: TestDatabase;
let database: Database;
let ledger: Ledger;
beforeAll(async () => {
  book = await startDatabase();
  database = connectDatabase(book.url);
  ledger = openLedger(database);
});
afterAll(async () => {
  await database?.$disconnect();
  await book?.stop();
});

test('the three highest, masked, of equal ones the earlier; not final before the rain is settled, and then with what was given', async () => {
  await ledger.createRain(newRain('r1', 100_000n), 'ann');
  let now = 0;
  const leaderboard = createLeaderboards(ledger, { now: () => now });
  expect(await leaderboard('r1')).toEqual({ rainId: 'r1', luckiest: [], final: false });
  const amounts = ['1.00', '7.00', '3.00', '7.00', '2.00'];
  for (const [i, amount] of amounts.entries())
    await ledger.credit([{ ...claimOf('r1', i), userId: `user-${i}`, amount }]);
  // Not looked at again within a second, however many ask.
  expect((await leaderboard('r1'))!.luckiest).toEqual([]);
  now += 1_001;
  const told = await leaderboard('r1');
  expect(told).toEqual({
    rainId: 'r1',
    final: false,
    luckiest: [
      { user: 'u•••1', amount: '7.00', redPacketId: claimOf('r1', 1).redPacketId },
      { user: 'u•••3', amount: '7.00', redPacketId: claimOf('r1', 3).redPacketId },
      { user: 'u•••2', amount: '3.00', redPacketId: claimOf('r1', 2).redPacketId },
    ],
  });
  expect(JSON.stringify(told)).not.toContain('user-');
  await ledger.recycle('r1', 100_000n - 2_000n, 'ann');
  await ledger.settle('r1');
  now += 1_001;
  expect(await leaderboard('r1')).toMatchObject({ final: true, given: '20.00' });
});

test('[R10] a thousand requests at once are one read of the ledger, and an unknown rain is not read again and again', async () => {
  let looks = 0;
  const leaderboard = createLeaderboards({
    luckiest: async () => {
      looks++;
      return undefined;
    },
  });
  const answers = await Promise.all(Array.from({ length: 1_000 }, () => leaderboard('none')));
  expect(new Set(answers)).toEqual(new Set([undefined]));
  expect(looks).toBe(1);
  await expect(Promise.all(Array.from({ length: 1_000 }, (_, i) => leaderboard(`none-${i}`)))).rejects.toThrow(
    /too many/,
  );
});
