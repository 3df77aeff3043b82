import { balance, sumOfBalances, wallet } from './accounts.ts';
import { actions, latestActions, record } from './actions.ts';
import { book, credits } from './book.ts';
import { campaign, campaigns, campaignWinners, createCampaign, rounds } from './campaigns.ts';
import { credit } from './credit.ts';
import type { Database } from './database.ts';
import { discard, discards, laidToRest } from './discard.ts';
import { entrust } from './entrust.ts';
import { addPortion } from './portions.ts';
import { creditOf, postings } from './postings.ts';
import { creditsAmong, luckiest, purse } from './purse.ts';
import { countRains, createRain, overdue, rain, rains, reschedule, seal, settle } from './rains.ts';
import { recycle } from './recycle.ts';
import { reserve } from './reserve.ts';
import { openStaff, type Staff } from './staff.ts';

/** Everything that can be done with the book. Each entry is told in full where it is written. */
const ENTRIES = {
  createRain, addPortion, reschedule, rain, rains, countRains, overdue, seal, settle,
  createCampaign, campaign, campaigns, rounds, campaignWinners,
  entrust, reserve, credit, recycle, discard, discards, laidToRest,
  book, credits, creditsAmong, creditOf, postings, luckiest, purse, balance, wallet, sumOfBalances,
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
