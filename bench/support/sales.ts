import { BATCH_USERS_MAX } from '../../src/grab/engine.ts';
import { createReserveEngine } from '../../src/grab/reserve.ts';
import type { OperatorContext } from '../../src/operator/context.ts';
import { createSale } from '../../src/operator/sale/create.ts';
import { openSale } from '../../src/operator/sale/open.ts';
import { follow } from '../../src/store/sales.ts';
import { SKU } from '../load/constants.ts';

export const PRICE = '19.90';
const HOUR_MS = 3_600_000;
/** How long a buyer has to pay. */
export const HOLD_MS = HOUR_MS;

/** Creates a sale that is open for an hour; each buyer may have one unit. */
export async function stockSale(context: OperatorContext, id: string, units: number, holdMs = HOLD_MS): Promise<void> {
  const now = Date.now();
  const created = await createSale(context, {
    id,
    items: [{ sku: SKU, units, price: PRICE }],
    holdMs,
    opensAt: now,
    closesAt: now + HOUR_MS,
  });
  const opened = created.ok ? await openSale(context, id) : created;
  if (!opened.ok) throw new Error(JSON.stringify(opened.refusals));
}

/**
 * One unit each for `user-0`, `user-1` …; the number of a reservation is that of its user and one.
 * @returns the duration, ms
 */
export async function reserveAll(
  { redis, signer }: Pick<OperatorContext, 'redis' | 'signer'>,
  saleId: string,
  users: number,
): Promise<number> {
  const engine = createReserveEngine(redis, signer, (error) => {
    throw error;
  });
  const began = performance.now();
  for (let from = 0; from < users; from += BATCH_USERS_MAX) {
    const answers = await engine.reserve(
      saleId,
      Array.from({ length: Math.min(BATCH_USERS_MAX, users - from) }, (_, i) => ({
        userId: `user-${from + i}`,
        sku: SKU,
        quantity: 1,
      })),
    );
    const refused = answers.find(({ code }) => code !== '0');
    if (refused) throw new Error(`not everybody has a reservation in ${saleId}: ${refused.code}`);
  }
  return performance.now() - began;
}

/** Sells the only unit to somebody else. */
export async function sellLast(
  { redis, signer }: Pick<OperatorContext, 'redis' | 'signer'>,
  saleId: string,
): Promise<void> {
  const [answer] = await createReserveEngine(redis, signer, () => {}).reserve(saleId, [
    { userId: 'early-bird', sku: SKU, quantity: 1 },
  ]);
  if (answer!.code !== '0') throw new Error(`the unit of ${saleId} was not reserved: ${answer!.code}`);
  await follow(redis, saleId, [{ userId: 'early-bird', ordinal: 1, status: 'paid', toStock: false }]);
}
