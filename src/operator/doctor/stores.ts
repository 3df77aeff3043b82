import type { LedgerEpoch } from '../../ledger/epoch.ts';
import { readEpoch, type RedisEpoch } from '../../store/epoch.ts';
import { heldRains, type HoldReason } from '../../store/holds.ts';
import type { OperatorContext } from '../context.ts';
import { suspectNow } from '../restore/behind.ts';
import { findOnDatabase, findOnRedis, type Finding } from './finding.ts';

const HELD_NAMED_MAX = 10;
const EXPECTED = 'of the same time as the other store';
const TO_DO = 'see what differs, and what to do, with: rain restore check';

/**
 * Whether the two stores belong together, and whether one of them is an older state.
 * @throws when one of them cannot be reached
 */
export async function examineStores({ redis, ledger }: Pick<OperatorContext, 'redis' | 'ledger'>): Promise<Finding[]> {
  // Redis first: a step of a worker in between then makes the ledger newer, as it always is.
  const [copied, own] = [await readEpoch(redis), await ledger.epoch()];
  return [checkEpochs(copied, own), checkHeld(await heldRains(redis))];
}

export function checkEpochs(redis: RedisEpoch, ledger: LedgerEpoch): Finding {
  const behind = suspectNow(redis, ledger);
  const counters = `step ${ledger.counter} in the database, ${redis.counter ?? 'none'} in Redis`;
  switch (behind) {
    case undefined:
      return findOnRedis('epoch', 'ok', counters, EXPECTED, '');
    case 'compare':
      return findOnRedis(
        'epoch',
        'warning',
        'restarted since a worker has compared it with the database',
        EXPECTED,
        'start a worker: until then gateways that start answer "busy"',
      );
    case 'ledger':
      return findOnDatabase('epoch', 'wrong', `an older state than Redis: ${counters}`, EXPECTED, TO_DO);
    case 'redis':
      return findOnRedis('epoch', 'wrong', `an older state than the database: ${counters}`, EXPECTED, TO_DO);
    case 'foreign':
      return findOnRedis(
        'epoch',
        'wrong',
        'was used with another database',
        EXPECTED,
        'check REDIS_URL and DATABASE_URL',
      );
    default:
      return behind satisfies never;
  }
}

function checkHeld(held: ReadonlyMap<string, HoldReason>): Finding {
  const names = [...held]
    .slice(0, HELD_NAMED_MAX)
    .map(([rainId, reason]) => `${rainId} (${reason})`)
    .join(', ');
  return findOnRedis(
    'held rains',
    held.size > 0 ? 'wrong' : 'ok',
    held.size > 0 ? `${held.size}: ${names}${held.size > HELD_NAMED_MAX ? ', …' : ''}` : 'none',
    'none',
    TO_DO,
  );
}
