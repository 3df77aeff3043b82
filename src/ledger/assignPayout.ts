import type { Database } from './database.ts';
import type { PayoutProvider as PayoutProviderName } from './generated/client.ts';

export type { PayoutProviderName };

/**
 * Assigns this payout provider to a rain, unless another one is assigned already. Of two concurrent calls one wins, and both
 * get its answer.
 * @returns the assigned provider, which never changes; `undefined` when there is no such rain, or it is a rehearsal
 */
export async function assignPayout(database: Database, rainId: string, payoutProvider: PayoutProviderName): Promise<PayoutProviderName | undefined> {
  const [row] = await database.$queryRaw<{ payoutProvider: PayoutProviderName }[]>`
    UPDATE "Rain" SET "keeper" = coalesce("keeper", ${payoutProvider}::"Keeper") WHERE "id" = ${rainId} AND NOT "rehearsal" RETURNING "keeper" AS "payoutProvider"`;
  return row?.payoutProvider;
}
