import { endedJobId, openEndedQueue, type EndedQueue } from '../../../src/orders/endedQueue.ts';
import { QUEUE_PREFIX } from '../../../src/store/keys.ts';
import { eventually } from '../../support/eventually.ts';
import type { SaleAct, SaleScene } from './scene.ts';

async function withEndedQueue<T>({ redis }: SaleScene, act: (queue: EndedQueue) => Promise<T>): Promise<T> {
  const queue = openEndedQueue({ connection: redis, prefix: QUEUE_PREFIX, onError: () => {}, visiting: true });
  try {
    return await act(queue);
  } finally {
    await queue.close();
  }
}

/** The first order, once the shop has taken it. */
async function taken({ first, shop, ledger }: SaleScene): Promise<{ id: string; userId: string }> {
  const { reservationId: id, userId } = await first();
  await eventually(async () => shop!.taken.has(id) && (await ledger.order(id))?.status === 'created');
  return { id, userId };
}

/** Cancels the first order as its buyer can, though somebody stands in the place of the job that tells the shop. */
async function cancelBehind(scene: SaleScene, harm: (key: string) => Promise<unknown>): Promise<void> {
  const { saleId, buyers } = scene;
  const { id, userId } = await taken(scene);
  const jobId = endedJobId(saleId, [{ id, userId, status: 'cancelled' }]);
  await harm(await withEndedQueue(scene, async (queue) => queue.toKey(jobId)));
  buyers.cancel(userId, id);
}

const isShopTold = async ({ first, shop }: SaleScene) => shop!.ended.has((await first()).reservationId);

/** Acts on what the shop is told of ends; it is compared with the ledger after each. */
export const SHOP_ACTS: readonly SaleAct[] = [
  {
    name: 'sale: a job that a paid order is refunded',
    async strike(scene) {
      const { saleId, ledger } = scene;
      const { id, userId } = await taken(scene);
      await ledger.stepOrder(id, 'paid');
      await withEndedQueue(scene, async (queue) => {
        await queue.add('ended', {
          saleId,
          ended: [id, `${saleId}-9999`].map((one) => ({ id: one, userId, status: 'refunded' as const })),
        });
        await eventually(async () => (await queue.getJobCountByTypes('waiting', 'active', 'delayed')) === 0);
      });
    },
    healed: async (scene) => !(await isShopTold(scene)),
  },
  {
    name: 'sale: the key of a job written before its order ends',
    strike: (scene) => cancelBehind(scene, (key) => scene.redis.hset(key, 'data', '{}')),
    healed: isShopTold,
  },
  {
    name: 'sale: a key of another type written in the place of a job before its order ends',
    strike: (scene) => cancelBehind(scene, (key) => scene.redis.set(key, 'x')),
    healed: isShopTold,
  },
];
