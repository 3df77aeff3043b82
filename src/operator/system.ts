import { readEpoch } from '../store/epoch.ts';
import { heldRains, type HoldReason, type SaleHoldReason } from '../store/holds.ts';
import { inTime } from '../platform/concurrency/deadline.ts';
import { VERSION } from '../platform/process/version.ts';
import type { QueueContext } from './context.ts';
import { findLostRains } from './lostRains.ts';
import { readLane, type AllQueues, type Lane } from './queues/lane.ts';
import { SIDE, suspectNow, type Behind } from './restore/behind.ts';
import { heldSales } from './restore/saleHolds.ts';

export type SystemContext = QueueContext & { queues: AllQueues };

export interface SystemView {
  version: string;
  redis: { up: boolean; version?: string; usedMemoryBytes?: number };
  database: { up: boolean };
  /** Jobs by lane, and dead letters; null while Redis does not answer. */
  queues: {
    credit: Lane;
    later: Lane;
    dead: number;
    orders: Lane;
    ordersLater: Lane;
    ordersEnded: Lane;
    ordersDead: number;
  } | null;
  /** Null when Redis does not list its clients. */
  workers: number | null;
  /** Rains in which nothing is granted, because the stores do not agree; null while Redis does not answer. */
  held: { rainId: string; reason: HoldReason }[] | null;
  /** Sales in which nothing is sold for the same reason; null while Redis does not answer. */
  heldSales: { saleId: string; reason: SaleHoldReason }[] | null;
  /** Whether Redis and the ledger are of the same time; null while one of them does not answer. */
  stores: StoresView | null;
}

interface StoresView {
  /** Stores that are an older state than the other one; `foreign`: they were not used together. */
  behind: Behind[];
  /** False: Redis was restarted, or is empty, and no worker has compared it with the ledger since. */
  compared: boolean;
  /** Rains that were loaded and that Redis has lost, in whole or in part. */
  lost: string[];
}

/** Timeout of each read, ms: it fails before the caller gives up. */
export const READ_TIMEOUT_MS = 3_000;

/**
 * The state of the servers and queues. A server that does not answer is reported as down; the others are still
 * reported.
 */
export async function readSystem(context: SystemContext): Promise<SystemView> {
  const [redis, database, queues, workers, held, sales, stores] = await Promise.all([
    readRedis(context),
    inTime(context.ledger.countRains(), READ_TIMEOUT_MS),
    readQueues(context),
    inTime(context.queues.credit.getWorkersCount(), READ_TIMEOUT_MS),
    inTime(heldRains(context.redis), READ_TIMEOUT_MS),
    inTime(heldSales(context.redis), READ_TIMEOUT_MS),
    inTime(readStores(context), READ_TIMEOUT_MS),
  ]);
  return {
    version: VERSION,
    redis,
    database: { up: database !== undefined },
    queues: queues ?? null,
    workers: workers ?? null,
    held: held ? [...held].map(([rainId, reason]) => ({ rainId, reason })) : null,
    heldSales: sales ? [...sales].map(([saleId, reason]) => ({ saleId, reason })) : null,
    stores: stores ?? null,
  };
}

async function readStores(context: SystemContext): Promise<StoresView> {
  // Redis first: a step of a worker in between then makes the ledger newer, as it always is.
  const [copied, own] = [await readEpoch(context.redis), await context.ledger.epoch()];
  const suspected = suspectNow(copied, own);
  const held = [...(await heldRains(context.redis)).values(), ...(await heldSales(context.redis)).values()];
  const behind = new Set(held.map((reason) => SIDE[reason]));
  if (suspected !== undefined && suspected !== 'compare') behind.add(suspected);
  // Twice: a rain may be on its way from one store to the other during the first look.
  const lost = await findLostRains(context);
  const again = new Set(lost.length > 0 ? await findLostRains(context) : []);
  return {
    behind: [...behind].sort(),
    compared: suspected !== 'compare' && (copied.counter !== undefined || own.counter === 0),
    lost: lost.filter((rainId) => again.has(rainId)),
  };
}

async function readRedis({ redis }: Pick<SystemContext, 'redis'>): Promise<SystemView['redis']> {
  if ((await inTime(redis.ping(), READ_TIMEOUT_MS)) === undefined) return { up: false };
  // Redis may answer PING and still forbid INFO.
  const info = (await inTime(redis.info(), READ_TIMEOUT_MS)) ?? '';
  const of = (name: string): string | undefined => new RegExp(`^${name}:(.+?)\\r?$`, 'm').exec(info)?.[1];
  const [server, memory] = [of('redis_version'), of('used_memory')];
  return {
    up: true,
    ...(server !== undefined && { version: server }),
    ...(memory !== undefined && { usedMemoryBytes: Number(memory) }),
  };
}

async function readQueues({
  queues: { credit, later, dead, orders, ordersLater, ordersEnded, ordersDead },
}: Pick<SystemContext, 'queues'>) {
  const [lanes, letters] = [
    Promise.all([credit, later, orders, ordersLater, ordersEnded].map(readLane)),
    Promise.all([dead, ordersDead].map((queue) => queue.getJobCountByTypes('waiting'))),
  ];
  const read = await inTime(Promise.all([lanes, letters]), READ_TIMEOUT_MS);
  if (!read) return undefined;
  const [[first, second, third, fourth, fifth], [claims, reservations]] = read as [
    [Lane, Lane, Lane, Lane, Lane],
    [number, number],
  ];
  return {
    credit: first,
    later: second,
    dead: claims,
    orders: third,
    ordersLater: fourth,
    ordersEnded: fifth,
    ordersDead: reservations,
  };
}
