import { closeSale, settleSaleKeys } from '../../store/saleEnd.ts';
import { release } from '../../store/saleTransitions.ts';
import { findSale, hasTraces, readSale } from '../../store/sales.ts';
import { refuse, type OperatorContext, type Refused } from '../context.ts';
import { refuseForeign } from '../restore/foreign.ts';
import { KEPT_MS } from '../restore/keepKeys.ts';
import { readRedisOrders } from './redisOrders.ts';
import { noSaleReason } from './lost.ts';

interface Options {
  reason: string;
  dryRun: boolean;
  /** The operator's word that this database replaces the one that Redis was used with. */
  newDatabase: boolean;
}

/**
 * Ends a sale that only Redis knows: no order of it can be written. Its orders stay in Redis for thirty days, to be
 * cleared up with the shop. If it is cut, repeat it.
 */
export async function writeOffUnknownSale(
  context: OperatorContext,
  saleId: string,
  { reason, dryRun, newDatabase }: Options,
): Promise<{ ok: true; orders: number } | Refused> {
  const { redis, ledger, actor } = context;
  const stored = await readSale(redis, saleId);
  if (!stored) {
    const left = (await hasTraces(redis, saleId))
      ? `no store has the sale ${saleId} any more; what its buyers were told is listed by rain sale orders ${saleId} --redis`
      : await noSaleReason(context, saleId);
    return refuse('id', left);
  }
  const foreign = newDatabase ? undefined : await refuseForeign(context);
  if (foreign) return foreign;
  if (dryRun) return { ok: true, orders: await count(context, saleId) };
  if (stored.state !== 'settled') {
    await ledger.record({ actor, verb: 'write-off', rainId: saleId, details: { reason, unknown: true } });
    await closeSale(redis, saleId, 'early');
    const { title, rehearsal } = (await findSale(redis, saleId)) ?? { title: '' };
    const { logged = 0 } = (await readSale(redis, saleId)) ?? {};
    if (
      !(await settleSaleKeys(
        redis,
        saleId,
        { title, ...(rehearsal && { rehearsal }) },
        { ttlMs: KEPT_MS, seen: logged },
      ))
    )
      return refuse('id', `somebody else changes the sale ${saleId} meanwhile; repeat this command`);
  }
  await release(redis, saleId, 'unknown_to_ledger');
  return { ok: true, orders: await count(context, saleId) };
}

async function count(context: OperatorContext, saleId: string): Promise<number> {
  let orders = 0;
  for await (const _ of readRedisOrders(context, saleId)) orders++;
  return orders;
}
