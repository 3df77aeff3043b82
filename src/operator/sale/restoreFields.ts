import type { StoredState } from '../../rain/rain.ts';
import { saleKeys } from '../../store/saleKeys.ts';
import { announceSale, recount } from '../../store/saleTransitions.ts';
import type { OperatorContext } from '../context.ts';
import type { WrongField } from './audit/wrongField.ts';

/**
 * Puts fields of Redis right that somebody has changed. Safe to repeat.
 * @returns the fields that were put right; the others have changed since
 */
export async function restoreFields(
  { redis }: Pick<OperatorContext, 'redis'>,
  saleId: string,
  wrong: readonly WrongField[],
): Promise<WrongField[]> {
  const restored: WrongField[] = [];
  for (const one of wrong) if (await recount(redis, saleId, one)) restored.push(one);
  if (restored.length > 0) await announceSale(redis, saleId);
  return restored;
}

/**
 * Gives a sale the state that it should have, whatever it has.
 * @returns false: Redis does not have the sale, or its state is just changing
 */
export async function restoreState(
  context: Pick<OperatorContext, 'redis'>,
  saleId: string,
  right: StoredState,
): Promise<boolean> {
  const found = await context.redis.hget(saleKeys(saleId).state, 'state');
  if (found === null) return false;
  return (
    found === right ||
    (await restoreFields(context, saleId, [{ hash: 'state', field: 'state', found, right }])).length > 0
  );
}
