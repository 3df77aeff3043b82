import { isDeepStrictEqual } from 'node:util';
import { roundId, winsMaxOf } from '../rain/campaign.ts';
import { commitmentOf } from '../rain/commitment.ts';
import { formatMoney, type Cents } from '../rain/money.ts';
import type { RequestedTermName, RequestedTerms, Terms } from '../rain/terms.ts';
import { recordedTerms } from '../rain/terms-check.ts';
import { operatorAccount, rainAccount } from './accounts.ts';
import { record, type Json } from './actions.ts';
import { attempt } from './attempt.ts';
import type { Database, Transaction } from './database.ts';
import type { PayoutProvider as PayoutProviderName, TopUp, Rain } from './generated/client.ts';
import { toBookedTopUp, type BookedTopUp } from './topUps.ts';

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
  /** What else was asked for; absent: nothing. */
  terms?: RequestedTerms;
  /** Of a round, whose id names both; see rain/campaign.ts. */
  campaign?: Round;
}

/** Epoch ms. */
export type Window = Pick<NewRain, 'opensAt' | 'closesAt'>;

export interface Round {
  id: string;
  round: number;
}

/** `budgetCents` and `packets` are what it holds in all, its top-ups included; `split` and `seed` those of its creation. */
export interface BookedRain extends NewRain {
  /** What was asked for, and what follows from its campaign. */
  terms: Terms;
  /** Who keeps its users' money; absent until somebody took it on. */
  payoutProvider?: PayoutProviderName;
  /** What was added since, in order. */
  topUps: BookedTopUp[];
  /** Epoch ms. */
  createdAt: number;
  /** Epoch ms; absent as long as something may be added. */
  sealedAt?: number;
  /** Epoch ms; absent while the book is open. */
  settledAt?: number;
}

type Creation =
  | { outcome: 'created' }
  /** The same rain was created before; nothing was done again. */
  | { outcome: 'exists' }
  /** Another rain has this id; nothing was done. */
  | { outcome: 'differs'; fields: RainField[] };

/** What one rain may differ from another in: a field of it, or one of its terms. */
export type RainField = Exclude<keyof NewRain, 'terms'> | RequestedTermName;

/**
 * A rain, its account, and the money in it, moved from the operator, and on record what was committed to: all of it or
 * nothing. The record is append-only in the database; the row of the rain is not.
 * @param dryRun only say what it would come to
 */
export function createRain(database: Database, asked: NewRain, actor: string, dryRun = false): Promise<Creation> {
  return attempt(database, async (book): Promise<Creation> => {
    const { campaign, terms = {}, ...plain } = asked;
    const { rehearsal = false, ...others } = terms;
    const named = campaign && { campaignId: campaign.id, round: campaign.round };
    const { count } = await book.rain.createMany({
      data: { ...plain, ...named, rehearsal, terms: others, opensAt: new Date(asked.opensAt), closesAt: new Date(asked.closesAt) },
      skipDuplicates: true,
    });
    if (count === 0) return compare(asked, toBookedRain(await book.rain.findUniqueOrThrow({ where: { id: asked.id }, ...inFull })));
    const { id: rainId, title, packets, seed, split: plan, shards } = asked;
    await fund(book, rainId, rehearsal, asked.budgetCents);
    const commitment = commitmentOf({ rainId, seed, plan, shards });
    await record(book, { actor, verb: 'create', rainId, details: { title, budget: formatMoney(asked.budgetCents), packets, commitment, ...terms, ...named } });
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

function compare(asked: NewRain, existing: BookedRain): Creation {
  // As it would look had it gone through the book. What follows from the campaign was not asked for.
  const { winsMax: _, ...terms } = existing.terms;
  const plain = flat({ ...asked, split: JSON.parse(JSON.stringify(asked.split)) as Json });
  const booked = flat({ ...existing, ...atCreation(existing), terms });
  const fields = [...new Set([...Object.keys(plain), ...Object.keys(terms)])].filter((field) => !isDeepStrictEqual(plain[field], booked[field]));
  return fields.length === 0 ? { outcome: 'exists' } : { outcome: 'differs', fields: fields as RainField[] };
}

/** Field by field and term by term; no round is told from one by its id. */
function flat({ terms, campaign, ...plain }: NewRain): Record<string, unknown> {
  return { ...terms, ...plain, campaign: campaign && roundId({ campaignId: campaign.id, round: campaign.round }) };
}

/** What the rain held before anything was added. */
export function atCreation({ budgetCents, packets, topUps }: Pick<BookedRain, 'budgetCents' | 'packets' | 'topUps'>): { budgetCents: Cents; packets: number } {
  return topUps.reduce((rest, added) => ({ budgetCents: rest.budgetCents - added.budgetCents, packets: rest.packets - added.packets }), { budgetCents, packets });
}

/** With its top-ups, and what its campaign says. */
const inFull = { include: { topUps: { orderBy: { ordinal: 'asc' } }, campaign: { select: { winsPerUserMax: true } } } } as const;

export async function rain(database: Database, rainId: string): Promise<BookedRain | undefined> {
  const row = await database.rain.findUnique({ where: { id: rainId }, ...inFull });
  return row ? toBookedRain(row) : undefined;
}

/** Whose money it is; a rain that is not there has none. */
export async function isRehearsal(book: Database | Transaction, rainId: string): Promise<boolean> {
  return (await book.rain.findUnique({ where: { id: rainId }, select: { rehearsal: true } }))?.rehearsal ?? false;
}

/** `unsettled`: those whose book is open; or the rounds of one campaign. */
type WhichRains = 'all' | 'unsettled' | { campaignId: string };

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
  if (sealed === 0) throw new Error(`the ledger has no rain ${rainId}`);
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
  if (!row) throw new Error(`the ledger has no rain ${rainId}`);
  return row.settledAt.getTime();
}

type RainRow = Rain & { topUps: TopUp[]; campaign: { winsPerUserMax: number } | null };

function toBookedRain({ opensAt, closesAt, createdAt, sealedAt, settledAt, split, topUps, terms, rehearsal, payoutProvider, campaignId, round, campaign, ...plain }: RainRow): BookedRain {
  return {
    ...plain,
    split: split as Json,
    topUps: topUps.map(toBookedTopUp),
    opensAt: opensAt.getTime(),
    closesAt: closesAt.getTime(),
    createdAt: createdAt.getTime(),
    terms: termsOf(recordedTerms.parse(terms), rehearsal, campaign),
    ...(payoutProvider && { payoutProvider }),
    ...(campaignId !== null && round !== null && { campaign: { id: campaignId, round } }),
    ...(sealedAt && { sealedAt: sealedAt.getTime() }),
    ...(settledAt && { settledAt: settledAt.getTime() }),
  };
}

/** The whole value: a term that the database's own checks ask for stands in a column, and what follows from the campaign is added. */
function termsOf(terms: Terms, rehearsal: boolean, campaign: RainRow['campaign']): Terms {
  return {
    ...terms,
    ...(rehearsal && { rehearsal }),
    ...(campaign && { winsMax: winsMaxOf(campaign.winsPerUserMax, terms.excludeEarlierWinners === true) }),
  };
}
