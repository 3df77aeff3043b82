import { findRain } from '../../store/rains.ts';
import { applyRestore } from './apply.ts';
import { applySaleRestore } from './applySale.ts';
import { compareSale } from './compareSale.ts';
import type { RestoreContext } from './context.ts';

/** Restores the rain or the sale with this id. */
export async function applyAny(
  context: RestoreContext,
  id: string,
  options: { reason?: string | undefined; dryRun?: boolean | undefined } = {},
): ReturnType<typeof applyRestore> {
  const isRain = (await context.ledger.rain(id)) ?? (await findRain(context.redis, id));
  const isSale = !isRain && (await compareSale(context, id)) !== undefined;
  return isSale ? applySaleRestore(context, id, options) : applyRestore(context, id, options);
}
