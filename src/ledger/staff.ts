import { recordChange } from './actions.ts';
import type { Database, Transaction } from './database.ts';
import type { Operator } from './generated/client.ts';

/** `viewer` may read everything and change nothing. */
export type Role = Operator['role'];

/**
 * An operator who may sign in at the console. Times are epoch ms. `epoch` grows with every change that ends the
 * sessions.
 */
export interface BookedOperator extends Pick<Operator, 'name' | 'role' | 'passwordHash' | 'epoch'> {
  createdAt: number;
  /** Absent while the operator may sign in. */
  disabledAt?: number;
  /** The secret of the operator's one-time codes, encrypted. Absent without them. */
  totpSecret?: string;
  /** Hashes of sessions that have ended before their time. */
  endedSessions: readonly string[];
}

const OPERATORS_MAX = 1_000;
/** Ended sessions of one operator; more than somebody signs out in the week that a session lasts at most [R10]. */
const ENDED_MAX = 1_000;

/** The operators of the console. Every change is recorded in the same transaction. */
export function openStaff(database: Database) {
  return {
    async operator(name: string) {
      const row = await database.operator.findUnique({ where: { name } });
      return row ? toBooked(row) : undefined;
    },
    /** Ordered by name. */
    operators: async (limit = OPERATORS_MAX) =>
      (await database.operator.findMany({ orderBy: { name: 'asc' }, take: limit })).map(toBooked),
    /** @returns false: the name exists; that operator is unchanged */
    add: ({ name, role, passwordHash }: Pick<BookedOperator, 'name' | 'role' | 'passwordHash'>, actor: string) =>
      recordChange(database, actor, 'operator_add', { name, role }, (transaction) =>
        transaction.operator.createMany({ data: { name, role, passwordHash }, skipDuplicates: true }),
      ),
    /**
     * Ends the operator's sessions and tokens. Also enables a disabled operator again.
     * @returns false: there is no such operator
     */
    setPassword: (name: string, passwordHash: string, actor: string) =>
      recordChange(database, actor, 'operator_password', { name }, (transaction) =>
        changeAndEnd(transaction, { name }, { passwordHash, disabledAt: null }),
      ),
    /**
     * The same by the operator, which enables nothing.
     * @returns false: the operator is disabled, or was changed since this epoch
     */
    setOwnPassword: (name: string, epoch: number, passwordHash: string, actor: string) =>
      recordChange(database, actor, 'operator_password', { name }, (transaction) =>
        changeAndEnd(transaction, { name, epoch, disabledAt: null }, { passwordHash }),
      ),
    /** Ends the operator's sessions and tokens. @returns false: there is no such operator */
    setRole: (name: string, role: Role, actor: string) =>
      recordChange(database, actor, 'operator_role', { name, role }, (transaction) =>
        changeAndEnd(transaction, { name }, { role }),
      ),
    /** Remembers that this session has ended. @param until when it could not be used any more, epoch ms */
    async endSession(name: string, hash: string, until: number): Promise<void> {
      await database.$executeRaw`
        UPDATE "Operator" SET "endedSessions" = array_append(ARRAY(
          SELECT "one" FROM unnest("endedSessions") WITH ORDINALITY AS kept ("one", "at")
          WHERE split_part("one", ' ', 2)::bigint > ${Date.now()} AND "at" > cardinality("endedSessions") - ${ENDED_MAX - 1}::int
          ORDER BY "at"), ${`${hash} ${until}`}::text)
        WHERE "name" = ${name}`;
    },
    /** Ends the operator's sessions and tokens. @returns false: there is no such operator */
    disable: (name: string, actor: string) =>
      recordChange(database, actor, 'operator_disable', { name }, (transaction) =>
        changeAndEnd(transaction, { name }, { disabledAt: new Date() }),
      ),
  };
}

async function changeAndEnd(
  transaction: Transaction,
  which: { name: string; epoch?: number; disabledAt?: null },
  data: { passwordHash?: string; role?: Role; disabledAt?: Date | null },
): Promise<{ count: number }> {
  // The operator's row first: an `addToken` at the same time waits for it.
  const changed = await transaction.operator.updateMany({ where: which, data: { ...data, epoch: { increment: 1 } } });
  if (changed.count > 0)
    await transaction.operatorToken.updateMany({
      where: { operatorName: which.name, revokedAt: null },
      data: { revokedAt: new Date() },
    });
  return changed;
}

export function toBooked({
  name,
  role,
  passwordHash,
  epoch,
  createdAt,
  disabledAt,
  totpSecret,
  endedSessions,
}: Operator): BookedOperator {
  return {
    name,
    role,
    passwordHash,
    epoch,
    createdAt: createdAt.getTime(),
    endedSessions: endedSessions.map((ended) => ended.split(' ')[0]!),
    ...(disabledAt && { disabledAt: disabledAt.getTime() }),
    ...(totpSecret !== null && { totpSecret }),
  };
}
