import { expect, test } from 'vitest';
import { rainAccounts } from '../../src/ledger/accounts.ts';
import { connectDatabase } from '../../src/ledger/database.ts';
import { openLedger } from '../../src/ledger/ledger.ts';
import { eventually } from '../support/eventually.ts';
import { startDatabase } from '../support/servers/database.ts';
import { postgresInstalled } from '../support/servers/postgres.ts';
import { claimOf, newRain } from './claims.ts';

test.skipIf(!postgresInstalled)(
  'a batch of one shard does not wait for a batch of another, and does for one of its own',
  async () => {
    const { url, stop } = await startDatabase();
    const [slow, quick] = [connectDatabase(url), connectDatabase(url)];
    try {
      const ledger = openLedger(quick);
      await ledger.createRain(
        newRain('wide', 400n, {
          shards: 4,
          packets: 8,
          split: { budget: '4.00', packets: 8, split: { method: 'even' } },
        }),
        'ann',
      );
      const claim = (n: number) => claimOf('wide', n, { redPacketId: `wide-${n}`, amount: '0.50' });
      let later: Promise<unknown> | undefined;
      await slow.$transaction(async (book) => {
        const [account] = rainAccounts({ rainId: 'wide', rehearsal: false, accounts: 4 });
        await book.$executeRaw`SELECT FROM "Account" WHERE "id" = ${account!} FOR NO KEY UPDATE`;
        expect(await ledger.credit([claim(1), claim(2), claim(3), claim(7)])).toHaveLength(4);
        later = ledger.credit([claim(0)]);
        await eventually(async () => {
          const [row] = await book.$queryRaw<
            { waiting: bigint }[]
          >`SELECT count(*) AS "waiting" FROM pg_stat_activity WHERE "wait_event_type" = 'Lock'`;
          expect(row!.waiting).toBe(1n);
        });
      });
      expect(await later).toEqual([{ outcome: 'posted' }]);
    } finally {
      await Promise.all([slow.$disconnect(), quick.$disconnect()]);
      await stop();
    }
  },
);
