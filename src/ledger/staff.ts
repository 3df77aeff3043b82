import { record, type ActionVerb, type Json } from './actions.ts';
import type { Database, Transaction } from './database.ts';
import type { Operator } from './generated/client.ts';

/** `viewer` may read everything and change nothing. */
export type Role = Operator['role'];

/** An operator who may sign in at the console. Times are epoch ms. `epoch` grows with every change that ends the sessions. */
export interface BookedOperator extends Omit<Operator, 'createdAt' | 'disabledAt'> {
  createdAt: number;
  /** Absent while the operator may sign in. */
  disabledAt?: number;
}

interface NewToken {
  /** SHA-256 of its text, hex. */
  hash: string;
  /** The purpose of the token. */
  label: string;
  /** Epoch ms; absent: until it is revoked. */
  expiresAt?: number;
}

const OPERATORS_MAX = 1_000;

/** The operators of the console. Every change is recorded in the same transaction. */
export function openStaff(database: Database) {
  return {
    async operator(name: string) {
      const row = await database.operator.findUnique({ where: { name } });
      return row ? toBooked(row) : undefined;
    },
    /** Ordered by name. */
    operators: async (limit = OPERATORS_MAX) => (await database.operator.findMany({ orderBy: { name: 'asc' }, take: limit })).map(toBooked),
    /** @returns false: the name exists; that operator is unchanged */
    add: ({ name, role, passwordHash }: Pick<BookedOperator, 'name' | 'role' | 'passwordHash'>, actor: string) => recordChange(database, actor, 'operator_add', { name, role },
      (transaction) => transaction.operator.createMany({ data: { name, role, passwordHash }, skipDuplicates: true })),
    /** Also enables a disabled operator again. @returns false: there is no such operator */
    setPassword: (name: string, passwordHash: string, actor: string) => recordChange(database, actor, 'operator_password', { name },
      (transaction) => transaction.operator.updateMany({ where: { name }, data: { passwordHash, disabledAt: null, epoch: { increment: 1 } } })),
    /** Ends the operator's sessions and tokens. @returns false: there is no such operator */
    disable: (name: string, actor: string) => recordChange(database, actor, 'operator_disable', { name }, async (transaction) => {
      // The operator's row first: an `addToken` at the same time waits for it.
      const disabled = await transaction.operator.updateMany({ where: { name }, data: { disabledAt: new Date(), epoch: { increment: 1 } } });
      await transaction.operatorToken.updateMany({ where: { operatorName: name, revokedAt: null }, data: { revokedAt: new Date() } });
      return disabled;
    }),
    /** @returns false: no operator of this name may sign in */
    addToken: (name: string, { hash, label, expiresAt }: NewToken, actor: string) => recordChange(database, actor, 'operator_token', { name, label, ...(expiresAt !== undefined && { expiresAt }) }, async (transaction) => {
      // Locked until the end: if the operator is disabled meanwhile, this token is revoked too.
      const existing = await transaction.operator.updateMany({ where: { name, disabledAt: null }, data: { epoch: { increment: 0 } } });
      if (existing.count === 1) await transaction.operatorToken.create({ data: { hash, operatorName: name, label, ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt) }) } });
      return existing;
    }),
    /** The operator of this token, if the token is valid and the operator may sign in. */
    async bearer(hash: string) {
      const row = await database.operatorToken.findUnique({ where: { hash }, include: { operator: true } });
      if (!row || row.revokedAt !== null || row.operator.disabledAt !== null || (row.expiresAt !== null && row.expiresAt.getTime() <= Date.now())) return undefined;
      return toBooked(row.operator);
    },
  };
}

async function recordChange(database: Database, actor: string, verb: ActionVerb, details: Json, change: (transaction: Transaction) => Promise<{ count: number }>): Promise<boolean> {
  return database.$transaction(async (transaction) => {
    const { count } = await change(transaction);
    if (count > 0) await record(transaction, { actor, verb, details });
    return count > 0;
  });
}

function toBooked({ createdAt, disabledAt, ...plain }: Operator): BookedOperator {
  return { ...plain, createdAt: createdAt.getTime(), ...(disabledAt && { disabledAt: disabledAt.getTime() }) };
}
