import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { rainAccounts } from '../../src/ledger/accounts.ts';
import { connectDatabase } from '../../src/ledger/database.ts';
import { openLedger } from '../../src/ledger/ledger.ts';
import { startDatabase } from '../support/servers/database.ts';
import { postgresInstalled } from '../support/servers/postgres.ts';
import { claimOf, newRain } from './claims.ts';

test.skipIf(!postgresInstalled)(
  '[R10] a process that freezes in the middle of a posting holds up the others for seconds, not until it wakes',
  async () => {
    const { url, stop } = await startDatabase();
    const [frozen, awake] = [connectDatabase(url), connectDatabase(url)];
    try {
      const ledger = openLedger(awake);
      await ledger.createRain(newRain('ice', 1_000n), 'ann');
      const [held, posted] = [latch(), latch()];
      const abandoned = frozen
        .$transaction(async (book) => {
          await book.$executeRaw`SELECT 1 FROM "Account" WHERE "id" = ${rainAccounts({ rainId: 'ice', rehearsal: false, accounts: 1 })[0]!} FOR NO KEY UPDATE`;
          held.resolve();
          // Without a limit the others' statement would run out of time first, at 15 s.
          await Promise.race([posted.promise, sleep(14_000, undefined, { ref: false })]);
          await book.$executeRaw`SELECT 1`;
        })
        .catch((error: unknown) => error);
      await held.promise;
      expect(await ledger.credit([claimOf('ice', 0)])).toEqual([{ outcome: 'posted' }]);
      posted.resolve();
      expect(await abandoned).toBeInstanceOf(Error);
      expect(await openLedger(frozen).credit([claimOf('ice', 0)])).toEqual([{ outcome: 'already' }]);
    } finally {
      await Promise.all([frozen.$disconnect(), awake.$disconnect()]);
      await stop();
    }
  },
);

function latch(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
