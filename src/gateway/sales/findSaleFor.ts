import type { SaleSnapshot } from '../../protocol/saleMessages.ts';
import { mayEnter, type Audience } from '../../rain/audience.ts';
import type { SaleCache } from './saleCache.ts';

/** @returns undefined: there is no such sale, or none for this user @throws when Redis cannot be read */
export async function findSaleFor(
  cache: Pick<SaleCache, 'find' | 'reading'>,
  audience: Audience | undefined,
  saleId: string,
): Promise<SaleSnapshot | undefined> {
  const snapshot = await cache.find(saleId);
  const sale = cache.reading(saleId);
  return sale && mayEnter(audience, 'sales', saleId, sale) ? snapshot : undefined;
}
