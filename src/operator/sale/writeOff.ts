import type { Units } from '../../sale/units.ts';
import { closeSale } from '../../store/saleEnd.ts';
import { foreignKeys, saleKeys } from '../../store/saleKeys.ts';
import { pauseWhatever } from '../../store/saleTransitions.ts';
import { refuse, type OperatorContext, type Refused } from '../context.ts';
import { readReason } from '../wording.ts';
import { auditSale } from './audit.ts';
import { isWrittenOff, noSaleReason } from './lost.ts';
import { refuseUnordered } from './refuseUnordered.ts';
import { writeOffUnknownSale } from './writeOffUnknown.ts';
import { findLostReservations, resolveLostReservations } from './toldReservations.ts';

/**
 * `waiting`: orders that may still be paid; the workers settle the sale when none is left. `returned`: units that go
 * back to the shop, or are there. `problems`: what nobody could put right.
 * `unknown`: the ledger does not know the sale; its orders are in Redis.
 */
type SaleWrittenOff =
  | {
      ok: true;
      saleId: string;
      state: 'settled' | 'closed';
      waiting: number;
      returned: Units;
      problems: string[];
      unknown?: { orders: number };
    }
  | Refused;

/** Problems that the record keeps [R10]. */
const RECORDED_MAX = 20;

/**
 * Gives a sale up that can never add up again: Redis has lost it, or its log, or somebody has changed what cannot be
 * put right. Nothing is sold any more. The orders of the ledger stay, reservations without one fail, and the rest of
 * the stock goes back to the shop. Safe to repeat.
 */
export async function writeOffSale(
  context: OperatorContext,
  saleId: string,
  why: string,
  { dryRun = false, newDatabase = false }: { dryRun?: boolean; newDatabase?: boolean } = {},
): Promise<SaleWrittenOff> {
  const { redis, ledger } = context;
  const given = readReason(why);
  if (!given.ok) return given;
  const audit = await auditSale(context, saleId);
  const sale = await ledger.sale(saleId);
  if (!sale || !audit) {
    if (await ledger.rain(saleId)) return refuse('id', await noSaleReason(context, saleId));
    const ended = await writeOffUnknownSale(context, saleId, { reason: given.reason, dryRun, newDatabase });
    return ended.ok
      ? { ok: true, saleId, state: 'settled', waiting: 0, returned: 0, problems: [], unknown: { orders: ended.orders } }
      : ended;
  }
  const { problems } = audit;
  const isSettled = sale.settledAt !== undefined;
  if (!isSettled && audit.report.balanced)
    return refuse(
      'id',
      `the sale ${saleId} adds up; the workers settle it when it is over, or end it with: rain sale end ${saleId}`,
    );
  const { created } = await ledger.orderCounts(saleId);
  const back = async (): Promise<Units> =>
    (await ledger.stock(saleId)).reduce(
      (sum, { units, accounts }) => sum + units + accounts.shop + accounts.available,
      0,
    );
  if (isSettled || dryRun)
    return {
      ok: true,
      saleId,
      state: isSettled ? 'settled' : 'closed',
      waiting: created,
      returned: await back(),
      problems,
    };
  // Recorded first: whatever is cut after this, the workers continue.
  if (!(await isWrittenOff(context, saleId)))
    await ledger.record({
      actor: context.actor,
      verb: 'write-off',
      rainId: saleId,
      details: { reason: given.reason, problems: problems.slice(0, RECORDED_MAX) },
    });
  // A key of another type is not ours, and every step would fail on it.
  for (const { key } of await foreignKeys(redis, saleId)) await redis.del(key);
  const isThere = (await redis.exists(saleKeys(saleId).state)) === 1;
  if (isThere) {
    await pauseWhatever(redis, saleId);
    await closeSale(redis, saleId, 'early');
  }
  await ledger.sealSale(saleId);
  await resolveLostReservations(context, saleId, await findLostReservations(context, saleId));
  await refuseUnordered(context, saleId);
  const isDone = !isThere && created === 0;
  if (isDone) await ledger.settleSale(saleId);
  return { ok: true, saleId, state: isDone ? 'settled' : 'closed', waiting: created, returned: await back(), problems };
}
