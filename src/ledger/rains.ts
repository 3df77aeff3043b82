import { isDeepStrictEqual } from 'node:util';
import { commitmentOf } from '../rain/commitment.ts';
import { formatMoney, type Cents } from '../rain/money.ts';
import { OPERATOR_ACCOUNT, rainAccount } from './accounts.ts';
import { record, type Json } from './actions.ts';
import type { Database, Transaction } from './database.ts';
import type { Portion, Rain } from './generated/client.ts';
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
}

/** `budgetCents` and `packets` are what it holds in all, its portions included; `split` and `seed` those of its creation. */
export interface BookedRain extends NewRain {
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
 */
export function createRain(database: Database, asked: NewRain, actor: string): Promise<Creation> {
  return database.$transaction(async (book) => {
    const { count } = await book.rain.createMany({
      data: { ...asked, opensAt: new Date(asked.opensAt), closesAt: new Date(asked.closesAt) },
      skipDuplicates: true,
    });
    if (count === 0) return compare(asked, toBookedRain(await book.rain.findUniqueOrThrow({ where: { id: asked.id }, ...withPortions })));
    await fund(book, asked.id, asked.budgetCents);
    const { id: rainId, title, packets, seed, split: plan, shards } = asked;
    const commitment = commitmentOf({ rainId, seed, plan, shards });
    await record(book, { actor, verb: 'create', rainId, details: { title, budget: formatMoney(asked.budgetCents), packets, commitment } });
    return { outcome: 'created' };
  });
}

async function fund(book: Transaction, rainId: string, cents: Cents): Promise<void> {
  await book.account.create({ data: { id: rainAccount(rainId), kind: 'rain', balanceCents: cents } });
  // Prisma's upsert reads first and can lose a race against the first rain ever.
  await book.$executeRaw`
    INSERT INTO "Account" AS account ("id", "kind", "balanceCents") VALUES (${OPERATOR_ACCOUNT}, 'operator', ${-cents})
    ON CONFLICT ("id") DO UPDATE SET "balanceCents" = account."balanceCents" + excluded."balanceCents"`;
  await book.transfer.create({
    data: { id: `fund:${rainId}`, kind: 'fund', debitAccountId: OPERATOR_ACCOUNT, creditAccountId: rainAccount(rainId), amountCents: cents, rainId },
  });
}

function compare(asked: NewRain, booked: BookedRain): Creation {
  const standing = { ...booked, ...atCreation(booked) };
  // As it would look had it gone through the book.
  const plain: NewRain = { ...asked, split: JSON.parse(JSON.stringify(asked.split)) as Json };
  const fields = (Object.keys(plain) as (keyof NewRain)[]).filter((field) => !isDeepStrictEqual(plain[field], standing[field]));
  return fields.length === 0 ? { outcome: 'exists' } : { outcome: 'differs', fields };
}

/** What the rain held before anything was added. */
export function atCreation({ budgetCents, packets, portions }: Pick<BookedRain, 'budgetCents' | 'packets' | 'portions'>): { budgetCents: Cents; packets: number } {
  return portions.reduce((rest, added) => ({ budgetCents: rest.budgetCents - added.budgetCents, packets: rest.packets - added.packets }), { budgetCents, packets });
}

const withPortions = { include: { portions: { orderBy: { ordinal: 'asc' } } } } as const;

export async function rain(database: Database, rainId: string): Promise<BookedRain | undefined> {
  const row = await database.rain.findUnique({ where: { id: rainId }, ...withPortions });
  return row ? toBookedRain(row) : undefined;
}

/** `unsettled`: those whose book is open. */
export type WhichRains = 'all' | 'unsettled';

const among = (which: WhichRains) => ({ where: which === 'unsettled' ? { settledAt: null } : {} });

/** Newest first. */
export async function rains(database: Database, limit = 100, which: WhichRains = 'all'): Promise<BookedRain[]> {
  const rows = await database.rain.findMany({ ...among(which), ...withPortions, orderBy: [{ createdAt: 'desc' }, { id: 'asc' }], take: limit });
  return rows.map(toBookedRain);
}

/** How many `rains` would list without a limit. */
export function countRains(database: Database, which: WhichRains = 'all'): Promise<number> {
  return database.rain.count(among(which));
}

/** Rains whose time is over and whose book is open, the oldest first. @param now epoch ms */
export async function overdue(database: Database, now: number, limit = 100): Promise<BookedRain[]> {
  const rows = await database.rain.findMany({ where: { settledAt: null, closesAt: { lte: new Date(now) } }, ...withPortions, orderBy: { closesAt: 'asc' }, take: limit });
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
 * @returns false when there is no such rain, or it is sealed
 */
export function reschedule(database: Database, rainId: string, { opensAt, closesAt }: Pick<NewRain, 'opensAt' | 'closesAt'>, action: { actor: string; verb: string }): Promise<boolean> {
  return database.$transaction(async (book) => {
    const { count } = await book.rain.updateMany({
      where: { id: rainId, sealedAt: null, settledAt: null }, data: { opensAt: new Date(opensAt), closesAt: new Date(closesAt) },
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

function toBookedRain({ opensAt, closesAt, createdAt, sealedAt, settledAt, split, portions, ...plain }: Rain & { portions: Portion[] }): BookedRain {
  return {
    ...plain,
    split: split as Json,
    portions: portions.map(toBookedPortion),
    opensAt: opensAt.getTime(),
    closesAt: closesAt.getTime(),
    createdAt: createdAt.getTime(),
    ...(sealedAt && { sealedAt: sealedAt.getTime() }),
    ...(settledAt && { settledAt: settledAt.getTime() }),
  };
}
