import { afterAll, afterEach, beforeAll, describe } from 'vitest';
import { connectDatabase } from '../../src/ledger/database.ts';
import { openLedger } from '../../src/ledger/ledger.ts';
import { expectBalanced } from './claims.ts';
import { accountFaultsContract } from './contract-accountFaults.ts';
import { allocationContract } from './contract-allocation.ts';
import { creditContract } from './contract-credit.ts';
import { databaseContract } from './contract-database.ts';
import { discardContract } from './contract-discard.ts';
import { payoutProviderContract } from './contract-payoutProvider.ts';
import { topUpContract } from './contract-topUp.ts';
import { rainContract } from './contract-rain.ts';
import { rainFiguresContract } from './contract-rainFigures.ts';
import { rehearsalContract } from './contract-rehearsal.ts';
import { reserveContract } from './contract-reserve.ts';
import { shardAccountsContract } from './contract-shardAccounts.ts';
import { saleLimitsContract } from './contract-saleLimits.ts';
import { salesContract } from './contract-sales.ts';
import type { OpenBook } from './openBook.ts';

interface Server {
  /** The address of a database that is migrated and empty. */
  url: string;
  stop(): Promise<void>;
}

/** The promises of the book, on whatever speaks PostgreSQL. */
export function ledgerContract(server: string, start: () => Promise<Server>): void {
  describe(`the book on ${server}`, () => {
    let started: Server;
    const book = {} as OpenBook;
    beforeAll(async () => {
      started = await start();
      book.database = connectDatabase(started.url);
      book.ledger = openLedger(book.database);
    });
    afterEach(() => expectBalanced(book.database));
    afterAll(async () => {
      await book.database?.$disconnect();
      await started?.stop();
    });

    rainContract(book);
    rainFiguresContract(book);
    topUpContract(book);
    creditContract(book);
    allocationContract(book);
    discardContract(book);
    reserveContract(book);
    rehearsalContract(book);
    shardAccountsContract(book);
    payoutProviderContract(book);
    databaseContract(book);
    accountFaultsContract(book);
    salesContract(book);
    saleLimitsContract(book);
  });
}
