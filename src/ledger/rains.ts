import { isDeepStrictEqual } from 'node:util';
import { winsMaxOf } from '../rain/campaign.ts';
import { commitmentOf } from '../rain/commitment.ts';
import { formatMoney, type Cents } from '../rain/money.ts';
import { operatorAccount, rainAccount } from './accounts.ts';
import { record, type Json } from './actions.ts';
import { attempt } from './attempt.ts';
import type { Database, Transaction } from './database.ts';
import type { Keeper, Portion, Rain } from './generated/client.ts';
import { toBookedPortion, type BookedPortion } from './portions.ts';

export interface NewRain {
  id: string;
  title: string;
  budgetCents: Cents;
  packets: number;
  /** Together with `seed`: all that is needed to make the same packets again. */
  split: Json;
  seed: string;
  shards: number;
  /** Epoch ms. */
  opensAt: number;
  /** Epoch ms. */
  closesAt: number;
  /** Played with shadow money, see accounts.ts. */
  rehearsal?: boolean;
  /** Of a round, whose id names both; see rain/campaign.ts. */
  campaign?: Round;
}

/** Epoch ms. */
export type Window = Pick<NewRain, 'opensAt' | 'closesAt'>;

export interface Round {
  id: string;
  round: number;
  excludeEarlierWinners: boolean;
}

/** `budgetCents` and `packets` are what it holds in all, its portions included; `split` and `seed` those of its creation. */
export interface BookedRain extends Omit<NewRain, 'rehearsal' | 'campaign'> {
  rehearsal?: true;
  campaign?: Round & { /** With so many wins a user has had enough for this round. */ winsMax: number };
  /** Who keeps its users' money; absent until somebody took it on. */
  keeper?: Keeper;
  /** What was added since, in order. */
  portions: BookedPortion[];
  /** Epoch ms. */
  createdAt: number;
  /** Epoch ms; absent as long as something may be added. */
  sealedAt?: number;
  /** Epoch ms; absent while the book is open. */
  settledAt?: number;
}

export type Creation =
  | { outcome: 'created' }
  /** The same rain was created before; nothing was done again. */
  | { outcome: 'exists' }
  /** Another rain has this id; nothing was done. */
  | { outcome: 'differs'; fields: (keyof NewRain)[] };

/**
 * A rain, its account, and the money in it, moved from the operator, and on record what was committed to: all of it or
 * nothing. The record is append-only in the database; the row of the rain is not.
 * @param dryRun only say what it would come to
 */
export function createRain(database: Database, asked: NewRain, actor: string, dryRun = false): Promise<Creation> {
  return attempt(database, async (book): Promise<Creation> => {
    const { campaign, ...plain } = asked;
    const named = campaign && { campaignId: campaign.id, round: campaign.round, excludeEarlierWinners: campaign.excludeEarlierWinners };
    const { count } = await book.rain.createMany({
      data: { ...plain, ...named, opensAt: new Date(asked.opensAt), closesAt: new Date(asked.closesAt) },
      skipDuplicates: true,
    });
    if (count === 0) return compare(asked, toBookedRain(await book.rain.findUniqueOrThrow({ where: { id: asked.id }, ...inFull })));
    const { id: rainId, title, packets, seed, split: plan, shards, rehearsal = false } = asked;
    await fund(book, rainId, rehearsal, asked.budgetCents);
    const commitment = commitmentOf({ rainId, seed, plan, shards });
    await record(book, { actor, verb: 'create', rainId, details: { title, budget: formatMoney(asked.budgetCents), packets, commitment, ...(rehearsal && { rehearsal }), ...named } });
    return { outcome: 'created' };
  }, dryRun);
}

async function fund(book: Transaction, rainId: string, rehearsal: boolean, cents: Cents): Promise<void> {
  const [operator, account] = [operatorAccount(rehearsal), rainAccount(rainId, rehearsal)];
  await book.account.create({ data: { id: account, kind: 'rain', balanceCents: cents } });
  // Prisma's upsert reads first and can lose a race against the first rain ever.
  await book.$executeRaw`
    INSERT INTO "Account" AS account ("id", "kind", "balanceCents") VALUES (${operator}, 'operator', ${-cents})
    ON CONFLICT ("id") DO UPDATE SET "balanceCents" = account."balanceCents" + excluded."balanceCents"`;
  await book.transfer.create({
    data: { id: `fund:${rainId}`, kind: 'fund', debitAccountId: operator, creditAccountId: account, amountCents: cents, rainId },
  });
}

/** What a rain that stands for itself is compared as. */
const NO_ROUND: Round = { id: '', round: 0, excludeEarlierWinners: false };

function compare(asked: NewRain, standing: BookedRain): Creation {
  // As it would look had it gone through the book.
  const plain: Required<NewRain> = { ...asked, split: JSON.parse(JSON.stringify(asked.split)) as Json, rehearsal: asked.rehearsal ?? false, campaign: asked.campaign ?? NO_ROUND };
  const { id, round, excludeEarlierWinners } = standing.campaign ?? NO_ROUND;
  const booked: Required<NewRain> = { ...standing, ...atCreation(standing), rehearsal: standing.rehearsal ?? false, campaign: { id, round, excludeEarlierWinners } };
  const fields = (Object.keys(plain) as (keyof NewRain)[]).filter((field) => !isDeepStrictEqual(plain[field], booked[field]));
  return fields.length === 0 ? { outcome: 'exists' } : { outcome: 'differs', fields };
}

