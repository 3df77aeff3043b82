import { accountFaults } from './accountFaults.ts';
import { balance, sumOfBalances } from './accounts.ts';
import { actions, lastDetails, latestActions, record } from './actions.ts';
import { approval, approvals, askApproval, carriedOut, decideApproval } from './approvals.ts';
import { book, creditOf, credits, creditsTo, postings } from './book.ts';
import {
  campaign,
  campaignBuyers,
  campaigns,
  campaignWinners,
  countRounds,
  createCampaign,
  rounds,
  unitsHeld,
} from './campaigns.ts';
import { credit } from './credit.ts';
import type { Database } from './database.ts';
import { discard, discards, discardedClaims } from './discard.ts';
import { discardLetter } from './discardLetter.ts';
import { epoch, nextEpoch } from './epoch.ts';
import { payFreeOrders } from './freeOrders.ts';
import { movedWindows } from './movedWindows.ts';
import { numberedOrders } from './numberedOrders.ts';
import {
  cancelOrders,
  expireOrders,
  order,
  orderCounts,
  orderTotals,
  orders,
  ordersAmong,
  stepOrder,
  stepOrderByHand,
  writeOrders,
} from './orders.ts';
import {
  countParticipants,
  enterByCode,
  hasParticipants,
  importParticipants,
  participant,
  participants,
  participantsAmong,
  participantsForCards,
  removeAllParticipants,
  removeParticipants,
  renewParticipantCode,
} from './participants.ts';
import {
  campaignsExcluding,
  countExclusions,
  countNotExcluded,
  exclude,
  excludeBuyers,
  excludedCredits,
  excludedFrom,
  excludeWinners,
  exclusions,
  exclusionsAmong,
  readmit,
} from './exclusions.ts';
import { eraseUser, inactiveUsers, personalRows } from './personalData.ts';
import { payouts } from './payouts.ts';
import { addTopUp } from './topUps.ts';
import { creditsAmong, luckiest, walletStatement } from './walletStatement.ts';
import { rainFigures } from './rainFigures.ts';
import { assignPayout, countRains, createRain, overdue, rain, rains, reschedule, seal, settle } from './rains.ts';
import { recycle } from './recycle.ts';
import { refusalsAmong, refuseReservations } from './refusals.ts';
import { reserve } from './reserve.ts';
import { addStock, createSale, overdueSales, rescheduleSale, sale, sales, sealSale, settleSale } from './sales.ts';
import { settledFaults } from './settledFaults.ts';
import { openStaff } from './staff.ts';
import { openStaffTokens } from './staffTokens.ts';
import { openStaffTotp } from './staffTotp.ts';
import { itemPicture, itemPictures, keepItemPicture } from './itemPictures.ts';
import { countOrders, places, stock } from './stock.ts';
import { followedUnits, ordersUpTo, stockFaults } from './stockFaults.ts';
import { removeTemplate, saveTemplate, templates } from './templates.ts';
import {
  greeting,
  publicGreeting,
  removeTheme,
  removeThemeFile,
  setGreeting,
  setTheme,
  setThemeFile,
  themeFile,
  themes,
} from './themes.ts';
import {
  markFollowed,
  oldestUnfollowedSeconds,
  unfollow,
  unfollowedAmong,
  unfollowedOrder,
  unfollowedOrders,
  unfollowedSales,
} from './unfollowed.ts';

/** All operations of the ledger. Each is documented where it is written. */
const OPERATIONS = {
  createRain,
  addTopUp,
  reschedule,
  rain,
  rains,
  countRains,
  rainFigures,
  overdue,
  seal,
  settle,
  createCampaign,
  campaign,
  campaigns,
  countRounds,
  rounds,
  campaignWinners,
  campaignBuyers,
  unitsHeld,
  excludeWinners,
  excludeBuyers,
  exclude,
  readmit,
  exclusions,
  exclusionsAmong,
  countExclusions,
  countNotExcluded,
  excludedCredits,
  excludedFrom,
  campaignsExcluding,
  assignPayout,
  reserve,
  credit,
  recycle,
  discard,
  discards,
  discardedClaims,
  book,
  credits,
  creditsAmong,
  creditsTo,
  creditOf,
  postings,
  payouts,
  luckiest,
  walletStatement,
  balance,
  sumOfBalances,
  accountFaults,
  settledFaults,
  record,
  actions,
  lastDetails,
  latestActions,
  askApproval,
  approval,
  approvals,
  decideApproval,
  carriedOut,
  epoch,
  nextEpoch,
  movedWindows,
  personalRows,
  eraseUser,
  inactiveUsers,
  importParticipants,
  participants,
  countParticipants,
  hasParticipants,
  participantsAmong,
  participantsForCards,
  participant,
  renewParticipantCode,
  removeParticipants,
  removeAllParticipants,
  enterByCode,
  themes,
  setTheme,
  removeTheme,
  setThemeFile,
  removeThemeFile,
  themeFile,
  keepItemPicture,
  itemPictures,
  itemPicture,
  greeting,
  publicGreeting,
  setGreeting,
  templates,
  saveTemplate,
  removeTemplate,
  createSale,
  sale,
  sales,
  overdueSales,
  addStock,
  rescheduleSale,
  sealSale,
  settleSale,
  stock,
  places,
  countOrders,
  followedUnits,
  stockFaults,
  ordersUpTo,
  writeOrders,
  payFreeOrders,
  stepOrder,
  stepOrderByHand,
  expireOrders,
  cancelOrders,
  order,
  orders,
  numberedOrders,
  ordersAmong,
  orderCounts,
  orderTotals,
  refuseReservations,
  refusalsAmong,
  discardLetter,
  unfollowedAmong,
  unfollowedOrder,
  unfollowedOrders,
  unfollowedSales,
  oldestUnfollowedSeconds,
  markFollowed,
  unfollow,
};

/** An operation with its database bound. */
type Bound<Operation> = Operation extends (database: Database, ...args: infer Args) => infer Result
  ? (...args: Args) => Result
  : never;

type BoundOperations = { [Name in keyof typeof OPERATIONS]: Bound<(typeof OPERATIONS)[Name]> };

/** The ledger with its database bound. */
export interface Ledger extends BoundOperations {
  staff: ReturnType<typeof openStaff> & ReturnType<typeof openStaffTokens> & ReturnType<typeof openStaffTotp>;
}

export function openLedger(database: Database): Ledger {
  const bound = Object.entries(OPERATIONS).map(([name, operation]) => [
    name,
    (operation as (...args: unknown[]) => unknown).bind(undefined, database),
  ]);
  return {
    ...(Object.fromEntries(bound) as BoundOperations),
    staff: { ...openStaff(database), ...openStaffTokens(database), ...openStaffTotp(database) },
  };
}
