import { record, type Json } from './actions.ts';
import type { Database, Transaction } from './database.ts';
import type { Operator } from './generated/client.ts';

/** `viewer` may look at everything and change nothing. */
export type Role = 'viewer' | 'operator';

/** Somebody who may sign in at the console. */
export interface BookedOperator {
  name: string;
  role: Role;
  passwordHash: string;
  /** Grows with every change that ends his sessions. */
  epoch: number;
  /** Epoch ms. */
  createdAt: number;
  /** Epoch ms; absent while he may sign in. */
  disabledAt?: number;
}

interface NewToken {
  /** SHA-256 of its text, hex. */
  hash: string;
  /** What it is for. */
  label: string;
  /** Epoch ms; absent: until it is revoked. */
  expiresAt?: number;
}

/** Who may sit at the console. Every change is on record, by the same transaction. */
export interface Staff {
  operator(name: string): Promise<BookedOperator | undefined>;
  /** In order of their names. */
  operators(limit?: number): Promise<BookedOperator[]>;
  /** @returns false: there is one of this name, and he stays as he is */
  add(asked: { name: string; role: Role; passwordHash: string }, actor: string): Promise<boolean>;
  /** Lets him in again, too, when he was disabled. @returns false: there is none of this name */
  setPassword(name: string, passwordHash: string, actor: string): Promise<boolean>;
  /** Ends his sessions and tokens. @returns false: there is none of this name */
  disable(name: string, actor: string): Promise<boolean>;
  /** @returns false: there is none of this name who may sign in */
  addToken(name: string, token: NewToken, actor: string): Promise<boolean>;
  /** Whose token it is, when it is good and he may sign in. */
  bearer(hash: string): Promise<BookedOperator | undefined>;
}

const OPERATORS_MAX = 1_000;

export function openStaff(database: Database): Staff {
  return {
    async operator(name) {
      const row = await database.operator.findUnique({ where: { name } });
      return row ? toBooked(row) : undefined;
    },
    async operators(limit = OPERATORS_MAX) {
      return (await database.operator.findMany({ orderBy: { name: 'asc' }, take: limit })).map(toBooked);
    },
    add: ({ name, role, passwordHash }, actor) => changed(database, actor, 'operator_add', { name, role },
      (book) => book.operator.createMany({ data: { name, role, passwordHash }, skipDuplicates: true })),
    setPassword: (name, passwordHash, actor) => changed(database, actor, 'operator_password', { name },
      (book) => book.operator.updateMany({ where: { name }, data: { passwordHash, disabledAt: null, epoch: { increment: 1 } } })),
    disable: (name, actor) => changed(database, actor, 'operator_disable', { name }, async (book) => {
      // He first: his row is what a token that is being made waits for.
      const disabled = await book.operator.updateMany({ where: { name }, data: { disabledAt: new Date(), epoch: { increment: 1 } } });
      await book.operatorToken.updateMany({ where: { operatorName: name, revokedAt: null }, data: { revokedAt: new Date() } });
      return disabled;
    }),
    addToken: (name, { hash, label, expiresAt }, actor) => changed(database, actor, 'operator_token', { name, label, ...(expiresAt !== undefined && { expiresAt }) }, async (book) => {
      // Locked until the end: who is disabled meanwhile loses this one, too.
      const existing = await book.operator.updateMany({ where: { name, disabledAt: null }, data: { epoch: { increment: 0 } } });
      if (existing.count === 1) await book.operatorToken.create({ data: { hash, operatorName: name, label, ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt) }) } });
      return existing;
    }),
    async bearer(hash) {
      const row = await database.operatorToken.findUnique({ where: { hash }, include: { operator: true } });
      if (!row || row.revokedAt !== null || row.operator.disabledAt !== null || (row.expiresAt !== null && row.expiresAt.getTime() <= Date.now())) return undefined;
      return toBooked(row.operator);
    },
  };
}

async function changed(database: Database, actor: string, verb: string, details: Json, change: (book: Transaction) => Promise<{ count: number }>): Promise<boolean> {
  return database.$transaction(async (book) => {
    const { count } = await change(book);
    if (count > 0) await record(book, { actor, verb, details });
    return count > 0;
  });
}

function toBooked({ createdAt, disabledAt, ...plain }: Operator): BookedOperator {
  return { ...plain, createdAt: createdAt.getTime(), ...(disabledAt && { disabledAt: disabledAt.getTime() }) };
}
