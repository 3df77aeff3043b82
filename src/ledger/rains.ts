import { isDeepStrictEqual } from 'node:util';
import { roundId, winsMaxOf } from '../rain/campaign.ts';
import { commitmentOf } from '../rain/commitment.ts';
import { iso } from '../rain/figures.ts';
import { formatMoney, type Cents } from '../rain/money.ts';
import type { RequestedTermName, RequestedTerms, Terms } from '../rain/terms.ts';
import { recordedTerms } from '../rain/terms-check.ts';
import type { Greeting } from '../rain/theme.ts';
import type { TicketRules } from '../rain/ticketRules.ts';
import { fund } from './accounts.ts';
import { record, type ActionVerb, type Json } from './actions.ts';
import { allocate, amountsOf, sharesOf } from './allocation.ts';
import { attempt } from './attempt.ts';
import { atOneMoment } from './atOneMoment.ts';
import type { Database } from './database.ts';
import type { PayoutProvider as PayoutProviderName, Prisma, TopUp, Rain } from './generated/client.ts';
import { writeGreeting } from './themes.ts';
import { toBookedTopUp, type BookedTopUp, type NewTopUp } from './topUps.ts';

export type { PayoutProviderName };

export interface NewRain extends Pick<NewTopUp, 'budgetCents' | 'packets' | 'split' | 'seed'> {
  id: string;
  title: string;
  shards: number;
  /** Both in epoch ms. */
  opensAt: number;
  closesAt: number;
  /** Other requested terms; absent: none. */
  terms?: RequestedTerms;
  /** Only for a round, whose id contains both; see rain/campaign.ts. */
  campaign?: Round;
}

export type Window = Pick<NewRain, 'opensAt' | 'closesAt'>;

export interface Round {
  id: string;
  round: number;
}

/** `budgetCents` and `packets` are totals, top-ups included; `split` and `seed` are those of the creation. */
export interface BookedRain extends NewRain {
  /** The requested terms, and those that follow from its campaign. */
  terms: Terms;
  /** The assigned payout provider; absent until one is assigned. */
  payoutProvider?: PayoutProviderName;
  /** Its top-ups, in order. */
  topUps: BookedTopUp[];
  /** Times are epoch ms. */
  createdAt: number;
  /** Absent while something may be added. */
  sealedAt?: number;
  /** Absent until the rain is settled. */
  settledAt?: number;
}

/** Fields that a new rain begins with, and that may change later. */
interface Changeable {
  ticketRules?: TicketRules | undefined;
  greeting?: Greeting | undefined;
}

type Creation =
  /** `exists`: the same rain was created before; nothing was done again. */
  | { outcome: 'created' | 'exists' }
  /** Another rain has this id; nothing was done. */
  | { outcome: 'differs'; fields: RainField[] };

/** The fields and terms in which two rains may differ. */
type RainField = Exclude<keyof NewRain, 'terms'> | RequestedTermName;

/**
 * Creates a rain, its packets, its accounts, the transfers of its money from the operator, and the record of its
 * commitment: all or nothing. A repeat changes neither the rules of its tickets nor its greeting.
 */
export function createRain(
  database: Database,
  requested: NewRain,
  actor: string,
  dryRun = false,
  { ticketRules, greeting }: Changeable = {},
): Promise<Creation> {
  // Before the transaction: the packets of a huge rain take seconds.
  const amounts = amountsOf(requested);
  const shares = sharesOf(amounts, { ...requested, accounts: requested.shards, firstPacket: 0 }) ?? [
    requested.budgetCents,
  ];
  return attempt(
    database,
    async (transaction): Promise<Creation> => {
      const { campaign, terms = {}, ...plain } = requested;
      const { rehearsal = false, ...others } = terms;
      const named = campaign && { campaignId: campaign.id, round: campaign.round };
      const { count } = await transaction.rain.createMany({
        data: {
          ...plain,
          ...named,
          accounts: shares.length,
          rehearsal,
          terms: others,
          opensAt: new Date(requested.opensAt),
          closesAt: new Date(requested.closesAt),
        },
        skipDuplicates: true,
      });
      if (count === 0)
        return compare(
          requested,
          toBookedRain(await transaction.rain.findUniqueOrThrow({ where: { id: requested.id }, ...withDetails })),
        );
      const { id: rainId, title, packets, seed, split: plan, shards } = requested;
      await fund(transaction, { rainId, rehearsal, accounts: shares.length }, 0, shares);
      await allocate(transaction, { rainId, ordinal: 0, firstPacket: 0 }, amounts);
      const commitment = commitmentOf({ rainId, seed, plan, shards });
      await record(transaction, {
        actor,
        verb: 'create',
        rainId,
        details: {
          title,
          budget: formatMoney(requested.budgetCents),
          packets,
          commitment,
          opensAt: iso(requested.opensAt),
          closesAt: iso(requested.closesAt),
          ...terms,
          ...named,
        },
      });
      if (ticketRules) await record(transaction, { actor, verb: 'tickets', rainId, details: { ...ticketRules } });
      if (greeting) await writeGreeting(transaction, rainId, greeting, actor);
      return { outcome: 'created' };
    },
    dryRun,
  );
}

