import { isDeepStrictEqual } from 'node:util';
import { iso } from '../rain/figures.ts';
import { formatMoney, parseMoney } from '../rain/money.ts';
import type { Visibility } from '../rain/terms.ts';
import type { TicketRules } from '../rain/ticketRules.ts';
import { withLimits, type Item } from '../sale/item.ts';
import type { Units } from '../sale/units.ts';
import { record, type ActionVerb, type Json } from './actions.ts';
import { attempt } from './attempt.ts';
import { atOneMoment } from './atOneMoment.ts';
import type { Database } from './database.ts';
import type { OrderService as OrderServiceName, Prisma } from './generated/client.ts';

export interface NewSale {
  id: string;
  title: string;
  /** Both in epoch ms. */
  opensAt: number;
  closesAt: number;
  /** How long a reservation waits for its payment, ms. */
  holdMs: number;
  /** Units that a user may hold in the sale; absent: only the items limit. */
  perUserMax?: Units;
  /** A sale to practise: nothing is shipped, and no shop is called. */
  rehearsal?: boolean;
  /** Its visibility, as in a rain. */
  unlisted?: boolean;
  invitedOnly?: boolean;
  orderService: OrderServiceName;
  items: readonly Item[];
  /** Only for a sale of a campaign, whose id contains both. */
  campaign?: { id: string; round: number };
}

/** `units` of each item are totals, top-ups included. */
export interface BookedSale extends Omit<NewSale, 'items'> {
  items: (Required<Pick<Item, 'perOrderMax' | 'perUserMax'>> & Item)[];
  topUps: BookedSaleTopUp[];
  /** Units that a user may hold in all sales of its campaign. */
  boughtMax?: Units;
  /** Times are epoch ms. */
  createdAt: number;
  sealedAt?: number;
  settledAt?: number;
}

interface BookedSaleTopUp {
  id: string;
  sku: string;
  /** From 1. */
  ordinal: number;
  units: Units;
}

type SaleCreation =
  /** `exists`: the same sale was created before; nothing was done again. */
  | { outcome: 'created' | 'exists' }
  /** Another sale has this id; nothing was done. */
  | { outcome: 'differs'; fields: string[] };

/**
 * Creates a sale, its items with their stock, and the record of it: all or nothing. A repeat changes no rules of its
 * tickets.
 */
export function createSale(
  database: Database,
  requested: NewSale,
  actor: string,
  dryRun = false,
  ticketRules?: TicketRules,
): Promise<SaleCreation> {
  return attempt(
    database,
    async (transaction): Promise<SaleCreation> => {
      const { items, campaign, opensAt, closesAt, unlisted, invitedOnly, ...plain } = requested;
      const terms = visibilityOf({ unlisted, invitedOnly });
      const named = campaign && { campaignId: campaign.id, round: campaign.round };
      const { count } = await transaction.sale.createMany({
        data: { ...plain, ...named, terms, opensAt: new Date(opensAt), closesAt: new Date(closesAt) },
        skipDuplicates: true,
      });
      if (count === 0)
        return compare(
          requested,
          toBookedSale(await transaction.sale.findUniqueOrThrow({ where: { id: requested.id }, ...withDetails })),
        );
      await transaction.saleItem.createMany({
        data: items.map((item, ordinal) => ({ saleId: requested.id, ordinal, ...toRow(item) })),
      });
      await record(transaction, {
        actor,
        verb: 'create-sale',
        rainId: requested.id,
        details: {
          title: requested.title,
          opensAt: iso(opensAt),
          closesAt: iso(closesAt),
          holdMs: requested.holdMs,
          items: items as unknown as Json[],
          ...named,
          ...(requested.perUserMax !== undefined && { perUserMax: requested.perUserMax }),
          ...(requested.rehearsal && { rehearsal: true }),
          ...terms,
        },
      });
      if (ticketRules)
        await record(transaction, { actor, verb: 'tickets', rainId: requested.id, details: { ...ticketRules } });
      return { outcome: 'created' };
    },
    dryRun,
  );
}

function visibilityOf({ unlisted, invitedOnly }: { [Name in keyof Visibility]: boolean | undefined }): Visibility {
  return { ...(unlisted && { unlisted }), ...(invitedOnly && { invitedOnly }) };
}

function toRow(item: Item) {
  const { price, listPrice, ...plain } = withLimits(item);
  return {
    ...plain,
    priceCents: parseMoney(price)!,
    ...(listPrice !== undefined && { listPriceCents: parseMoney(listPrice)! }),
  };
}

/** The items as the sale was created, without its top-ups. */
export function plannedItems({ items, topUps }: Pick<BookedSale, 'items' | 'topUps'>): BookedSale['items'] {
  return items.map((item) => ({
    ...item,
    units: topUps.reduce((units, topUp) => units - (topUp.sku === item.sku ? topUp.units : 0), item.units),
  }));
}

