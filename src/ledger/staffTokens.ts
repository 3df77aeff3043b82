import { recordChange } from './actions.ts';
import type { Database } from './database.ts';
import { toBooked } from './staff.ts';

interface NewToken {
  /** SHA-256 of its text, hex. */
  hash: string;
  /** The purpose of the token. */
  label: string;
  /** Epoch ms. */
  expiresAt: number;
}

/** A token that can be used. Times are epoch ms. */
interface BookedToken extends NewToken {
  createdAt: number;
  lastUsedAt?: number;
  /** Address of the last use. */
  lastUsedFrom?: string;
}

/** Tokens of one operator at a time [R10]. */
export const TOKENS_MAX = 50;
/** The last use is written down this often, ms: not with every request of a script. */
const USE_NOTED_EVERY_MS = 60_000;

/** Bearer tokens of operators, for scripts. */
export function openStaffTokens(database: Database) {
  const usable = (name: string) => ({ operatorName: name, revokedAt: null, expiresAt: { gt: new Date() } });
  return {
    /** @returns false: no operator of this name may sign in, or the operator has TOKENS_MAX already */
    addToken: (name: string, { hash, label, expiresAt }: NewToken, actor: string) =>
      recordChange(database, actor, 'operator_token', { name, label, expiresAt }, async (transaction) => {
        // Locked until the end: if the operator is disabled meanwhile, this token is revoked too.
        const existing = await transaction.operator.updateMany({
          where: { name, disabledAt: null },
          data: { epoch: { increment: 0 } },
        });
        if (existing.count === 0 || (await transaction.operatorToken.count({ where: usable(name) })) >= TOKENS_MAX)
          return { count: 0 };
        await transaction.operatorToken.create({
          data: { hash, operatorName: name, label, expiresAt: new Date(expiresAt) },
        });
        return existing;
      }),
    /** The tokens that can be used, latest first. */
    async tokens(name: string): Promise<BookedToken[]> {
      const rows = await database.operatorToken.findMany({
        where: usable(name),
        orderBy: { createdAt: 'desc' },
        take: TOKENS_MAX,
      });
      return rows.map(({ hash, label, createdAt, expiresAt, lastUsedAt, lastUsedFrom }) => ({
        hash,
        label,
        createdAt: createdAt.getTime(),
        expiresAt: expiresAt.getTime(),
        ...(lastUsedAt && { lastUsedAt: lastUsedAt.getTime() }),
        ...(lastUsedFrom !== null && { lastUsedFrom }),
      }));
    },
    /** @returns false: it has ended already, or is not this operator's */
    endToken: (name: string, hash: string, actor: string) =>
      recordChange(database, actor, 'operator_end', { name, token: hash.slice(0, 16) }, (transaction) =>
        transaction.operatorToken.updateMany({ where: { ...usable(name), hash }, data: { revokedAt: new Date() } }),
      ),
    /**
     * The operator of this token, if the operator may sign in; `ended`: the token cannot be used any more.
     * @param address from where it is used
     */
    async bearer(hash: string, address: string) {
      const row = await database.operatorToken.findUnique({ where: { hash }, include: { operator: true } });
      if (!row || row.operator.disabledAt !== null) return undefined;
      const now = Date.now();
      if (row.revokedAt !== null || row.expiresAt.getTime() <= now) return 'ended' as const;
      const noted = { lt: new Date(now - USE_NOTED_EVERY_MS) };
      if (row.lastUsedAt === null || row.lastUsedAt < noted.lt) {
        await database.operatorToken.updateMany({
          where: { hash, OR: [{ lastUsedAt: null }, { lastUsedAt: noted }] },
          data: { lastUsedAt: new Date(now), lastUsedFrom: address },
        });
      }
      return toBooked(row.operator);
    },
  };
}
