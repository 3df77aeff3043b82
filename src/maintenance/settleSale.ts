import type { OperatorContext } from '../operator/context.ts';
import { auditSale } from '../operator/sale/audit.ts';
import { isEnded } from '../operator/sale/expectedState.ts';
import { isWrittenOff, noSaleReason } from '../operator/sale/lost.ts';
import { refuseUnordered } from '../operator/sale/refuseUnordered.ts';
import { heldReason } from '../operator/sale/stopped.ts';
import type { Replicated } from '../operator/settle.ts';
import { SETTLED_TTL_MS } from '../store/keys.ts';
import { closeSale, freezeSale, settleSaleKeys } from '../store/saleEnd.ts';
import { redisNow } from '../store/rains.ts';
import { readSale, type LiveSale, type StoredSale } from '../store/sales.ts';

type BookedSale = NonNullable<Awaited<ReturnType<OperatorContext['ledger']['sale']>>>;

/** An audit's verdict about a sale. */
interface SaleVerdict {
  balanced: boolean;
  problems: readonly string[];
}

export interface SettleSaleOptions {
  /** Default: the audit of the operator. */
  audit?: (context: OperatorContext, saleId: string) => Promise<SaleVerdict>;
  /** How long its keys live after the settlement. */
  ttlMs?: number | undefined;
  /** Checked before stock goes back. */
  replicated?: Replicated | undefined;
}

/**
 * `not_due` the sale is still open · `lost` Redis has lost it · `waiting` for orders of reservations in the log, for
 * payments, for Redis to follow, or for replicas · `not_balanced` the audit found a difference, nothing went back ·
 * `settled` done, now or before
 */
export type SaleSettling =
  | { outcome: 'not_due' }
  | { outcome: 'lost' }
  | { outcome: 'settled' }
  | { outcome: 'waiting'; for: 'orders' | 'payments' | 'redis' | 'replicas'; count: number }
  | { outcome: 'not_balanced'; problems: readonly string[] };

/**
 * Takes a sale past its end as far as possible now: close, seal, until nothing is under way, audit, settle. Every step
 * is safe to repeat, also by several workers at once.
 */
export async function settleSale(
  context: OperatorContext,
  saleId: string,
  live: LiveSale,
  { audit = verdict, ttlMs = SETTLED_TTL_MS, replicated = async () => true }: SettleSaleOptions,
): Promise<SaleSettling> {
  const { redis, ledger } = context;
  const stored = await readSale(redis, saleId);
  const booked = await ledger.sale(saleId);
  if (!stored) return settleGone(context, saleId, live, booked, ttlMs);
  if (!(await closeIfDue(context, saleId, stored, booked))) return { outcome: 'not_due' };
  const isGivenUp = await isWrittenOff(context, saleId);
  if (!booked) return { outcome: 'not_balanced', problems: [await noSaleReason(context, saleId)] };
  if (stored.held !== undefined && !isGivenUp)
    return { outcome: 'not_balanced', problems: [heldReason(saleId, stored.held)] };
  // Redis alone does not end a sale: whoever can write there would send all units back.
  if (await isEarly(context, booked))
    return {
      outcome: 'not_balanced',
      problems: [
        `it is closed in Redis before its end, and nobody has ended it; to end it all the same: rain sale end ${saleId}`,
      ],
    };
  // From here on nothing can be added. A top-up that came too late for Redis goes back with what is left.
  await ledger.sealSale(saleId);
  // The log first: its orders can only become more, and a reservation that is restored later is detected before the
  // sale is settled.
  const logged = (await readSale(redis, saleId))?.logged ?? 0;
  const underWay = await findUnderWay(context, saleId, logged, isGivenUp);
  if (underWay) return underWay;
  // In a settled sale the ledger has given back the rest, and Redis perhaps not yet: it was audited before.
  const { balanced, problems } =
    booked.settledAt === undefined && !isGivenUp ? await audit(context, saleId) : { balanced: true, problems: [] };
  if (!balanced) return { outcome: 'not_balanced', problems };
  // Where the write-off was cut.
  if (isGivenUp) await refuseUnordered(context, saleId);
  // From here on stock goes back: no reservation may be restored any more, and no failover may open the sale again.
  if (!(await freezeSale(redis, saleId, logged)) || !(await replicated()))
    return { outcome: 'waiting', for: 'replicas', count: 0 };
  await ledger.settleSale(saleId);
  if (!(await settleSaleKeys(redis, saleId, live, { ttlMs, seen: logged })))
    throw new Error(`the sale ${saleId} is settled in the ledger, but not in Redis`);
  return { outcome: 'settled' };
}

/** Redis has none of its keys. */
async function settleGone(
  context: OperatorContext,
  saleId: string,
  live: LiveSale,
  booked: BookedSale | undefined,
  ttlMs: number,
): Promise<SaleSettling> {
  const { redis, ledger } = context;
  if (booked?.settledAt === undefined) {
    if (!booked || !(await isWrittenOff(context, saleId)) || (await ledger.orderCounts(saleId)).created > 0)
      return { outcome: 'lost' };
    await ledger.settleSale(saleId);
  }
  // The settlement was cut before the index, and not repeated before the keys expired.
  await settleSaleKeys(redis, saleId, live, { ttlMs, seen: 0 });
  return { outcome: 'settled' };
}

/** Closes the sale if its end has come. */
async function closeIfDue(
  context: OperatorContext,
  saleId: string,
  { state }: StoredSale,
  booked: BookedSale | undefined,
): Promise<boolean> {
  if (state === 'closed' || state === 'settled') return true;
  // A failover, or somebody's hand, may have undone the close of a sale whose stock may have gone back since.
  return closeSale(context.redis, saleId, (await wasEnded(context, booked)) ? 'early' : 'due');
}

/** @param logged reservations in the log, read before @returns `undefined`: nothing is waited for */
async function findUnderWay(
  context: OperatorContext,
  saleId: string,
  logged: number,
  isGivenUp: boolean,
): Promise<SaleSettling | undefined> {
  const { orders, created, unfollowed } = await context.ledger.orderCounts(saleId);
  const without = logged > orders && !isGivenUp ? await countOrderless(context, saleId) : 0;
  if (logged > orders + without && !isGivenUp)
    return { outcome: 'waiting', for: 'orders', count: logged - orders - without };
  if (created > 0) return { outcome: 'waiting', for: 'payments', count: created };
  if (unfollowed > 0 && !isGivenUp) return { outcome: 'waiting', for: 'redis', count: unfollowed };
  return undefined;
}

/** Whether its end has not come, and nobody has ended it. */
async function isEarly(context: OperatorContext, booked: BookedSale): Promise<boolean> {
  return (await redisNow(context.redis)) < booked.closesAt && !(await wasEnded(context, booked));
}

/** Whether somebody has ended it, or it was over before. */
async function wasEnded(context: OperatorContext, booked: BookedSale | undefined): Promise<boolean> {
  return booked !== undefined && isEnded(booked, await context.ledger.actions(booked.id));
}

/**
 * Entries of the log from which no order follows: the ledger has refused them, and the buyers know it, or the operator
 * has explained them.
 */
async function countOrderless(context: OperatorContext, saleId: string): Promise<number> {
  const audit = await auditSale(context, saleId);
  return audit ? audit.refused + audit.explained : 0;
}

async function verdict(context: OperatorContext, saleId: string): Promise<SaleVerdict> {
  const audit = await auditSale(context, saleId);
  return audit
    ? { balanced: audit.report.balanced, problems: audit.problems }
    : { balanced: false, problems: [await noSaleReason(context, saleId)] };
}
