import { createGrabEngine } from '../../src/grab/engine.ts';
import { shardKeys } from '../../src/store/keys.ts';
import { loadScripts } from '../../src/store/scripts.ts';
import { connectDatabase } from '../../src/ledger/database.ts';
import { openLedger } from '../../src/ledger/ledger.ts';
import { createRain } from '../../src/operator/create.ts';
import type { OperatorContext } from '../../src/operator/context.ts';
import { loadRain } from '../../src/operator/load.ts';
import { createSigner } from '../../src/store/signer.ts';
import { connectRedis, untilReady } from '../../src/platform/redis/connect.ts';
import { keysOf } from '../baselines/surroundings.ts';
import { sellLast, stockSale } from './sales.ts';
import { stockUnpaidSale } from './waitingOrders.ts';

/** The secret of the bench's own servers. */
export const SIGNING_SECRET = 'a-signing-secret-for-the-bench-only-012';

/** Which design uses the rains, or sales; each design expects its packets or units under its own keys. */
export type Owner = 'rain' | 'list' | 'stock' | 'sale';

export async function openRainHouse(redisUrl: string, databaseUrl: string, owner: Owner) {
  const redis = connectRedis(redisUrl, { purpose: 'once', onError: () => {} });
  await untilReady(redis);
  await loadScripts(redis);
  const database = connectDatabase(databaseUrl);
  const context: OperatorContext = {
    redis,
    ledger: openLedger(database),
    signer: createSigner(SIGNING_SECRET),
    actor: 'bench',
  };
  async function stockRain(id: string, packets: number, shards = 1): Promise<void> {
    const now = Date.now();
    const plan = { budget: `${Math.floor(packets / 10)}.${packets % 10}0`, packets, split: { method: 'even' } };
    const created = await createRain(context, { id, plan, shards, opensAt: now, closesAt: now + 3_600_000 });
    const loaded = created.ok ? await loadRain(context, id) : created;
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.refusals));
  }
  return {
    context,
    stockRain,
    /**
     * Creates and loads rains that are open for an hour, every packet has 0.10; or sales of one item with so many
     * units.
     */
    async stock(rainIds: readonly string[], packets: number): Promise<void> {
      for (const id of rainIds) {
        await (owner === 'sale' ? stockSale(context, id, packets) : stockRain(id, packets));
        const theirs = keysOf(id);
        if (owner === 'list') await redis.rename(shardKeys(id, 0).packets, theirs.packets);
        if (owner === 'stock') await redis.set(theirs.stock, packets);
      }
    },
    /** Takes the last packet or unit for a user outside of the crowd, so that no user of the crowd has won. */
    async takeLast(rainId: string): Promise<void> {
      if (owner === 'sale') return sellLast(context, rainId);
      if (owner === 'rain') return void (await createGrabEngine(redis, () => {}).grab(rainId, 0, ['early-bird']));
      const { packets, stock } = keysOf(rainId);
      await redis.del(packets, stock);
    },
    credited: (): Promise<number> => database.transfer.count({ where: { kind: 'credit' } }),
    ordered: (): Promise<number> => database.saleOrder.count(),
    expired: (): Promise<number> => database.saleOrder.count({ where: { status: 'timed_out' } }),
    stockUnpaidSale: (saleId: string, orders: number, holdMs: number) =>
      stockUnpaidSale({ ...context, database }, saleId, orders, holdMs),
    async close(): Promise<void> {
      redis.disconnect();
      await database.$disconnect();
    },
  };
}
