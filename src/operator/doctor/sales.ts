import { openOrderQueues } from '../../orders/queue.ts';
import { iso } from '../../rain/figures.ts';
import { readWishes } from '../../store/cancels.ts';
import { QUEUE_PREFIX } from '../../store/keys.ts';
import { redisNow } from '../../store/rains.ts';
import { liveSales, readSale } from '../../store/sales.ts';
import type { OperatorContext } from '../context.ts';
import { findLostSales } from '../sale/lost.ts';
import { pauseReason } from '../sale/stopped.ts';
import { both, findOnDatabase, findOnRedis, named, type Finding } from './finding.ts';

/** Sales that are looked at [R10]. */
const SALES_MAX = 1_000;
/** How long anything of a sale may wait before that is a warning, ms: the workers take seconds. */
const WAITS_MS_MAX = 60_000;
/** How long after its last deadline a sale may stay unsettled, ms. */
const SETTLES_MS_MAX = 300_000;

/**
 * Whether a sale is stopped or lost, and whether something of one waits that should not; nothing where there are no
 * sales.
 */
export async function examineSales(context: OperatorContext): Promise<Finding[]> {
  const { redis, ledger } = context;
  const live = [...(await liveSales(redis)).keys()].slice(0, SALES_MAX);
  if (live.length === 0 && (await ledger.sales(1, 'unsettled')).length === 0) return [];
  const wished = await oldestWishes(redis, live);
  const now = await redisNow(redis);
  // Twice: a sale may be on its way from one store to the other during the first look.
  const missing = both(await findLostSales(context), await findLostSales(context));
  const [stopped, queue, late] = [
    await findStopped(context, live),
    await readQueue(context),
    await findLate(context, now),
  ];
  const unfollowedSeconds = Math.round(await ledger.oldestUnfollowedSeconds());
  // A wish that nobody has carried out since the first look.
  const wishes = both(wished, await oldestWishes(redis, live));
  const queueMs = queue.oldestAt === undefined ? 0 : now - queue.oldestAt;
  const at = (isWrong: boolean) => (isWrong ? ('wrong' as const) : ('ok' as const));
  const perhaps = (isLate: boolean) => (isLate ? ('warning' as const) : ('ok' as const));
  return [
    findOnRedis(
      'sales',
      at(missing.length > 0),
      missing.length === 0 ? 'all there' : `missing: ${named(missing)}`,
      'every sale that was put on sale and is not settled',
      'see what is known with: rain sale audit ID; a worker puts one back that is only missing in the index, one that is lost is given up with: rain sale write-off ID',
    ),
    findOnDatabase(
      'sales',
      at(stopped.unknown.length > 0),
      stopped.unknown.length === 0 ? 'all known' : `unknown: ${named(stopped.unknown)}`,
      'every sale that Redis has',
      'check DATABASE_URL; if it is right, bring back a later state of PostgreSQL',
    ),
    findOnRedis(
      'held sales',
      at(stopped.held.length > 0),
      named(stopped.held) || 'none',
      'none',
      'see why with: rain sale audit ID, and end it with: rain sale audit ID --repair',
    ),
    findOnRedis(
      'tampered sales',
      at(stopped.tampered.length > 0),
      stopped.tampered.length === 0 ? 'none' : `paused by the background audit: ${named(stopped.tampered)}`,
      'none',
      'see why with: rain sale show ID, and go on with: rain sale resume ID',
    ),
    findOnDatabase(
      'overdue sales',
      perhaps(late.length > 0),
      named(late) || 'none',
      `settled ${SETTLES_MS_MAX / 60_000} min after the last payment can come`,
      'start a worker; see what is in the way with: rain sale audit ID, and give up what cannot be put right with: rain sale write-off ID',
    ),
    findOnRedis(
      'orders waiting',
      perhaps(queueMs > WAITS_MS_MAX),
      `${stopped.uncarried} reservations and ${queue.jobs} jobs${queue.oldestAt === undefined ? '' : `, the oldest since ${iso(queue.oldestAt)}`}`,
      `none for more than ${WAITS_MS_MAX / 1_000} s`,
      'start a worker, and see its log and: rain system',
    ),
    findOnDatabase(
      'unfollowed orders',
      perhaps(unfollowedSeconds * 1_000 > WAITS_MS_MAX),
      unfollowedSeconds === 0 ? 'none' : `the oldest for ${unfollowedSeconds} s`,
      `none for more than ${WAITS_MS_MAX / 1_000} s`,
      'start a worker: until then units that came back are not sold again, and buyers are not told',
    ),
    findOnRedis(
      'wishes to cancel',
      perhaps(wishes.length > 0),
      wishes.length === 0 ? 'none waits' : `waiting in ${wishes.length} sales`,
      'none waits',
      'start a worker; a wish also waits for an order that is not written yet',
    ),
  ];
}

interface Stopped {
  unknown: string[];
  held: string[];
  tampered: string[];
  /** Reservations that the queue has not accepted. */
  uncarried: number;
}

async function findStopped(context: OperatorContext, live: readonly string[]): Promise<Stopped> {
  const found: Stopped = { unknown: [], held: [], tampered: [], uncarried: 0 };
  for (const id of live) {
    const stored = await readSale(context.redis, id);
    if (!(await context.ledger.sale(id))) found.unknown.push(id);
    if (stored?.held !== undefined) found.held.push(id);
    if (stored?.state === 'paused' && (await pauseReason(context, id)) !== undefined) found.tampered.push(id);
    found.uncarried += Math.max(0, (stored?.logged ?? 0) - (stored?.relayed ?? 0));
  }
  return found;
}

/** Sales whose last payment could have come long ago. */
async function findLate({ ledger }: OperatorContext, now: number): Promise<string[]> {
  const over = await ledger.overdueSales(now, SALES_MAX);
  return over
    .filter(({ closesAt, sealedAt = closesAt, holdMs }) => Math.min(closesAt, sealedAt) + holdMs + SETTLES_MS_MAX < now)
    .map(({ id }) => id);
}

async function readQueue({ redis }: OperatorContext): Promise<{ jobs: number; oldestAt: number | undefined }> {
  const queues = openOrderQueues({ connection: redis, prefix: QUEUE_PREFIX, onError: () => {}, visiting: true });
  try {
    const jobs = await Promise.all(
      [queues.orders, queues.later].map((queue) => queue.getJobCountByTypes('waiting', 'active', 'delayed')),
    );
    // Delayed jobs have failed before, and wait for their moment.
    const [oldest] = await queues.orders.getJobs(['waiting'], 0, 0, true);
    return { jobs: jobs[0]! + jobs[1]!, oldestAt: oldest?.timestamp };
  } finally {
    await Promise.all(Object.values(queues).map((queue) => queue.close()));
  }
}

/** The sale and the text of the oldest wish in each. */
async function oldestWishes(redis: OperatorContext['redis'], live: readonly string[]): Promise<string[]> {
  const wishes: string[] = [];
  for (const id of live) for (const wish of await readWishes(redis, id, 1)) wishes.push(`${id} ${wish}`);
  return wishes;
}
