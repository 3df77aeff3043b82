import { shardKeys } from '../../store/keys.ts';
import type { OperatorContext } from '../context.ts';
import type { BookedPlan } from './bookedPlan.ts';
import type { TamperingList } from './tampering.ts';

const FIELDS = ['state', 'shards', 'elsewhere', 'total', 'moves', 'movedIn'] as const;
type Fields = Record<(typeof FIELDS)[number], string | null>;

const isCount = (text: string | null) => text === null || /^\d{1,15}$/.test(text);

/**
 * Compares what the shards of a rain know of each other with the plan [R13]. To be called when the plan was read after
 * the shards' packets.
 * @param hasPackets whether any shard has a packet, or one is on its way
 * @returns how many packets the shards are to be told again that the rain has; 0: they know. A shard that does not
 *   know that others may have packets is no tampering: a failover leaves that for a moment, and it is put right at once
 */
export async function compareShards(
  { redis }: Pick<OperatorContext, 'redis'>,
  plan: BookedPlan,
  hasPackets: boolean,
  tampering: TamperingList,
): Promise<number> {
  const { id, shards } = plan.rain();
  if (shards === 1) return 0;
  const states = await Promise.all(
    Array.from({ length: shards }, async (_, shard) => {
      const values = await redis.hmget(shardKeys(id, shard).state, ...FIELDS);
      return Object.fromEntries(FIELDS.map((field, i) => [field, values[i] ?? null])) as Fields;
    }),
  );
  // A rain from before packets moved has none of these.
  if (states.every((fields) => FIELDS.every((field) => field === 'state' || fields[field] === null))) return 0;
  const mostPackets = plan.totals().at(-1)!;
  let isToBeTold = false;
  for (const [shard, fields] of states.entries()) {
    if (fields.state === null || fields.state === 'closed' || fields.state === 'settled') continue;
    const wrong = FIELDS.filter((field) => field !== 'state' && isWrong(field, fields[field], shards, mostPackets));
    for (const field of wrong)
      tampering.note(
        'shards',
        `${shard}.${field}=${fields[field]}`,
        `shard ${shard} has ${fields[field] ?? 'nothing'} as "${field}"; the rain has ${shards} shards and ${mostPackets} packets`,
      );
    isToBeTold ||= wrong.length > 0 || (hasPackets && fields.elsewhere === null);
  }
  return isToBeTold ? mostPackets : 0;
}

function isWrong(field: (typeof FIELDS)[number], text: string | null, shards: number, mostPackets: number): boolean {
  if (field === 'shards') return text !== String(shards);
  if (field === 'elsewhere') return text !== null && text !== String(shards);
  return !isCount(text) || (field === 'total' && !(text !== null && Number(text) <= mostPackets));
}
