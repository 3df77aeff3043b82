import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectDatabase, type Database } from '../../src/ledger/database.ts';
import { openLedger, type Ledger } from '../../src/ledger/ledger.ts';
import type { StatementCursor } from '../../src/ledger/walletStatement.ts';
import { startDatabase, type TestDatabase } from '../support/servers/database.ts';
import { newRain } from './claims.ts';

let server: TestDatabase;
let database: Database;
let ledger: Ledger;
beforeAll(async () => {
  server = await startDatabase();
  database = connectDatabase(server.url);
  ledger = openLedger(database);
});
afterAll(async () => {
  await database?.$disconnect();
  await server?.stop();
});

test('pages of a wallet hold each credit once, those of one moment too, newest first, and the whole balance', async () => {
  const rains = Array.from({ length: 12 }, (_, i) => `page-${i}`);
  for (const id of rains) await ledger.createRain(newRain(id, 100n), 'test');
  await database.transfer.createMany({
    data: rains.map((rainId, i) => ({
      id: `credit:${rainId}-p`,
      kind: 'credit' as const,
      debitAccountId: `rain:${rainId}`,
      creditAccountId: 'user:bob',
      amountCents: 5n,
      rainId,
      redPacketId: `${rainId}-p`,
      userId: 'bob',
      // Five of one moment, seven of another.
      postedAt: new Date(Date.UTC(2031, 0, 1, 0, 0, i < 5 ? 1 : 0)),
    })),
  });
  for (let limit = 1; limit <= 13; limit++) {
    const seen: string[] = [];
    for (let after: StatementCursor | undefined; ;) {
      const { balanceCents, packets } = await ledger.walletStatement('bob', after, limit);
      expect(balanceCents).toBe(60n);
      seen.push(...packets.map(({ rainId }) => rainId));
      if (packets.length < limit) break;
      after = packets.at(-1)!;
    }
    expect(seen.slice(0, 5).toSorted()).toEqual(rains.slice(0, 5));
    expect(seen.toSorted()).toEqual(rains.toSorted());
  }
  expect(await ledger.walletStatement('nobody', undefined, 5)).toEqual({ balanceCents: 0n, packets: [] });
});