function compare(requested: NewRain, existing: BookedRain): Creation {
  // Compared in the form that the ledger stores. Terms that follow from the campaign were not requested.
  const { winsMax: _, ...terms } = existing.terms;
  const plain = flat({ ...requested, split: JSON.parse(JSON.stringify(requested.split)) as Json });
  const booked = flat({ ...existing, ...atCreation(existing), terms });
  const fields = [...new Set([...Object.keys(plain), ...Object.keys(terms)])].filter(
    (field) => !isDeepStrictEqual(plain[field], booked[field]),
  );
  return fields.length === 0 ? { outcome: 'exists' } : { outcome: 'differs', fields: fields as RainField[] };
}

/** All fields and terms side by side; a round is compared by its id. */
function flat({ terms, campaign, ...plain }: NewRain): Record<string, unknown> {
  return { ...terms, ...plain, campaign: campaign && roundId({ campaignId: campaign.id, round: campaign.round }) };
}

/** Budget and packets before any top-up. */
export function atCreation({ budgetCents, packets, topUps }: Pick<BookedRain, 'budgetCents' | 'packets' | 'topUps'>): {
  budgetCents: Cents;
  packets: number;
} {
  return topUps.reduce(
    (rest, added) => ({ budgetCents: rest.budgetCents - added.budgetCents, packets: rest.packets - added.packets }),
    { budgetCents, packets },
  );
}

/** Includes its top-ups and the limit of its campaign. */
const withDetails = {
  include: { topUps: { orderBy: { ordinal: 'asc' } }, campaign: { select: { winsPerUserMax: true } } },
} as const;

export async function rain(database: Database, rainId: string): Promise<BookedRain | undefined> {
  const row = await atOneMoment(
    database,
    (at) => at.rain.findUnique({ where: { id: rainId }, ...withDetails }),
    (found) => found !== null && hasTopUps(found),
  );
  return row ? toBookedRain(row) : undefined;
}

/** `unsettled`: rains whose ledger is open; or the rounds of one campaign; or the rains with these ids. */
type WhichRains = 'all' | 'unsettled' | { campaignId: string } | { ids: readonly string[] };

function filterOf(which: WhichRains): { where: Prisma.RainWhereInput } {
  if (typeof which === 'object') return { where: 'ids' in which ? { id: { in: [...which.ids] } } : which };
  return { where: which === 'unsettled' ? { settledAt: null } : {} };
}

const hasTopUps = ({ topUps }: Pick<RainRow, 'topUps'>): boolean => topUps.length > 0;

async function readRains(
  database: Database,
  which: Pick<Prisma.RainFindManyArgs, 'where' | 'orderBy' | 'take'>,
): Promise<BookedRain[]> {
  return (
    await atOneMoment(
      database,
      (at) => at.rain.findMany({ ...which, ...withDetails }),
      (rows) => rows.some(hasTopUps),
    )
  ).map(toBookedRain);
}

/** Newest first. */
export async function rains(database: Database, limit = 100, which: WhichRains = 'all'): Promise<BookedRain[]> {
  return readRains(database, { ...filterOf(which), orderBy: [{ createdAt: 'desc' }, { id: 'asc' }], take: limit });
}

/** How many `rains` would list without a limit. */
export function countRains(database: Database, which: WhichRains = 'all'): Promise<number> {
  return database.rain.count(filterOf(which));
}

