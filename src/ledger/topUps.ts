import { isDeepStrictEqual } from 'node:util';
import { commitmentOf, TOP_UPS_MAX } from '../rain/commitment.ts';
import { CENTS_MAX, formatMoney, type Cents } from '../rain/money.ts';
import { PACKETS_MAX } from '../rain/plan.ts';
import { fund } from './accounts.ts';
import { record, type Json } from './actions.ts';
import { allocate, amountsOf, sharesOf } from './allocation.ts';
import { attempt } from './attempt.ts';
import type { Database } from './database.ts';
import type { Rain, TopUp } from './generated/client.ts';

export interface NewTopUp {
  /** Chosen by the caller, unique among all top-ups of all rains: a repeated top-up is added only once. */
  id: string;
  rainId: string;
  budgetCents: Cents;
  packets: number;
  /** Together with `seed` it reproduces the same packets. */
  split: Json;
  seed: string;
}

export interface BookedTopUp extends Omit<NewTopUp, 'rainId'> {
  /** From 1; 0 is the rain as it was created. */
  ordinal: number;
  commitment: string;
  /** Epoch ms. */
  createdAt: number;
}

/** In order of precedence; only `added` has moved money. */
export type Adding =
  /** `exists`: the same top-up was added before; nothing was done again. */
  | { outcome: 'added' | 'exists'; topUp: BookedTopUp }
  /** Another top-up, or one of another rain, has this id. */
  | { outcome: 'differs'; fields: (keyof NewTopUp)[] }
  /** `sealed`: nobody would settle what is added now. `too_much`: beyond a limit of top-ups, packets or money. */
  | { outcome: 'no_rain' | 'sealed' | 'too_much' }
  /** The rain would have more than the caller may give it alone: somebody else has added to it meanwhile. */
  | { outcome: 'above'; budgetCents: Cents };

interface AddTopUpOptions {
  dryRun?: boolean | undefined;
  /** The most that the rain may have with it. */
  totalCentsMax?: Cents | undefined;
}

/**
 * Adds a top-up: its row, its packets, its money from the operator, and the record of its commitment, all or nothing.
 * The rain's row is locked first, so that top-ups are numbered without gaps and none is added to a sealed rain.
 */
export function addTopUp(
  database: Database,
  requested: NewTopUp,
  actor: string,
  { dryRun = false, totalCentsMax }: AddTopUpOptions = {},
): Promise<Adding> {
  const { id, rainId, budgetCents, packets, seed, split } = requested;
  const amounts = amountsOf(requested);
  return attempt(
    database,
    async (transaction): Promise<Adding> => {
      const [rain] = await transaction.$queryRaw<LockedRain[]>`
      SELECT "packets", "budgetCents", "shards", "sealedAt", "settledAt", "rehearsal", "accounts" FROM "Rain" WHERE "id" = ${rainId} FOR NO KEY UPDATE`;
      const existing = await transaction.topUp.findUnique({ where: { id } });
      if (existing) return compare(requested, existing);
      if (!rain) return { outcome: 'no_rain' };
      if (rain.sealedAt || rain.settledAt) return { outcome: 'sealed' };
      const ordinal = 1 + (await transaction.topUp.count({ where: { rainId } }));
      if (ordinal > TOP_UPS_MAX || rain.packets + packets > PACKETS_MAX || rain.budgetCents + budgetCents > CENTS_MAX)
        return { outcome: 'too_much' };
      if (totalCentsMax !== undefined && rain.budgetCents + budgetCents > totalCentsMax)
        return { outcome: 'above', budgetCents: rain.budgetCents };
      const shares = sharesOf(amounts, { budgetCents, accounts: rain.accounts, firstPacket: rain.packets });
      if (!shares) throw new Error(`the packets of the top-up ${id} cannot be computed, or do not come to its budget`);
      const commitment = commitmentOf({ rainId, seed, plan: split, shards: rain.shards, first: rain.packets });
      // If another rain's top-up used this id in between, the primary key refuses and everything is rolled back.
      const topUp = await transaction.topUp.create({ data: { ...requested, ordinal, commitment } });
      await allocate(transaction, { rainId, ordinal, firstPacket: rain.packets }, amounts);
      await transaction.rain.update({
        where: { id: rainId },
        data: { budgetCents: { increment: budgetCents }, packets: { increment: packets } },
      });
      await fund(transaction, { rainId, ...rain }, ordinal, shares);
      await record(transaction, {
        actor,
        verb: 'top-up',
        rainId,
        details: { id, topUp: ordinal, budget: formatMoney(budgetCents), packets, commitment },
      });
      return { outcome: 'added', topUp: toBookedTopUp(topUp) };
    },
    dryRun,
  );
}

type LockedRain = Pick<
  Rain,
  'packets' | 'budgetCents' | 'shards' | 'sealedAt' | 'settledAt' | 'rehearsal' | 'accounts'
>;

/** The seed is not compared: the first one is kept. */
function compare({ seed: _, ...requested }: NewTopUp, existing: TopUp): Adding {
  const plain = { ...requested, split: JSON.parse(JSON.stringify(requested.split)) as Json };
  const fields = (Object.keys(plain) as (keyof typeof plain)[]).filter(
    (field) => !isDeepStrictEqual(plain[field], existing[field]),
  );
  return fields.length === 0 ? { outcome: 'exists', topUp: toBookedTopUp(existing) } : { outcome: 'differs', fields };
}

export function toBookedTopUp({ rainId: _, createdAt, split, ...plain }: TopUp): BookedTopUp {
  return { ...plain, split: split as Json, createdAt: createdAt.getTime() };
}
