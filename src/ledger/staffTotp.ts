import { record, recordChange } from './actions.ts';
import type { Database, Transaction } from './database.ts';

interface NewTotp {
  /** Encrypted. */
  secret: string;
  /** The step of the code that confirmed it. */
  step: number;
  /** Keyed hashes of the recovery codes. */
  codes: readonly string[];
  /** The operator's when the secret was made: each secret is set once. */
  epoch: number;
}

/** One-time codes of operators (TOTP), and the recovery codes that stand in for them. */
export function openStaffTotp(database: Database) {
  return {
    /**
     * Ends the operator's sessions and earlier recovery codes.
     * @returns false: the operator was changed meanwhile, or may not sign in
     */
    setTotp: (name: string, { secret, step, codes, epoch }: NewTotp, actor: string) =>
      recordChange(database, actor, 'operator_totp', { name }, async (transaction) => {
        const set = await transaction.operator.updateMany({
          where: { name, epoch, disabledAt: null },
          data: { totpSecret: secret, totpStep: step, epoch: { increment: 1 } },
        });
        if (set.count === 0) return set;
        await endCodes(transaction, name);
        await transaction.recoveryCode.createMany({ data: codes.map((hash) => ({ hash, operatorName: name })) });
        return set;
      }),
    /** Ends the operator's sessions, too. @returns false: the operator has no one-time codes */
    resetTotp: (name: string, actor: string) =>
      recordChange(database, actor, 'operator_totp_reset', { name }, async (transaction) => {
        const reset = await transaction.operator.updateMany({
          where: { name, totpSecret: { not: null } },
          data: { totpSecret: null, totpStep: null, epoch: { increment: 1 } },
        });
        if (reset.count > 0) await endCodes(transaction, name);
        return reset;
      }),
    /**
     * Each step counts once, and none before it any more.
     * @returns false: a code of this step, or of a later one, was accepted already
     */
    acceptStep: async (name: string, step: number) =>
      (await database.operator.updateMany({ where: { name, totpStep: { lt: step } }, data: { totpStep: step } }))
        .count === 1,
    /** The hashes of those that are not used yet. */
    recoveryCodes: async (name: string) =>
      (
        await database.recoveryCode.findMany({ where: { operatorName: name, endedAt: null }, select: { hash: true } })
      ).map(({ hash }) => hash),
    /** @returns false: it was used already */
    useRecoveryCode: (hash: string, actor: string) =>
      database.$transaction(async (transaction) => {
        const { count } = await transaction.recoveryCode.updateMany({
          where: { hash, endedAt: null },
          data: { endedAt: new Date() },
        });
        if (count === 1) await record(transaction, { actor, verb: 'recovery_code' });
        return count === 1;
      }),
  };
}

function endCodes(transaction: Transaction, name: string): Promise<unknown> {
  return transaction.recoveryCode.updateMany({
    where: { operatorName: name, endedAt: null },
    data: { endedAt: new Date() },
  });
}
