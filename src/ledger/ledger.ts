import { accountFaults } from './accountFaults.ts';
import { balance, sumOfBalances } from './accounts.ts';
import { actions, latestActions, record } from './actions.ts';
import { book, creditOf, credits, postings } from './book.ts';
import { campaign, campaigns, campaignWinners, createCampaign, rounds } from './campaigns.ts';
import { credit } from './credit.ts';
import type { Database } from './database.ts';
import { discard, discards, discardedClaims } from './discard.ts';
import { epoch, nextEpoch } from './epoch.ts';
import { payouts } from './payouts.ts';
import { addTopUp } from './topUps.ts';
import { creditsAmong, luckiest, walletStatement } from './walletStatement.ts';
import { assignPayout, countRains, createRain, overdue, rain, rains, reschedule, seal, settle } from './rains.ts';
import { recycle } from './recycle.ts';
import { reserve } from './reserve.ts';
import { settledFaults } from './settledFaults.ts';
import { openStaff } from './staff.ts';

/** All operations of the ledger. Each is documented where it is written. */
const OPERATIONS = {
  createRain, addTopUp, reschedule, rain, rains, countRains, overdue, seal, settle,
  createCampaign, campaign, campaigns, rounds, campaignWinners,
  assignPayout, reserve, credit, recycle, discard, discards, discardedClaims,
  book, credits, creditsAmong, creditOf, postings, payouts, luckiest, walletStatement, balance, sumOfBalances, accountFaults, settledFaults,
  record, actions, latestActions,
  epoch, nextEpoch,
};

/** An operation with its database bound. */
type Bound<Operation> = Operation extends (database: Database, ...args: infer Args) => infer Result ? (...args: Args) => Result : never;

type BoundOperations = { [Name in keyof typeof OPERATIONS]: Bound<(typeof OPERATIONS)[Name]> };

/** The ledger with its database bound. */
export interface Ledger extends BoundOperations {
  staff: ReturnType<typeof openStaff>;
}

export function openLedger(database: Database): Ledger {
  const bound = Object.entries(OPERATIONS).map(([name, operation]) => [name, (operation as (...args: unknown[]) => unknown).bind(undefined, database)]);
  return { ...Object.fromEntries(bound) as BoundOperations, staff: openStaff(database) };
}