const flagsOf = ({
  rehearsal = false,
  unlisted = false,
  invitedOnly = false,
}: Pick<NewSale, 'rehearsal' | 'unlisted' | 'invitedOnly'>) => ({ rehearsal, unlisted, invitedOnly });

function compare(requested: NewSale, booked: BookedSale): SaleCreation {
  const existing: Record<string, unknown> = { ...booked, ...flagsOf(booked), items: plannedItems(booked) };
  const wanted: Record<string, unknown> = {
    ...requested,
    ...flagsOf(requested),
    items: requested.items.map(withLimits),
  };
  const fields = [
    'title',
    'opensAt',
    'closesAt',
    'holdMs',
    'perUserMax',
    'rehearsal',
    'unlisted',
    'invitedOnly',
    'orderService',
    'items',
    'campaign',
  ].filter((field) => !isDeepStrictEqual(wanted[field], existing[field]));
  return fields.length === 0 ? { outcome: 'exists' } : { outcome: 'differs', fields };
}

const withDetails = {
  include: {
    items: { orderBy: { ordinal: 'asc' }, include: { topUps: { orderBy: { ordinal: 'asc' } } } },
    campaign: { select: { winsPerUserMax: true } },
  },
} as const satisfies Prisma.SaleDefaultArgs;
type SaleRow = Prisma.SaleGetPayload<typeof withDetails>;

export async function sale(database: Database, saleId: string): Promise<BookedSale | undefined> {
  const row = await atOneMoment(
    database,
    (at) => at.sale.findUnique({ where: { id: saleId }, ...withDetails }),
    (found) => found !== null && hasTopUps(found),
  );
  return row ? toBookedSale(row) : undefined;
}

const hasTopUps = ({ items }: Pick<SaleRow, 'items'>): boolean => items.some(({ topUps }) => topUps.length > 0);

async function readSales(
  database: Database,
  which: Pick<Prisma.SaleFindManyArgs, 'where' | 'orderBy' | 'take' | 'skip'>,
): Promise<BookedSale[]> {
  return (
    await atOneMoment(
      database,
      (at) => at.sale.findMany({ ...which, ...withDetails }),
      (rows) => rows.some(hasTopUps),
    )
  ).map(toBookedSale);
}

type WhichSales = 'all' | 'unsettled' | { ids: readonly string[] } | { campaignId: string };

/** Newest first. */
export async function sales(database: Database, limit = 100, which: WhichSales = 'all'): Promise<BookedSale[]> {
  const where =
    typeof which !== 'object'
      ? which === 'unsettled'
        ? { settledAt: null }
        : {}
      : 'ids' in which
        ? { id: { in: [...which.ids] } }
        : which;
  return readSales(database, { where, orderBy: [{ createdAt: 'desc' }, { id: 'asc' }], take: limit });
}

/**
 * Sales that are over, by the clock or because they were ended, but not settled, oldest first.
 * @param now epoch ms
 * @param skip how many to leave out at the front
 */
export async function overdueSales(database: Database, now: number, limit = 100, skip = 0): Promise<BookedSale[]> {
  const where = { settledAt: null, OR: [{ closesAt: { lte: new Date(now) } }, { sealedAt: { not: null } }] };
  return readSales(database, { where, orderBy: [{ closesAt: 'asc' }, { id: 'asc' }], take: limit, skip });
}

function toBookedSale({
  opensAt,
  closesAt,
  createdAt,
  sealedAt,
  settledAt,
  perUserMax,
  rehearsal,
  campaignId,
  round,
  campaign,
  items,
  terms,
  orders: _orders,
  ...plain
}: SaleRow): BookedSale {
  return {
    ...plain,
    opensAt: opensAt.getTime(),
    closesAt: closesAt.getTime(),
    createdAt: createdAt.getTime(),
    ...(perUserMax !== null && { perUserMax }),
    ...(rehearsal && { rehearsal }),
    ...visibilityOf(terms as Visibility),
    ...(campaignId !== null && round !== null && { campaign: { id: campaignId, round } }),
    ...(campaign && { boughtMax: campaign.winsPerUserMax }),
    ...(sealedAt && { sealedAt: sealedAt.getTime() }),
    ...(settledAt && { settledAt: settledAt.getTime() }),
    items: items.map(
      ({
        saleId: _saleId,
        ordinal: _ordinal,
        topUps: _topUps,
        priceCents,
        listPriceCents,
        name,
        description,
        picture,
        ...item
      }) => ({
        ...item,
        price: formatMoney(priceCents),
        ...(listPriceCents !== null && { listPrice: formatMoney(listPriceCents) }),
        ...(name !== null && { name }),
        ...(description !== null && { description }),
        ...(picture !== null && { picture }),
      }),
    ),
    topUps: items
      .flatMap(({ topUps }) => topUps.map(({ id, sku, ordinal, units }) => ({ id, sku, ordinal, units })))
      .sort((a, b) => a.ordinal - b.ordinal),
  };
}

