import { Client } from 'pg';
import { expect, test } from 'vitest';
import { connectDatabase } from '../../src/ledger/database.ts';
import { openLedger } from '../../src/ledger/ledger.ts';
import { startDatabase } from '../support/servers/database.ts';
import { execute, postgresInstalled } from '../support/servers/postgres.ts';
import { claimOf, claimsOf, newRain } from './claims.ts';

const TRANSFERS = 20_000;

/** As many transfers of other rains, so that reading all of them is the dearest way to find some. */
const FILL = `SET session_replication_role = replica;
  INSERT INTO "Rain" ("id", "title", "budgetCents", "packets", "split", "seed", "opensAt", "closesAt") SELECT 'other' || n, 't', 1, 1, '{}', 's', now(), now() + interval '1 s' FROM generate_series(0, 199) AS n;
  INSERT INTO "Transfer" ("id", "kind", "debitAccountId", "creditAccountId", "amountCents", "rainId", "redPacketId", "userId")
  SELECT 'credit:other' || n, 'credit', 'rain:other' || n / 100, 'user:x' || n, 1, 'other' || n / 100, 'other' || n, 'x' || n FROM generate_series(0, ${TRANSFERS - 1}) AS n;
  ANALYZE`;

test.skipIf(!postgresInstalled)(
  'every operation on a rain or a user finds its transfers by an index, and reads not all of them',
  async () => {
    const { url, stop } = await startDatabase();
    const database = connectDatabase(url);
    const ledger = openLedger(database);
    const reader = new Client({ connectionString: url });
    try {
      await reader.connect();
      await execute(url, FILL);
      const scans = async () => {
        // A session tells its statistics when it ends, at the latest.
        await database.$disconnect();
        await reader.query('SELECT pg_stat_clear_snapshot()');
        const { rows } = await reader.query<{ scans: number }>(
          `SELECT seq_scan::int AS scans FROM pg_stat_user_tables WHERE relname = 'Transfer'`,
        );
        return rows[0]!.scans;
      };
      const claim = claimOf('sought', 9);
      const operations: Record<string, () => Promise<unknown>> = {
        createRain: () => ledger.createRain(newRain('sought', 1_000n), 'ann'),
        addTopUp: () =>
          ledger.addTopUp(
            {
              id: 'more',
              rainId: 'sought',
              budgetCents: 50n,
              packets: 5,
              split: { budget: '0.50', packets: 5 },
              seed: 'cd'.repeat(32),
            },
            'ann',
          ),
        credit: () => ledger.credit(claimsOf('sought', 0, 5)),
        'credit again': () => ledger.credit(claimsOf('sought', 0, 5)),
        reserve: () => ledger.reserve([claim]),
        discard: () =>
          ledger.discard({
            letterId: 'l',
            rainId: 'sought',
            entry: '{}',
            deadReason: 'refused',
            reason: 'a trial',
            actor: 'ann',
            notPaid: true,
            claim: { redPacketId: claim.redPacketId, userId: claim.userId, claimedCents: 10n, allocatedCents: 10n },
          }),
        book: () => ledger.book('sought'),
        credits: () => ledger.credits('sought', 'u1', 2),
        creditsTo: () => ledger.creditsTo('sought', { userIds: ['u1', 'u2'], redPacketIds: ['sought-p3'] }),
        creditOf: () => ledger.creditOf('sought', 'u1'),
        creditsAmong: () => ledger.creditsAmong('u1', ['sought', 'other1']),
        postings: () => ledger.postings(['sought-p1', 'other5']),
        payouts: () => ledger.payouts('sought', ['sought-p1']),
        luckiest: () => ledger.luckiest('sought', 3),
        walletStatement: () => ledger.walletStatement('u1', { postedAt: Date.now(), redPacketId: 'x' }, 10),
        accountFaults: () => ledger.accountFaults('sought'),
        personalRows: () => ledger.personalRows('u1', 'ann'),
        recycle: () => ledger.recycle('sought', 1_025n, 'ann'),
        'recycle again': () => ledger.recycle('sought', 1_025n, 'ann'),
        settle: () => ledger.settle('sought'),
        'luckiest, settled': () => ledger.luckiest('sought', 3),
        settledFaults: () => ledger.settledFaults(10),
        // An erasure is not among them: it deletes an account, and no index says that nothing was ever paid out of it.
      };
      const reading: string[] = [];
      for (const [name, operation] of Object.entries(operations)) {
        const before = await scans();
        await operation();
        if ((await scans()) !== before) reading.push(name);
      }
      expect(reading).toEqual([]);
    } finally {
      await Promise.all([database.$disconnect(), reader.end()]);
      await stop();
    }
  },
);
