import { isDeepStrictEqual } from 'node:util';
import { commitmentOf } from '../rain/commitment.ts';
import { CENTS_MAX, formatMoney, type Cents } from '../rain/money.ts';
import { PACKETS_MAX } from '../rain/plan.ts';
import { TOP_UPS_MAX } from '../rain/top-up.ts';
import { operatorAccount, rainAccount } from './accounts.ts';
import { record, type Json } from './actions.ts';
import { attempt } from './attempt.ts';
import type { Database, Transaction } from './database.ts';
import type { TopUp } from './generated/client.ts';

export interface NewTopUp {
  /** The caller's word for it, unique among all top-ups of all rains: money that is added twice by mistake is added once. */
  id: string;
  rainId: string;
  budgetCents: Cents;
  packets: number;
  /** Together with `seed`: all that is needed to make the same packets again. */
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
type Adding =
  | { outcome: 'added'; topUp: BookedTopUp }
  /** The same top-up was added before; nothing was done again. */
  | { outcome: 'exists'; topUp: BookedTopUp }
  /** Another top-up, or one of another rain, has this id. */
  | { outcome: 'differs'; fields: (keyof NewTopUp)[] }
  | { outcome: 'no_rain' }
  /** The rain is sealed: what is added now would be looked after by nobody. */
  | { outcome: 'sealed' }
  /** No more top-ups, packets or money than a rain may have. */
  | { outcome: 'too_much' };

/**
 * More money in more packets: the top-up, its money moved from the operator, and on record what was committed to, all of it
 * or nothing. The rain's row is locked first, so that top-ups are numbered without gaps and none is added to a sealed rain.
 * @param dryRun only say what it would come to
 */
export function addTopUp(database: Database, asked: NewTopUp, actor: string, dryRun = false): Promise<Adding> {
  const { id, rainId, budgetCents, packets, seed, split } = asked;
  return attempt(database, async (book): Promise<Adding> => {
    const [rain] = await book.$queryRaw<LockedRain[]>`
      SELECT "packets", "budgetCents", "shards", "sealedAt", "settledAt", "rehearsal" FROM "Rain" WHERE "id" = ${rainId} FOR NO KEY UPDATE`;
    const existing = await book.topUp.findUnique({ where: { id } });
    if (existing) return compare(asked, existing);
    if (!rain) return { outcome: 'no_rain' };
    if (rain.sealedAt || rain.settledAt) return { outcome: 'sealed' };
    const ordinal = 1 + await book.topUp.count({ where: { rainId } });
    if (ordinal > TOP_UPS_MAX || rain.packets + packets > PACKETS_MAX || rain.budgetCents + budgetCents > CENTS_MAX) return { outcome: 'too_much' };
    const commitment = commitmentOf({ rainId, seed, plan: split, shards: rain.shards, first: rain.packets });
    // Another rain's top-up of this id may have come in between: then the primary key refuses, and with it all of this.
    const topUp = await book.topUp.create({ data: { ...asked, ordinal, commitment } });
    await book.rain.update({ where: { id: rainId }, data: { budgetCents: { increment: budgetCents }, packets: { increment: packets } } });
    await fundTopUp(book, rainId, ordinal, rain.rehearsal, budgetCents);
    await record(book, { actor, verb: 'top-up', rainId, details: { id, topUp: ordinal, budget: formatMoney(budgetCents), packets, commitment } });
    return { outcome: 'added', topUp: toBookedTopUp(topUp) };
  }, dryRun);
}

interface LockedRain {
  packets: number;
  budgetCents: bigint;
  shards: number;
  sealedAt: Date | null;
  settledAt: Date | null;
  rehearsal: boolean;
}

/** The rain's account last, as everywhere. */
async function fundTopUp(book: Transaction, rainId: string, ordinal: number, rehearsal: boolean, cents: Cents): Promise<void> {
  const [operator, account] = [operatorAccount(rehearsal), rainAccount(rainId, rehearsal)];
  await book.transfer.create({
    data: { id: `fund:${rainId}/${ordinal}`, kind: 'fund', debitAccountId: operator, creditAccountId: account, amountCents: cents, rainId },
  });
  await book.account.update({ where: { id: operator }, data: { balanceCents: { decrement: cents } } });
  await book.account.update({ where: { id: account }, data: { balanceCents: { increment: cents } } });
}

/** The seed is not asked about: the first one stands. */
function compare({ seed: _, ...asked }: NewTopUp, existing: TopUp): Adding {
  const plain = { ...asked, split: JSON.parse(JSON.stringify(asked.split)) as Json };
  const fields = (Object.keys(plain) as (keyof typeof plain)[]).filter((field) => !isDeepStrictEqual(plain[field], existing[field]));
  return fields.length === 0 ? { outcome: 'exists', topUp: toBookedTopUp(existing) } : { outcome: 'differs', fields };
}

export function toBookedTopUp({ rainId: _, createdAt, split, ...plain }: TopUp): BookedTopUp {
  return { ...plain, split: split as Json, createdAt: createdAt.getTime() };
}
