import { z } from 'zod';
import { roundOf } from '../rain/campaign.ts';
import { STORED_STATES } from '../rain/rain.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import { publish } from './events.ts';
import { LIVE_SALES_KEY, SETTLED_SALES_KEY, saleKeys } from './saleKeys.ts';
import { liveSales, type LiveSale } from './sales.ts';
import { run } from './scripts.ts';

const storedState = z.enum(STORED_STATES).nullable();

/**
 * Ends a sale: `early` at any time, `due` only when Redis's clock is past its end.
 * @returns true when it is closed (or settled) now
 */
export async function closeSale(redis: RedisClient, saleId: string, when: 'early' | 'due'): Promise<boolean> {
  const state = storedState.parse(await run(redis, 'close', [saleKeys(saleId).state], [when]));
  const isClosed = state === 'closed' || state === 'settled';
  if (isClosed) await publish(redis, { type: 'sale_changed', saleId });
  return isClosed;
}

/**
 * Closes the log of a closed sale for good, before its stock goes back.
 * @param seen how many reservations the audit has counted
 * @returns false: it is not closed, or has more than that; then the audit must run again
 */
export async function freezeSale(redis: RedisClient, saleId: string, seen: number): Promise<boolean> {
  const { state, reservations, sending } = saleKeys(saleId);
  return (await run(redis, 'freeze', [state, reservations, sending], [seen])) === 1;
}

/** How long the limits of a campaign outlive its last sale that Redis knows, ms: its next one may begin much later. */
const BOUGHT_TTL_MS = 60 * 24 * 3_600_000;

/**
 * Marks a sale as settled once the ledger accounts for all of it, and moves it from the index of live sales to that of
 * settled ones.
 * @param seen as in `freezeSale` @param ttlMs how long its keys live on
 * @returns false: it is not closed, or has more reservations than `seen`
 */
export async function settleSaleKeys(
  redis: RedisClient,
  saleId: string,
  live: LiveSale,
  { seen, ttlMs }: { seen: number; ttlMs: number },
): Promise<boolean> {
  const { state, stock, buyers, reservations, relayed, cancels } = saleKeys(saleId);
  const reply = storedState.parse(
    await run(redis, 'salesettle', [state, stock, buyers, reservations, relayed, cancels], [ttlMs, seen]),
  );
  if (reply !== 'settled' && reply !== null) return false;
  if (reply === 'settled') await redis.hset(SETTLED_SALES_KEY, saleId, JSON.stringify(live));
  await redis.hdel(LIVE_SALES_KEY, saleId);
  await leaveCampaign(redis, saleId);
  await publish(redis, { type: 'sale_changed', saleId });
  return true;
}

/**
 * After the last live sale of a campaign, what its users hold begins to expire; `draftSale` of a later one stops that.
 */
async function leaveCampaign(redis: RedisClient, saleId: string): Promise<void> {
  const campaignId = roundOf(saleId)?.campaignId;
  if (campaignId === undefined) return;
  const others = [...(await liveSales(redis)).keys()].some((other) => roundOf(other)?.campaignId === campaignId);
  if (!others) await redis.pexpire(saleKeys(saleId).bought, BOUGHT_TTL_MS);
}

/** Removes a sale whose keys have expired, or that is live again, from the index of settled ones. */
export async function forgetSale(redis: RedisClient, saleId: string): Promise<void> {
  await redis.hdel(SETTLED_SALES_KEY, saleId);
}
