import { roundOf } from '../rain/campaign.ts';
import type { RedisClient } from '../platform/redis/connect.ts';

/**
 * The Redis keys of a sale. A sale has one shard: a counter decides a hundred thousand purchases a second, and stock
 * that is divided is "sold out" in one part while another still has some. The sales of a campaign share its tag, so
 * that one script can check a limit over all of them; the number of the round follows the tag.
 */
export function saleKeys(saleId: string) {
  const round = roundOf(saleId);
  const tag = `sale:{${round?.campaignId ?? saleId}}:`;
  const own = round ? `${tag}${round.round}:` : tag;
  return {
    /** hash, see lua/saledraft.lua and lua/reserve.lua */
    state: `${own}state`,
    /** hash: sku → `price:perOrderMax:perUserMax`, and `sku:units`, `sku:booked`, `sku:sold`, `sku:returned` */
    stock: `${own}stock`,
    /** hash: userId → `ordinal:sku:quantity:status:payBy:mac:ref;` for each reservation */
    buyers: `${own}buyers`,
    /** list: the reservation log, LPUSHed, never popped while the sale lives */
    reservations: `${own}reservations`,
    /** string: how many entries of `reservations` the relay has handed to the queue */
    relayed: `${own}relayed`,
    /** string, expiring: which relay holds the lease */
    lease: `${own}lease`,
    /** never exists: a sale has one shard, so nothing is on its way to another when lua/freeze.lua looks */
    sending: `${own}sending`,
    /** list: reservations whose buyers wish to cancel, see lua/cancel.lua */
    cancels: `${own}cancels`,
    /** string, expiring: which worker carries out the wishes to cancel */
    cancelling: `${own}cancelling`,
    /** set, expiring: the numbers of orders that have timed out before the shop has confirmed them */
    undelivered: `${own}undelivered`,
    /** string, expiring: which worker audits the sale in the background */
    auditor: `${own}auditor`,
    /** hash, expiring: reservations that buyers were told and that Redis has lost, see toldReservations.ts */
    told: `${own}told`,
    /** hash of the campaign: userId → units that the user holds in all of its sales */
    bought: `${tag}bought`,
  };
}
export type SaleKeys = ReturnType<typeof saleKeys>;

/** The types of the keys in which a sale is. */
const SALE_KEY_TYPES = {
  state: 'hash',
  stock: 'hash',
  buyers: 'hash',
  reservations: 'list',
  relayed: 'string',
  cancels: 'list',
} as const satisfies Partial<Record<keyof SaleKeys, string>>;

/**
 * Keys of a sale that are of another type than ours: every command on them fails. Leases are left out: lua/lease.lua
 * takes such a one as free.
 */
export async function foreignKeys(
  redis: RedisClient,
  saleId: string,
): Promise<{ name: string; key: string; type: string; expected: string }[]> {
  const keys = saleKeys(saleId);
  const found = await Promise.all(
    Object.entries(SALE_KEY_TYPES).map(async ([name, expected]) => {
      const key = keys[name as keyof typeof SALE_KEY_TYPES];
      return { name, key, type: await redis.type(key), expected };
    }),
  );
  return found.filter(({ type, expected }) => type !== 'none' && type !== expected);
}

/** hash: saleId → `{"title":"…"}` of every sale that is not settled yet */
export const LIVE_SALES_KEY = 'sale:live';

/** hash, as above: settled sales whose keys have not expired yet */
export const SETTLED_SALES_KEY = 'sale:settled';
