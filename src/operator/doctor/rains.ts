import { hasOlderLabels } from '../../store/olderLabels.ts';
import { liveRains, settledRains } from '../../store/rains.ts';
import type { OperatorContext } from '../context.ts';
import { findLostRains } from '../lostRains.ts';
import { isWrittenOff } from '../writeOff/unknownRain.ts';
import { both, findOnDatabase, findOnRedis, named, type Finding } from './finding.ts';

/** Whether Redis and the ledger know the same rains. `rain restore check` compares what is in them. */
export async function examineRains(context: OperatorContext): Promise<Finding[]> {
  // Twice: a rain may be on its way from one store to the other during the first look.
  const lost = both(await findLostRains(context), await findLostRains(context));
  const older: string[] = [];
  for (const id of lost)
    if (await hasOlderLabels(context.redis, id, (await context.ledger.rain(id))?.shards ?? 1)) older.push(id);
  const missing = lost.filter((id) => !older.includes(id));
  const unknown = both(await unbooked(context), await unbooked(context));
  return [
    findOnRedis(
      'rains',
      missing.length === 0 ? 'ok' : 'wrong',
      missing.length === 0 ? 'all there' : `missing: ${named(missing)}`,
      'every rain that the ledger has loaded and not settled',
      'see what is known with: rain restore check, and bring it back with: rain restore apply',
    ),
    ...(older.length > 0
      ? [
          findOnRedis(
            'rains of an older version',
            'wrong',
            named(older),
            'none of several shards when you update',
            'start gateways and workers of that version until they are settled: this one grants nothing in them',
          ),
        ]
      : []),
    findOnDatabase(
      'rains',
      unknown.length === 0 ? 'ok' : 'wrong',
      unknown.length === 0 ? 'all known' : `unknown: ${named(unknown)}`,
      'every rain that Redis has',
      'check DATABASE_URL; if it is right, bring back a later state of PostgreSQL, or give the rain up, see: rain restore check',
    ),
  ];
}

async function unbooked(context: OperatorContext): Promise<string[]> {
  const ids: string[] = [];
  const inRedis = [...(await liveRains(context.redis)), ...(await settledRains(context.redis))];
  for (const [rainId, live] of inRedis)
    if (!(await context.ledger.rain(rainId)) && !(await isWrittenOff(context, rainId, live))) ids.push(rainId);
  return ids;
}