/** Rains that are over but not settled, oldest first. @param now epoch ms */
export async function overdue(database: Database, now: number, limit = 100): Promise<BookedRain[]> {
  return readRains(database, {
    where: { settledAt: null, closesAt: { lte: new Date(now) } },
    orderBy: { closesAt: 'asc' },
    take: limit,
  });
}

/** Seals a rain: nothing can be added afterwards, so a later audit sees all of its money. Safe to repeat. */
export async function seal(database: Database, rainId: string): Promise<void> {
  const sealed =
    await database.$executeRaw`UPDATE "Rain" SET "sealedAt" = coalesce("sealedAt", now()) WHERE "id" = ${rainId}`;
  if (sealed === 0) throw new Error(`the ledger has no rain ${rainId}`);
}

/**
 * Changes the window of a rain that is not sealed, and records it: both or nothing.
 * @param from the window that it must still have; absent: any
 * @returns false when there is no such rain, it is sealed, or it has another window
 */
export function reschedule(
  database: Database,
  rainId: string,
  { opensAt, closesAt }: Window,
  action: { actor: string; verb: ActionVerb },
  from?: Window,
): Promise<boolean> {
  return database.$transaction(async (transaction) => {
    const { count } = await transaction.rain.updateMany({
      where: {
        id: rainId,
        sealedAt: null,
        settledAt: null,
        ...(from && { opensAt: new Date(from.opensAt), closesAt: new Date(from.closesAt) }),
      },
      data: { opensAt: new Date(opensAt), closesAt: new Date(closesAt) },
    });
    if (count === 0) return false;
    await record(transaction, {
      ...action,
      rainId,
      details: { opensAt: new Date(opensAt).toISOString(), closesAt: new Date(closesAt).toISOString() },
    });
    return true;
  });
}

/** Closes the ledger of a rain. @returns when it was closed first, epoch ms, by the database's clock */
export async function settle(database: Database, rainId: string): Promise<number> {
  const [row] = await database.$queryRaw<{ settledAt: Date }[]>`
    UPDATE "Rain" SET "settledAt" = coalesce("settledAt", now()) WHERE "id" = ${rainId} RETURNING "settledAt"`;
  if (!row) throw new Error(`the ledger has no rain ${rainId}`);
  return row.settledAt.getTime();
}

/**
 * Assigns this payout provider to a rain, unless another one is assigned already. Two concurrent calls get the same
 * answer.
 * @returns the assigned provider, which never changes; `undefined` when there is no such rain, or it is a rehearsal
 */
export async function assignPayout(
  database: Database,
  rainId: string,
  payoutProvider: PayoutProviderName,
): Promise<PayoutProviderName | undefined> {
  const [row] = await database.$queryRaw<{ payoutProvider: PayoutProviderName }[]>`
    UPDATE "Rain" SET "keeper" = coalesce("keeper", ${payoutProvider}::"Keeper") WHERE "id" = ${rainId} AND NOT "rehearsal" RETURNING "keeper" AS "payoutProvider"`;
  return row?.payoutProvider;
}

type RainRow = Rain & { topUps: TopUp[]; campaign: { winsPerUserMax: number } | null };

function toBookedRain({
  opensAt,
  closesAt,
  createdAt,
  sealedAt,
  settledAt,
  split,
  topUps,
  terms,
  rehearsal,
  payoutProvider,
  campaignId,
  round,
  campaign,
  accounts: _accounts,
  credited: _credited,
  ...plain
}: RainRow): BookedRain {
  return {
    ...plain,
    split: split as Json,
    topUps: topUps.map(toBookedTopUp),
    opensAt: opensAt.getTime(),
    closesAt: closesAt.getTime(),
    createdAt: createdAt.getTime(),
    terms: termsOf(recordedTerms.parse(terms), rehearsal, campaign),
    ...(payoutProvider && { payoutProvider }),
    ...(campaignId !== null && round !== null && { campaign: { id: campaignId, round } }),
    ...(sealedAt && { sealedAt: sealedAt.getTime() }),
    ...(settledAt && { settledAt: settledAt.getTime() }),
  };
}

/** All terms: one is a column because the database checks it, and one follows from the campaign. */
function termsOf(terms: Terms, rehearsal: boolean, campaign: RainRow['campaign']): Terms {
  return {
    ...terms,
    ...(rehearsal && { rehearsal }),
    ...(campaign && { winsMax: winsMaxOf(campaign.winsPerUserMax, terms.excludeEarlierWinners === true) }),
  };
}
