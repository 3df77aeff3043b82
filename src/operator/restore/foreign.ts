import { readEpoch } from '../../store/epoch.ts';
import { refuse, type OperatorContext, type Refused } from '../context.ts';

/**
 * The refusal while this Redis belongs to another database: what this one does not know is no loss then. `undefined`:
 * they belong together.
 */
export async function refuseForeign({
  redis,
  ledger,
}: Pick<OperatorContext, 'redis' | 'ledger'>): Promise<Refused | undefined> {
  const [{ storeId: usedWith }, { storeId }] = [await readEpoch(redis), await ledger.epoch()];
  if (usedWith === undefined || usedWith === storeId) return undefined;
  return refuse(
    'stores',
    `this Redis was used with another database (${usedWith}) than this one (${storeId}), so nothing was changed; check REDIS_URL and DATABASE_URL; ` +
      'if that database is lost for good and this one replaces it, give up each rain that only Redis knows with rain write-off RAIN --reason "…" --new-database, each sale with rain sale write-off SALE --reason "…" --new-database, and a worker makes the two belong together',
  );
}
