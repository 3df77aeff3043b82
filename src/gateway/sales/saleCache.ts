import type { SaleSnapshot, ShownSale } from '../../protocol/saleMessages.ts';
import { stateAt } from '../../rain/rain.ts';
import type { RedisClient } from '../../platform/redis/connect.ts';
import { QUANTITY_MAX, type Units } from '../../sale/units.ts';
import { isFree } from '../../sale/order.ts';
import { nextPayBy } from '../../store/nextPayBy.ts';
import {
  findSale,
  isLiveSale,
  isUnindexedSale,
  liveSales,
  readSale,
  type LiveSale,
  type StoredItem,
  type StoredSale,
} from '../../store/sales.ts';
import { shownTicketRules, type OwnTicketRules } from '../challenge/rules.ts';
import { SnapshotCache, type Reading, type Remainder, type SnapshotCacheRules } from '../rains/snapshotCache.ts';
import { isListedFor, toList } from '../rains/visibility.ts';
import type { Audience } from '../../rain/audience.ts';

/** A sale as read from Redis, with what every purchase needs of it. */
export interface SaleReading extends StoredSale {
  title: string;
  bySku: ReadonlyMap<string, StoredItem>;
  /** A buyer may hold several units, so only a `ref` tells a repeated purchase from another one. */
  refRequired: boolean;
  /** By SKU: when the next unit may come back, epoch ms. */
  backAt: ReadonlyMap<string, number>;
}
export type CachedSale = SaleReading & Reading;

interface SaleCacheRules extends SnapshotCacheRules<SaleReading, SaleSnapshot> {
  redis: RedisClient;
  /** Redis's clock as estimated here, epoch ms. */
  clock: () => number;
  /** Called with every reading. */
  onRead: (sale: SaleReading) => void;
}

/**
 * The sales as last read from Redis. They only inform viewers and refuse what cannot be bought; the script alone
 * decides who reserves.
 */
export class SaleCache extends SnapshotCache<LiveSale, SaleReading, SaleSnapshot> {
  readonly #rules: Pick<SaleCacheRules, 'redis' | 'clock' | 'onRead'>;
  /** By sale and SKU: where in the log the search for the next deadline goes on. */
  readonly #searchedTo = new Map<string, Map<string, number>>();

  constructor({ redis, clock, onRead, onLeft, ...rules }: SaleCacheRules) {
    super({
      ...rules,
      onLeft: (sale) => {
        this.#searchedTo.delete(sale.saleId);
        onLeft?.(sale);
      },
    });
    this.#rules = { redis, clock, onRead };
  }

  now(): number {
    return this.#rules.clock();
  }

  /** The sales that `welcome` lists for this user at this moment; `undefined`: none. */
  current(audience: Audience | undefined, now: number): ShownSale[] | undefined {
    const shown = toList(
      [...this.readings()]
        .filter((sale) => isListedFor(audience, 'sales', sale.saleId, sale))
        .map((sale) => describe(sale, now, this.rules.ticketRules)),
    );
    return shown.length > 0 ? shown : undefined;
  }