/** What the rain held before anything was added. */
export function atCreation({ budgetCents, packets, portions }: Pick<BookedRain, 'budgetCents' | 'packets' | 'portions'>): { budgetCents: Cents; packets: number } {
  return portions.reduce((rest, added) => ({ budgetCents: rest.budgetCents - added.budgetCents, packets: rest.packets - added.packets }), { budgetCents, packets });
}

/** With its portions, and what its campaign says. */
const inFull = { include: { portions: { orderBy: { ordinal: 'asc' } }, campaign: { select: { winsPerUserMax: true } } } } as const;

export async function rain(database: Database, rainId: string): Promise<BookedRain | undefined> {
  const row = await database.rain.findUnique({ where: { id: rainId }, ...inFull });
  return row ? toBookedRain(row) : undefined;
}

/** Whose money it is; a rain that is not there has none. */
export async function isRehearsal(book: Database | Transaction, rainId: string): Promise<boolean> {
  return (await book.rain.findUnique({ where: { id: rainId }, select: { rehearsal: true } }))?.rehearsal ?? false;
}

/** `unsettled`: those whose book is open; or the rounds of one campaign. */
export type WhichRains = 'all' | 'unsettled' | { campaignId: string };

const among = (which: WhichRains) => ({ where: typeof which === 'object' ? which : which === 'unsettled' ? { settledAt: null } : {} });

/** Newest first. */
export async function rains(database: Database, limit = 100, which: WhichRains = 'all'): Promise<BookedRain[]> {
  const rows = await database.rain.findMany({ ...among(which), ...inFull, orderBy: [{ createdAt: 'desc' }, { id: 'asc' }], take: limit });
  return rows.map(toBookedRain);
}

/** How many `rains` would list without a limit. */
export function countRains(database: Database, which: WhichRains = 'all'): Promise<number> {
  return database.rain.count(among(which));
}

/** Rains whose time is over and whose book is open, the oldest first. @param now epoch ms */
export async function overdue(database: Database, now: number, limit = 100): Promise<BookedRain[]> {
  const rows = await database.rain.findMany({ where: { settledAt: null, closesAt: { lte: new Date(now) } }, ...inFull, orderBy: { closesAt: 'asc' }, take: limit });
  return rows.map(toBookedRain);
}

/**
 * From now on nothing is added to this rain; whoever audits it afterwards has seen all that ever will be. Repeating it is harmless.
 * @throws Error when there is no such rain
 */
export async function seal(database: Database, rainId: string): Promise<void> {
  const sealed = await database.$executeRaw`UPDATE "Rain" SET "sealedAt" = coalesce("sealedAt", now()) WHERE "id" = ${rainId}`;
  if (sealed === 0) throw new Error(`the book has no rain ${rainId}`);
}

/**
 * Moves the window of a rain that is not sealed, and puts it on record: both or nothing.
 * @param from the window it must still have; absent: whatever it has
 * @returns false when there is no such rain, it is sealed, or its window is another
 */
export function reschedule(database: Database, rainId: string, { opensAt, closesAt }: Window, action: { actor: string; verb: string }, from?: Window): Promise<boolean> {
  return database.$transaction(async (book) => {
    const { count } = await book.rain.updateMany({
      where: { id: rainId, sealedAt: null, settledAt: null, ...(from && { opensAt: new Date(from.opensAt), closesAt: new Date(from.closesAt) }) },
      data: { opensAt: new Date(opensAt), closesAt: new Date(closesAt) },
    });
    if (count === 0) return false;
    await record(book, { ...action, rainId, details: { opensAt: new Date(opensAt).toISOString(), closesAt: new Date(closesAt).toISOString() } });
    return true;
  });
}

/**
 * Closes the book of a rain. Repeating it gives the first answer.
 * @returns when it was closed, epoch ms, by the database's clock
 * @throws Error when there is no such rain
 */
export async function settle(database: Database, rainId: string): Promise<number> {
  const [row] = await database.$queryRaw<{ settledAt: Date }[]>`
    UPDATE "Rain" SET "settledAt" = coalesce("settledAt", now()) WHERE "id" = ${rainId} RETURNING "settledAt"`;
  if (!row) throw new Error(`the book has no rain ${rainId}`);
  return row.settledAt.getTime();
}

type RainRow = Rain & { portions: Portion[]; campaign: { winsPerUserMax: number } | null };

function toBookedRain({ opensAt, closesAt, createdAt, sealedAt, settledAt, split, portions, rehearsal, keeper, campaignId, round, excludeEarlierWinners, campaign, ...plain }: RainRow): BookedRain {
  return {
    ...plain,
    split: split as Json,
    portions: portions.map(toBookedPortion),
    opensAt: opensAt.getTime(),
    closesAt: closesAt.getTime(),
    createdAt: createdAt.getTime(),
    ...(rehearsal && { rehearsal }),
    ...(keeper && { keeper }),
    ...(campaign && campaignId !== null && round !== null && {
      campaign: { id: campaignId, round, excludeEarlierWinners, winsMax: winsMaxOf(campaign.winsPerUserMax, excludeEarlierWinners) },
    }),
    ...(sealedAt && { sealedAt: sealedAt.getTime() }),
    ...(settledAt && { settledAt: settledAt.getTime() }),
  };
}
