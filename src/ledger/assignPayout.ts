import type { Database } from './database.ts';
import type { PayoutProvider as PayoutProviderName } from './generated/client.ts';

export type { PayoutProviderName };

/**
 * Has this payout provider pay the users of a rain, unless another one has taken it on: of two who ask at once one is told the other.
 * @returns who does, for good; `undefined` when there is no such rain, or it is a rehearsal
 */
export async function assignPayout(database: Database, rainId: string, payoutProvider: PayoutProviderName): Promise<PayoutProviderName | undefined> {
  const [row] = await database.$queryRaw<{ payoutProvider: PayoutProviderName }[]>`
    UPDATE "Rain" SET "keeper" = coalesce("keeper", ${payoutProvider}::"Keeper") WHERE "id" = ${rainId} AND NOT "rehearsal" RETURNING "keeper" AS "payoutProvider"`;
  return row?.payoutProvider;
}