  /** Orders and deadlines change a sale that nobody announces. */
  protected readVersion(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  protected isBusy(): boolean {
    return true;
  }

  protected readIndex(): Promise<Map<string, LiveSale>> {
    return liveSales(this.#rules.redis);
  }

  protected findLive(saleId: string): Promise<LiveSale | undefined> {
    return findSale(this.#rules.redis, saleId);
  }

  protected isListed(saleId: string): Promise<boolean> {
    return isLiveSale(this.#rules.redis, saleId);
  }

  protected isUnindexed(saleId: string): Promise<boolean> {
    return isUnindexedSale(this.#rules.redis, saleId);
  }

  protected lacks(): boolean {
    return false;
  }

  protected liveOf({ title }: SaleReading): LiveSale {
    return { title };
  }

  protected async readStored(saleId: string, { title }: LiveSale): Promise<SaleReading | undefined> {
    const stored = await readSale(this.#rules.redis, saleId);
    if (!stored) return undefined;
    const sale = {
      ...stored,
      title,
      bySku: new Map(stored.items.map((item) => [item.sku, item])),
      refRequired: unitsPerBuyer(stored) > 1,
      backAt: await this.#backAt(stored),
    };
    this.#rules.onRead(sale);
    return sale;
  }

  protected show(sale: SaleReading, now: number): SaleSnapshot {
    const items = sale.items.map((item) => describeItem(item, sale.backAt.get(item.sku)));
    return { type: 'sale', ...describe(sale, now, this.rules.ticketRules), items, serverTime: now };
  }

  protected remainderOf({ serverTime: _, items, ...others }: SaleSnapshot): Remainder {
    return {
      event: JSON.stringify([others, items.map(({ left: _left, backAt: _backAt, ...item }) => item)]),
      left: JSON.stringify(items.map(({ left, backAt }) => [left, backAt])),
      gone: items
        .filter(({ left }) => left === 0)
        .map(({ sku }) => sku)
        .join(),
    };
  }

  /** When the next unit of each item may come back of which none is left and some are not paid for. */
  async #backAt({ saleId, items, state, closesAt }: StoredSale): Promise<Map<string, number>> {
    const now = this.now();
    const from = this.#searchedTo.get(saleId) ?? new Map<string, number>();
    const backAt = new Map<string, number>();
    for (const item of items) {
      const isSought =
        leftOf(item) === 0 && item.booked > item.sold && stateAt({ state, opensAt: 0, closesAt }, now) !== 'closed';
      if (!isSought) {
        from.delete(item.sku);
        continue;
      }
      const found = await nextPayBy(this.#rules.redis, saleId, item.sku, from.get(item.sku) ?? 0, now);
      from.set(item.sku, found.from);
      if (found.payBy !== undefined) backAt.set(item.sku, found.payBy);
    }
    if (from.size > 0) this.#searchedTo.set(saleId, from);
    else this.#searchedTo.delete(saleId);
    return backAt;
  }
}

/** Units that can be reserved now; none while a count is damaged: the script refuses every purchase. */
export function leftOf({ units, returned, booked }: Pick<StoredItem, 'units' | 'returned' | 'booked'>): Units {
  return Math.max(0, units - returned - booked) || 0;
}

/** Units that one buyer may hold in a sale. */
function unitsPerBuyer({ items, perUserMax = Number.POSITIVE_INFINITY }: StoredSale): Units {
  return Math.min(
    perUserMax,
    items.reduce((sum, { perUserMax: itemMax = QUANTITY_MAX }) => sum + itemMax, 0),
  );
}

function describe(sale: SaleReading, now: number, own: OwnTicketRules): ShownSale {
  const { saleId, title, opensAt, closesAt, holdMs, perUserMax, rehearsal } = sale;
  return {
    saleId,
    title,
    state: stateAt(sale, now),
    opensAt,
    closesAt,
    holdMs,
    ...(perUserMax !== undefined && { perUserMax }),
    ...(sale.items.every(isFree) && { free: true as const }),
    ...(rehearsal && { rehearsal }),
    ...shownTicketRules(own, sale),
  };
}

/** The number left is exact: a buyer who has paid for one of 500 sees 499. `restMs` bounds how often it is sent. */
function describeItem(item: StoredItem, backAt: number | undefined): SaleSnapshot['items'][number] {
  const { sku, name, description, price, listPrice, picture, units, perOrderMax, perUserMax } = item;
  return {
    sku,
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    price,
    ...(listPrice !== undefined && { listPrice }),
    ...(picture !== undefined && { picture }),
    units,
    left: leftOf(item),
    ...(backAt !== undefined && { backAt }),
    ...(perOrderMax !== undefined && { perOrderMax }),
    ...(perUserMax !== undefined && { perUserMax }),
  };
}
