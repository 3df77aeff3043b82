import type { RedisClient } from '../../../src/platform/redis/connect.ts';
import { redisNow } from '../../../src/store/rains.ts';

/** Ten tees and five mugs, open since a second. */
export async function saleRequest(redis: RedisClient, id: string, more: object = {}): Promise<Record<string, unknown>> {
  const now = await redisNow(redis);
  const items = [
    { sku: 'tee', name: 'A tee', units: 10, price: '19.90', listPrice: '29.90', picture: '/tee.png', perOrderMax: 2 },
    { sku: 'mug', units: 5, price: '9.90' },
  ];
  return {
    id,
    title: `Sale ${id}`,
    items,
    perUserMax: 3,
    holdMs: 60_000,
    opensAt: now - 1_000,
    closesAt: now + 600_000,
    ...more,
  };
}
