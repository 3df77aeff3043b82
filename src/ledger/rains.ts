import { isDeepStrictEqual } from 'node:util';
import { commitmentOf } from '../rain/commitment.ts';
import { formatMoney, type Cents } from '../rain/money.ts';
import { operatorAccount, rainAccount } from './accounts.ts';
import { record, type Json } from './actions.ts';
import type { Database, Transaction } from './database.ts';
import type { Rain } from './generated/client.ts';

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
}

export interface BookedRain extends Omit<NewRain, 'rehearsal'> {
  rehearsal?: true;
  /** Epoch ms. */
  createdAt: number;
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
    if (count === 0) return compare(asked, toBookedRain(await book.rain.findUniqueOrThrow({ where: { id: asked.id } })));
    const { id: rainId, title, packets, seed, split: plan, shards, rehearsal = false } = asked;
    await fund(book, rainId, rehearsal, asked.budgetCents);
    const commitment = commitmentOf({ rainId, seed, plan, shards });
    await record(book, { actor, verb: 'create', rainId, details: { title, budget: formatMoney(asked.budgetCents), packets, commitment, ...(rehearsal && { rehearsal }) } });
    return { outcome: 'created' };
  });
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

function compare(asked: NewRain, standing: BookedRain): Creation {
  // As it would look had it gone through the book.
  const plain: NewRain = { ...asked, split: JSON.parse(JSON.stringify(asked.split)) as Json, rehearsal: asked.rehearsal ?? false };
  const fields = (Object.keys(plain) as (keyof NewRain)[]).filter((field) => !isDeepStrictEqual(plain[field], standing[field] ?? false));
  return fields.length === 0 ? { outcome: 'exists' } : { outcome: 'differs', fields };
}

export async function rain(database: Database, rainId: string): Promise<BookedRain | undefined> {
  const row = await database.rain.findUnique({ where: { id: rainId } });
  return row ? toBookedRain(row) : undefined;
}

/** Whose money it is; a rain that is not there has none. */
export async function isRehearsal(book: Database | Transaction, rainId: string): Promise<boolean> {
  return (await book.rain.findUnique({ where: { id: rainId }, select: { rehearsal: true } }))?.rehearsal ?? false;
}

/** `unsettled`: those whose book is open. */
export type WhichRains = 'all' | 'unsettled';

const among = (which: WhichRains) => ({ where: which === 'unsettled' ? { settledAt: null } : {} });

/** Newest first. */
export async function rains(database: Database, limit = 100, which: WhichRains = 'all'): Promise<BookedRain[]> {
  const rows = await database.rain.findMany({ ...among(which), orderBy: [{ createdAt: 'desc' }, { id: 'asc' }], take: limit });
  return rows.map(toBookedRain);
}

/** How many `rains` would list without a limit. */
export function countRains(database: Database, which: WhichRains = 'all'): Promise<number> {
  return database.rain.count(among(which));
}

/** Rains whose time is over and whose book is open, the oldest first. @param now epoch ms */
export async function overdue(database: Database, now: number, limit = 100): Promise<BookedRain[]> {
  const rows = await database.rain.findMany({ where: { settledAt: null, closesAt: { lte: new Date(now) } }, orderBy: { closesAt: 'asc' }, take: limit });
  return rows.map(toBookedRain);
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

function toBookedRain({ opensAt, closesAt, createdAt, settledAt, split, rehearsal, ...plain }: Rain): BookedRain {
  return {
    ...plain,
    split: split as Json,
    opensAt: opensAt.getTime(),
    closesAt: closesAt.getTime(),
    createdAt: createdAt.getTime(),
    ...(rehearsal && { rehearsal }),
    ...(settledAt && { settledAt: settledAt.getTime() }),
  };
}
