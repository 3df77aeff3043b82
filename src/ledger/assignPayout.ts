import type { Database } from './database.ts';
import type { Keeper } from './generated/client.ts';

export type { Keeper };

/**
 * Has this keeper pay the users of a rain, unless another one has taken it on: of two who ask at once one is told the other.
 * @returns who does, for good; `undefined` when there is no such rain, or it is a rehearsal
 */
export async function assignPayout(database: Database, rainId: string, payoutProvider: Keeper): Promise<Keeper | undefined> {
  const [row] = await database.$queryRaw<{ payoutProvider: Keeper }[]>`
    UPDATE "Rain" SET "keeper" = coalesce("keeper", ${payoutProvider}::"Keeper") WHERE "id" = ${rainId} AND NOT "rehearsal" RETURNING "keeper"`;
  return row?.payoutProvider;
}
