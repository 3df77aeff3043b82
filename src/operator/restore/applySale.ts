import { KEPT_MS } from './keepKeys.ts';
import type { BookedSale } from '../../ledger/sales.ts';
import { saleKeys } from '../../store/saleKeys.ts';
import { hold } from '../../store/saleTransitions.ts';
import { readSale } from '../../store/sales.ts';
import { refuse, type OperatorContext, type Refused } from '../context.ts';
import { noSaleReason } from '../sale/lost.ts';
import { restoreOrders } from '../sale/restoreOrders.ts';
import { findLostReservations, resolveLostReservations } from '../sale/toldReservations.ts';
import { readReason } from '../wording.ts';
import { compareSale } from './compareSale.ts';
import { agrees, kindsOf, type RainDifferences } from './difference.ts';
import { refuseForeign } from './foreign.ts';
import { rebuildSale } from './rebuildSale.ts';

interface ApplyOptions {
  reason?: string | undefined;
  dryRun?: boolean | undefined;
}

type Applied = { ok: true; rainId: string; did: string[]; left: RainDifferences } | Refused;

/**
 * Brings the two stores into agreement about one sale, as far as that is safe. Safe to repeat, also while people buy.
 */
export async function applySaleRestore(
  context: OperatorContext,
  saleId: string,
  { reason, dryRun = false }: ApplyOptions = {},
): Promise<Applied> {
  const given = reason === undefined ? undefined : readReason(reason);
  if (given && !given.ok) return given;
  const foreign = await refuseForeign(context);
  if (foreign) return foreign;
  const before = await compareSale(context, saleId);
  if (!before) return refuse('id', await noSaleReason(context, saleId));
  const did: string[] = [];
  if (agrees(before)) return { ok: true, rainId: saleId, did, left: before };
  const sale = await context.ledger.sale(saleId);
  if (!dryRun)
    await context.ledger.record({
      actor: context.actor,
      verb: 'restore',
      rainId: saleId,
      details: { differences: { ...before.counts }, ...(given && { reason: given.reason }) },
    });
  if (!sale) await holdUnbooked(context, saleId, did, dryRun);
  else {
    const refused = await restoreBooked(context, sale, before, did, { word: given !== undefined, dryRun });
    if (refused) return refused;
  }
  return { ok: true, rainId: saleId, did, left: dryRun ? before : ((await compareSale(context, saleId)) ?? before) };
}

/** Nobody may reserve in a sale that the ledger does not know: no order of it can be written. */
async function holdUnbooked({ redis }: OperatorContext, saleId: string, did: string[], dryRun: boolean): Promise<void> {
  const stored = await readSale(redis, saleId);
  if (stored?.state === 'settled') {
    did.push('kept its keys for thirty days: only a later state of PostgreSQL can write its orders');
    if (!dryRun) await keepSaleKeys({ redis }, saleId);
  } else if (stored && stored.held !== 'unknown_to_ledger') {
    did.push('held it: the ledger does not know it');
    if (!dryRun) await hold(redis, saleId, 'unknown_to_ledger');
  }
}

/** So that a later state of the ledger, or the operator, still finds the buyers. */
async function keepSaleKeys({ redis }: Pick<OperatorContext, 'redis'>, saleId: string): Promise<void> {
  const { state, stock, buyers, reservations, relayed, cancels } = saleKeys(saleId);
  for (const key of [state, stock, buyers, reservations, relayed, cancels]) await redis.pexpire(key, KEPT_MS);
}

async function restoreBooked(
  context: OperatorContext,
  sale: BookedSale,
  before: RainDifferences,
  did: string[],
  { word, dryRun }: { word: boolean; dryRun: boolean },
): Promise<Refused | undefined> {
  const kinds = new Set(kindsOf(before));
  const { id } = sale;
  if (kinds.has('sale_missing') || kinds.has('not_loaded')) {
    const rebuilt = await rebuildSale(context, sale, word, dryRun);
    if (!rebuilt.ok) return rebuilt;
    did.push(...rebuilt.did);
    return undefined;
  }
  if (dryRun) {
    if (kinds.has('order_not_in_redis')) did.push('put the orders back that Redis has lost');
    if (kinds.has('order_behind_in_redis')) did.push('bring Redis to the status of the orders in the ledger');
    if (kinds.has('reservation_told')) did.push('put told reservations back, or refuse them');
    return undefined;
  }
  const restored = await restoreOrders(context, id);
  if (restored && restored.putBack > 0) did.push(`put ${restored.putBack} orders back that Redis had lost`);
  if (restored && restored.behind > 0)
    did.push(`had the workers bring Redis to the status of ${restored.behind} orders in the ledger`);
  if (restored && restored.taken.length > 0)
    did.push(`others have the numbers or units of ${restored.taken.length} orders: ${restored.taken.join(', ')}`);
  const lost = await findLostReservations(context, id);
  const resolved = await resolveLostReservations(context, id, lost);
  if (lost.length > 0)
    did.push(`put ${resolved.putBack} told reservations back, and refused ${resolved.refused}: their buyers were told`);
  return undefined;
}
