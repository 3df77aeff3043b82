import type { ReserveAnswer } from '../../grab/reserve.ts';
import type { RedisClient } from '../../platform/redis/connect.ts';
import { readBuyers, type Buyers } from '../../store/buyersFilter.ts';
import type { StoredItem } from '../../store/sales.ts';
import { KnownHolders } from '../rains/knownHolders.ts';
import { whileShut } from '../rains/localAnswers.ts';
import type { RainCache } from '../rains/rainCache.ts';
import type { CachedSale, SaleCache } from './saleCache.ts';
import type { PendingPurchase } from './pendingPurchase.ts';

interface SaleAnswersRules {
  redis: RedisClient;
  cache: Pick<SaleCache, 'reading' | 'refresh'>;
  clock: Pick<RainCache, 'now' | 'clockErrorMs'>;
  onFault: (error: unknown) => void;
}

const SOLD_OUT: ReserveAnswer = { code: '-1' };
const LIMIT_REACHED: ReserveAnswer = { code: '-13' };

/**
 * Answers purchases without Redis: before the opening, after the end, and of an item of which every unit is paid for.
 * Only users who have reserved nothing in the sale are answered here; all others are passed on to Redis. As for a rain,
 * see rains/localAnswers.ts.
 */
export class SaleAnswers {
  readonly #buyers: KnownHolders<CachedSale, Buyers>;
  readonly #clock: SaleAnswersRules['clock'];

  constructor({ redis, cache, clock, onFault }: SaleAnswersRules) {
    this.#clock = clock;
    this.#buyers = new KnownHolders({
      reading: (saleId) => cache.reading(saleId),
      refresh: (saleId) => cache.refresh(saleId),
      read: (saleId) => readBuyers(redis, saleId),
      onFault,
      concludes: (sale) => {
        const shut = this.#whileShut(sale);
        return shut === 'open' ? sale.items.some(isSoldOut) : shut !== undefined;
      },
      agree: (sale, { made, newest }) => sale.made === made && sale.newest === newest,
    });
  }

  /**
   * The answer that the engine would give, in the order of the checks in `lua/reserve.lua`; `undefined`: ask the
   * engine.
   */
  answer(
    { saleId, userId, quantity }: Pick<PendingPurchase, 'saleId' | 'userId' | 'quantity'>,
    item: StoredItem,
  ): ReserveAnswer | undefined {
    const known = this.#buyers.of(saleId);
    if (!known || known.holders.mayHold(userId)) return undefined;
    const shut = this.#whileShut(known.stored);
    if (shut !== 'open') return shut;
    const ofSale = known.stored.bySku.get(item.sku);
    if (!ofSale || !isSoldOut(ofSale)) return undefined;
    return quantity > (item.perUserMax ?? quantity) || quantity > (known.stored.perUserMax ?? quantity)
      ? LIMIT_REACHED
      : SOLD_OUT;
  }

  /** To be called when the engine has refused a purchase: further refusals may not need Redis. */
  heardNo(saleId: string): void {
    this.#buyers.heardNo(saleId);
  }

  /** To be called when a sale has changed; without an id, when any sale may have changed. */
  forget(saleId?: string): void {
    this.#buyers.forget(saleId);
  }

  #whileShut(sale: CachedSale) {
    // A held sale answers "busy" first.
    return sale.held === undefined ? whileShut(sale, this.#clock) : undefined;
  }
}

/** Every unit is paid for: no deadline brings one back. */
function isSoldOut({ units, returned, booked, sold }: StoredItem): boolean {
  return units - returned === booked && booked === sold;
}
