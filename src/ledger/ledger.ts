import { balance, sumOfBalances, wallet } from './accounts.ts';
import { actions, latestActions, record } from './actions.ts';
import { book, credits } from './book.ts';
import { campaign, campaigns, campaignWinners, createCampaign, rounds } from './campaigns.ts';
import { credit } from './credit.ts';
import type { Database } from './database.ts';
import { discard, discards, discardedClaims } from './discard.ts';
import { assignPayout } from './assignPayout.ts';
import { addTopUp } from './topUps.ts';
import { creditOf, postings } from './postings.ts';
import { creditsAmong, luckiest, walletStatement } from './walletStatement.ts';
import { countRains, createRain, overdue, rain, rains, reschedule, seal, settle } from './rains.ts';
import { recycle } from './recycle.ts';
import { reserve } from './reserve.ts';
import { openStaff, type Staff } from './staff.ts';

/** Everything that can be done with the book. Each entry is told in full where it is written. */
const ENTRIES = {
  createRain, addTopUp, reschedule, rain, rains, countRains, overdue, seal, settle,
  createCampaign, campaign, campaigns, rounds, campaignWinners,
  assignPayout, reserve, credit, recycle, discard, discards, discardedClaims,
  book, credits, creditsAmong, creditOf, postings, luckiest, walletStatement, balance, wallet, sumOfBalances,
  record, actions, latestActions,
};

/** An entry as it is called once the book is open: without the database. */
type Opened<Entry> = Entry extends (database: Database, ...asked: infer Asked) => infer Answer ? (...asked: Asked) => Answer : never;

type OpenEntries = { [Name in keyof typeof ENTRIES]: Opened<(typeof ENTRIES)[Name]> };

/** The book, opened. */
export interface Ledger extends OpenEntries {
  staff: Staff;
}

export function openLedger(database: Database): Ledger {
  const opened = Object.entries(ENTRIES).map(([name, entry]) => [name, (entry as (...asked: unknown[]) => unknown).bind(undefined, database)]);
  return { ...Object.fromEntries(opened) as OpenEntries, staff: openStaff(database) };
}
