import type { Claim } from '../rain/claim.ts';
import type { Cents } from '../rain/money.ts';
import { balance, sumOfBalances, wallet, type Wallet } from './accounts.ts';
import { actions, latestActions, record, type Action, type NumberedAction, type RecordedAction } from './actions.ts';
import { book, credits, type BookedCredit, type RainBook } from './book.ts';
import { credit, type Posting } from './credit.ts';
import {
  campaign, campaigns, campaignWinners, createCampaign, rounds, type BookedCampaign, type CampaignCreation, type CampaignWinners, type NewCampaign,
} from './campaigns.ts';
import type { Database } from './database.ts';
import { discard, discards, laidToRest, type BookedDiscard, type Discarding, type NewDiscard } from './discard.ts';
import { entrust, type Keeper } from './entrust.ts';
import { addPortion, type Adding, type NewPortion } from './portions.ts';
import { creditOf, postings, type BookedPosting } from './postings.ts';
import { creditsAmong, luckiest, purse, type PursePage, type PursePlace } from './purse.ts';
import { countRains, createRain, overdue, rain, rains, reschedule, seal, settle, type BookedRain, type Creation, type NewRain, type WhichRains, type Window } from './rains.ts';
import { recycle, type Recycling } from './recycle.ts';
import { reserve, type Reserving } from './reserve.ts';
import { openStaff, type Staff } from './staff.ts';

/** The book, opened. Each entry is told in full where it is written. */
export interface Ledger {
  createRain(rain: NewRain, actor: string, dryRun?: boolean): Promise<Creation>;
  addPortion(portion: NewPortion, actor: string, dryRun?: boolean): Promise<Adding>;
  reschedule(rainId: string, window: Window, action: { actor: string; verb: string }, from?: Window): Promise<boolean>;
  createCampaign(campaign: NewCampaign, actor: string): Promise<CampaignCreation>;
  campaign(id: string): Promise<BookedCampaign | undefined>;
  campaigns(limit?: number): Promise<BookedCampaign[]>;
  rounds(campaignId: string): Promise<BookedRain[]>;
  campaignWinners(campaign: Pick<BookedCampaign, 'id' | 'winsPerUserMax'>): Promise<CampaignWinners>;
  entrust(rainId: string, keeper: Keeper): Promise<Keeper | undefined>;
  reserve(claims: readonly Claim[]): Promise<Reserving[]>;
  credit(claims: readonly Claim[]): Promise<Posting[]>;
  recycle(rainId: string, cents: Cents, actor: string): Promise<Recycling>;
  discard(asked: NewDiscard, dryRun?: boolean): Promise<Discarding>;
  discards(rainId: string, afterLetterId?: string, limit?: number): Promise<BookedDiscard[]>;
  laidToRest(letterIds: readonly string[]): Promise<Map<string, BookedDiscard>>;
  seal(rainId: string): Promise<void>;
  settle(rainId: string): Promise<number>;
  rain(rainId: string): Promise<BookedRain | undefined>;
  rains(limit?: number, which?: WhichRains): Promise<BookedRain[]>;
  countRains(which?: WhichRains): Promise<number>;
  overdue(now: number, limit?: number): Promise<BookedRain[]>;
  book(rainId: string): Promise<RainBook | undefined>;
  credits(rainId: string, afterUserId?: string, limit?: number): Promise<BookedCredit[]>;
  balance(userId: string): Promise<Cents>;
  wallet(userId: string, limit?: number): Promise<Wallet>;
  purse(userId: string, after: PursePlace | undefined, limit: number): Promise<PursePage>;
  creditsAmong(userId: string, rainIds: readonly string[]): Promise<Map<string, BookedCredit>>;
  luckiest(rainId: string, limit: number): Promise<{ credits: BookedCredit[]; settled: boolean } | undefined>;
  record(action: Action): Promise<void>;
  actions(rainId: string, limit?: number): Promise<RecordedAction[]>;
  latestActions(page: { rainId?: string; before?: bigint; limit: number }): Promise<NumberedAction[]>;
  postings(redPacketIds: readonly string[]): Promise<BookedPosting[]>;
  creditOf(rainId: string, userId: string): ReturnType<typeof creditOf>;
  sumOfBalances(): Promise<Cents>;
  staff: Staff;
}

export function openLedger(database: Database): Ledger {
  return {
    createRain: (asked, actor, dryRun) => createRain(database, asked, actor, dryRun),
    addPortion: (asked, actor, dryRun) => addPortion(database, asked, actor, dryRun),
    reschedule: (rainId, window, action, from) => reschedule(database, rainId, window, action, from),
    createCampaign: (asked, actor) => createCampaign(database, asked, actor),
    campaign: (id) => campaign(database, id),
    campaigns: (limit) => campaigns(database, limit),
    rounds: (campaignId) => rounds(database, campaignId),
    campaignWinners: (of) => campaignWinners(database, of),
    entrust: (rainId, keeper) => entrust(database, rainId, keeper),
    reserve: (claims) => reserve(database, claims),
    credit: (claims) => credit(database, claims),
    recycle: (rainId, cents, actor) => recycle(database, rainId, cents, actor),
    discard: (asked, dryRun) => discard(database, asked, dryRun),
    discards: (rainId, afterLetterId, limit) => discards(database, rainId, afterLetterId, limit),
    laidToRest: (letterIds) => laidToRest(database, letterIds),
    seal: (rainId) => seal(database, rainId),
    settle: (rainId) => settle(database, rainId),
    rain: (rainId) => rain(database, rainId),
    rains: (limit, which) => rains(database, limit, which),
    countRains: (which) => countRains(database, which),
    overdue: (now, limit) => overdue(database, now, limit),
    book: (rainId) => book(database, rainId),
    credits: (rainId, afterUserId, limit) => credits(database, rainId, afterUserId, limit),
    balance: (userId) => balance(database, userId),
    wallet: (userId, limit) => wallet(database, userId, limit),
    purse: (userId, after, limit) => purse(database, userId, after, limit),
    creditsAmong: (userId, rainIds) => creditsAmong(database, userId, rainIds),
    luckiest: (rainId, limit) => luckiest(database, rainId, limit),
    record: (action) => record(database, action),
    actions: (rainId, limit) => actions(database, rainId, limit),
    latestActions: (page) => latestActions(database, page),
    postings: (redPacketIds) => postings(database, redPacketIds),
    creditOf: (rainId, userId) => creditOf(database, rainId, userId),
    sumOfBalances: () => sumOfBalances(database),
    staff: openStaff(database),
  };
}