interface NewSaleTopUp {
  /** Chosen by the caller, unique among all top-ups of all sales: a repeated one is added only once. */
  id: string;
  saleId: string;
  sku: string;
  units: Units;
}

type StockAdding =
  /** `exists`: the same top-up was added before; nothing was done again. */
  | { outcome: 'added' | 'exists'; topUp: BookedSaleTopUp }
  | { outcome: 'differs'; fields: string[] }
  | { outcome: 'no_sale' | 'no_item' | 'sealed' | 'too_much' };

/** Top-ups of one sale at most [R10]. */
export const SALE_TOP_UPS_MAX = 32;

/** Adds units to an item of a sale that is not sealed, and the record of it: both or nothing. */
export function addStock(
  database: Database,
  requested: NewSaleTopUp,
  actor: string,
  unitsMax: Units,
  dryRun = false,
): Promise<StockAdding> {
  const { id, saleId, sku, units } = requested;
  return attempt(
    database,
    async (transaction): Promise<StockAdding> => {
      const [locked] = await transaction.$queryRaw<
        { sealedAt: Date | null }[]
      >`SELECT coalesce("sealedAt", "settledAt") AS "sealedAt" FROM "Sale" WHERE "id" = ${saleId} FOR NO KEY UPDATE`;
      const existing = await transaction.saleTopUp.findUnique({ where: { id } });
      if (existing) {
        const fields = (['saleId', 'sku', 'units'] as const).filter((field) => existing[field] !== requested[field]);
        return fields.length === 0
          ? { outcome: 'exists', topUp: { id, sku, ordinal: existing.ordinal, units } }
          : { outcome: 'differs', fields };
      }
      if (!locked) return { outcome: 'no_sale' };
      if (locked.sealedAt) return { outcome: 'sealed' };
      const item = await transaction.saleItem.findUnique({
        where: { saleId_sku: { saleId, sku } },
        select: { units: true },
      });
      if (!item) return { outcome: 'no_item' };
      const ordinal = 1 + (await transaction.saleTopUp.count({ where: { saleId } }));
      if (ordinal > SALE_TOP_UPS_MAX || item.units + units > unitsMax) return { outcome: 'too_much' };
      await transaction.saleTopUp.createMany({ data: { id, saleId, sku, ordinal, units } });
      await record(transaction, {
        actor,
        verb: 'top-up-sale',
        rainId: saleId,
        details: { id, sku, units, topUp: ordinal },
      });
      return { outcome: 'added', topUp: { id, sku, ordinal, units } };
    },
    dryRun,
  );
}

/**
 * Moves a sale that is not sealed to another window, and records the action: both or nothing.
 * @param from the window as the caller has read it
 * @returns false: it is sealed, or another operator has moved it since
 */
export function rescheduleSale(
  database: Database,
  saleId: string,
  to: SaleWindow,
  action: { actor: string; verb: ActionVerb },
  from: SaleWindow,
): Promise<boolean> {
  return database.$transaction(async (transaction) => {
    const { count } = await transaction.sale.updateMany({
      where: { id: saleId, sealedAt: null, settledAt: null, ...inDates(from) },
      data: inDates(to),
    });
    if (count === 0) return false;
    await record(transaction, {
      ...action,
      rainId: saleId,
      details: { opensAt: iso(to.opensAt), closesAt: iso(to.closesAt) },
    });
    return true;
  });
}

type SaleWindow = Pick<NewSale, 'opensAt' | 'closesAt'>;
const inDates = ({ opensAt, closesAt }: SaleWindow) => ({ opensAt: new Date(opensAt), closesAt: new Date(closesAt) });

/** Seals a sale: nothing can be added afterwards. Safe to repeat. */
export async function sealSale(database: Database, saleId: string): Promise<void> {
  const sealed =
    await database.$executeRaw`UPDATE "Sale" SET "sealedAt" = coalesce("sealedAt", now()) WHERE "id" = ${saleId}`;
  if (sealed === 0) throw new Error(`the ledger has no sale ${saleId}`);
}

/**
 * Closes the ledger of a sale: what is left goes back to the shop.
 * @throws when orders wait for their payment
 * @returns when it was closed first, epoch ms
 */
export async function settleSale(database: Database, saleId: string): Promise<number> {
  const [row] = await database.$queryRaw<{ settledAt: Date }[]>`
    UPDATE "Sale" SET "sealedAt" = coalesce("sealedAt", now()), "settledAt" = coalesce("settledAt", now()) WHERE "id" = ${saleId} RETURNING "settledAt"`;
  if (!row) throw new Error(`the ledger has no sale ${saleId}`);
  return row.settledAt.getTime();
}
