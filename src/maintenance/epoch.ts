import { randomUUID } from 'node:crypto';
import { BEHIND, behindText, SIDE, suspect, suspectNow, type Behind } from '../operator/restore/behind.ts';
import { createComparison, type Done } from '../operator/restore/comparison.ts';
import { createSaleHolds, heldSales, type SaleDone } from '../operator/restore/saleHolds.ts';
import type { OperatorContext } from '../operator/context.ts';
import { readEpoch, writeEpoch, type RedisEpoch } from '../store/epoch.ts';
import { heldRains, reholdForeign, type HoldReason, type SaleHoldReason } from '../store/holds.ts';
import { epochLeaseKey } from '../store/keys.ts';
import { run } from '../store/scripts.ts';
import { startLoop } from '../platform/concurrency/loop.ts';
import { reportingFault, type Logger } from '../platform/telemetry/log.ts';

interface EpochOptions {
  context: OperatorContext;
  log: Logger;
  /** Unique among all workers. */
  owner?: string;
  /** Between two comparisons, ms: how long a rain or sale that the ledger has lost is granted from. */
  everyMs?: number;
  /** How long this process compares nothing while another one holds the lease. */
  leasedMs?: number;
  /** How long a store counts as behind after that was noticed, ms. */
  momentMs?: number;
}

export type Epoch = ReturnType<typeof startEpoch>;

/** How long a comparison may take of one round, so that new differences are still noticed within seconds. */
const BUDGET_MS = 1_000;
/** How often the loop looks whether a round is due: Redis may have been replaced. */
const TICK_MS = 100;
/** The lease only saves work: several workers may compare at once. */
const LEASE_MS = 6_000;
/** Anybody who can write to Redis can hold the lease for ever, and no honest worker would compare. */
const LEASED_MS = 60_000;
const HELD_LOGGED_MAX = 5;

const WAY_OUT = 'see what differs with: rain restore check';
const SALE_SENTENCES: Record<SaleHoldReason, string> = {
  unknown_to_ledger: 'Redis has it and the database does not know it',
  ledger_behind:
    'Redis has later statuses of its orders than the database, and no order of it times out until the shop has reported them again',
};
const NOTICED: Record<Behind, string> = {
  ledger: `the database is an older state than Redis: it was restored from a backup, or a standby without the last transactions has taken over; rains and sales that it does not know are held; ${WAY_OUT}`,
  redis: `Redis is an older state than the database: it was restored from a backup; what the database has credited is put back before anybody can grab; ${WAY_OUT}`,
  foreign: `this Redis was used with another database; rains and sales that this one does not know are held; check REDIS_URL and DATABASE_URL, then ${WAY_OUT}`,
};

/**
 * Notices that one of the two stores is an older state than the other: both hold a counter, which grows every few
 * seconds, first in the ledger and then in Redis. Then all rains are compared; rains in which the stores differ are
 * held until they agree. A rain or sale that the ledger does not know is noticed without that. A store that cannot be
 * reached is left to others to report.
 */
export function startEpoch({
  context,
  log,
  owner = randomUUID(),
  everyMs = 2_000,
  leasedMs = LEASED_MS,
  momentMs = 60_000,
}: EpochOptions) {
  const { redis, ledger } = context;
  const failing = new Set<string>();
  const failed = new Set<string>();
  const behindUntil = new Map<Behind, number>();
  let held: ReadonlyMap<string, HoldReason> = new Map();
  /** The comparison of all credits that is under way, and the run of Redis in which it began. */
  let full: { runId: string | undefined } | undefined;
  /**
   * The run of Redis, used with another database, that this process has compared. Redis goes on to name the other one,
   * see `round`.
   */
  let foreignRun: string | undefined;
  /** Whether `held` is known to be all: the stores were compared since one of them may have become older. */
  let isSure = false;
  let leaseKey: string | undefined;
  /** When this process last compared although another one holds the lease, or first met it, `performance.now()`. */
  let leasedSince: number | undefined;
  let nextAt = 0;
  const comparison = createComparison(context, report);
  const sales = createSaleHolds(context, reportSale);

  function reportSale(done: SaleDone): void {
    const { saleId } = done;
    if (done.done !== 'failed') failed.delete(saleId);
    switch (done.done) {
      case 'held':
        return log.error(
          { saleId, reason: done.reason },
          `nothing is sold in this sale: ${SALE_SENTENCES[done.reason]}; ${WAY_OUT} ${saleId}`,
        );
      case 'released':
        return log.warn(
          { saleId, reason: done.reason },
          'Redis and the database agree about this sale again: it is no longer held',
        );
      case 'put_back':
        behindUntil.set('redis', performance.now() + momentMs);
        return log.warn(
          { saleId, putBack: done.putBack, taken: done.taken },
          'Redis had lost orders that the database has; they were put back, and their units are not sold again, except those whose numbers or units others have',
        );
      case 'failed':
        if (!failed.has(saleId))
          log.error({ saleId, err: done.error }, 'this sale cannot be compared with the database, and is held');
        return void failed.add(saleId);
      default:
        return done satisfies never;
    }
  }

  function report(done: Done): void {
    if (done.done === 'not_excluded')
      return log.error(
        { campaignId: done.campaignId, err: done.error },
        'Redis cannot be told who is excluded from the sales of this campaign; the database refuses their orders',
      );
    const { rainId } = done;
    if (done.done !== 'failed') failed.delete(rainId);
    switch (done.done) {
      case 'held':
        return log.error(
          { rainId, reason: done.reason },
          `nothing is granted in this rain: ${sentenceOf(done.reason)}; ${WAY_OUT} ${rainId}`,
        );
      case 'released':
        return log.warn(
          { rainId, reason: done.reason },
          'Redis and the database agree about this rain again: it is no longer held',
        );
      case 'closed':
        return log.warn({ rainId }, 'Redis showed a rain as open that the database has sealed; it is closed again');
      case 'relisted':
        return log.warn({ rainId }, 'Redis has settled a rain that the database has not; it is settled again');
      case 'put_back':
        behindUntil.set('redis', performance.now() + momentMs);
        return log.warn(
          { rainId, putBack: done.putBack, contested: done.contested },
          'Redis had lost claims that the database has credited; they were put back, and their packets are not handed out again',
        );
      case 'failed':
        if (!failed.has(rainId))
          log.error({ rainId, err: done.error }, 'this rain cannot be compared with the database, and is held');
        return void failed.add(rainId);
      default:
        return done satisfies never;
    }
  }

  /** Whether this worker compares: it has the lease, or another one has kept it for too long. */
  async function isMyTurn({ runId }: RedisEpoch): Promise<boolean> {
    leaseKey = epochLeaseKey(runId);
    const isOurs = (await run(redis, 'lease', [leaseKey], [owner, LEASE_MS])) === 1;
    const since = isOurs ? undefined : (leasedSince ?? performance.now());
    const isOverdue = since !== undefined && performance.now() - since >= leasedMs;
    leasedSince = isOverdue && full === undefined ? undefined : since;
    return isOurs || isOverdue;
  }

  async function round(): Promise<void> {
    const before = await readEpoch(redis);
    if (!(await isMyTurn(before))) {
      comparison.reset();
      sales.reset();
      full = undefined;
      await seeHolds(suspectNow(before, await ledger.epoch()) === undefined);
      return;
    }
    const epoch = await ledger.nextEpoch();
    const suspicion = suspect(before, epoch);
    const behind = suspicion === 'compare' ? undefined : suspicion;
    if (behind) notice(behind, before, epoch);
    // Otherwise not before the comparison is complete: who takes over must notice it, too.
    else await writeEpoch(redis, epoch, undefined);
    // A comparison that began in an earlier run of Redis says nothing about this one.
    if (full && full.runId !== before.runId) {
      comparison.reset();
      full = undefined;
    }
    const isKnown = suspicion === 'foreign' && before.runId !== undefined && foreignRun === before.runId;
    const begins = suspicion !== undefined && full === undefined && !isKnown;
    await takeForeignHolds();
    if (begins) isSure = false;
    await sales.look(begins);
    await comparison.look(begins);
    if (begins) full = { runId: before.runId };
    const complete = await comparison.proceed(BUDGET_MS);
    held = new Map([...comparison.held(), ...sales.held()]);
    if (!complete) return void (nextAt = 0);
    isSure = true;
    // While rains or sales are held that this database does not know, Redis goes on to name the other one: this may be
    // the wrong database.
    if (behind === 'foreign' && [...held.values()].includes('unknown_to_ledger')) {
      foreignRun = before.runId;
      await writeEpoch(redis, { storeId: before.storeId!, counter: before.counter ?? 0 }, full?.runId);
      // Differing rains are held now, so the counters need not differ any more.
    } else if (behind) await writeEpoch(redis, await ledger.nextEpoch(before.counter), full?.runId);
    else if (full) await writeEpoch(redis, epoch, full.runId);
    full = undefined;
  }

  async function takeForeignHolds(): Promise<void> {
    for (const rainId of await reholdForeign(redis))
      log.error(
        { rainId },
        'somebody else has stopped this rain in Redis, with "held" in its state; it is compared, and goes on when Redis and the database agree; find out who can write to Redis',
      );
  }

  /** @param compared whether another worker has compared the stores: Redis has the rains and sales that it holds */
  async function seeHolds(compared: boolean): Promise<void> {
    held = new Map([...(await heldRains(redis)), ...(await heldSales(redis))]);
    isSure = compared;
  }

  function notice(behind: Behind, before: RedisEpoch, epoch: { counter: number }): void {
    if (!isBehind(behind)) log.error({ behind, redis: before.counter, database: epoch.counter }, NOTICED[behind]);
    behindUntil.set(behind, performance.now() + momentMs);
  }

  const isBehind = (behind: Behind): boolean =>
    performance.now() < (behindUntil.get(behind) ?? 0) || [...held.values()].some((reason) => SIDE[reason] === behind);

  const onReady = () => {
    nextAt = 0;
  };
  redis.on('ready', onReady);
  const rounds = startLoop(async () => {
    if (performance.now() < nextAt || redis.status !== 'ready') return TICK_MS;
    nextAt = performance.now() + everyMs;
    await reportingFault(failing, 'stores', round, {
      began: (error) => log.warn({ error: String(error) }, 'Redis and the database cannot be compared, will try again'),
      over: () => log.info('Redis and the database can be compared again'),
    });
    return Math.min(TICK_MS, everyMs);
  });

  return {
    held: () => held,
    /** The same, as soon as it is known to be all. */
    heldForSure: () => (isSure ? held : undefined),
    isBehind,
    /** For `/readyz`. @throws while a store is behind, with what to do */
    async ask(): Promise<void> {
      const behind = BEHIND.find(isBehind);
      if (behind) throw new Error(`${behindText(behind, held.values())}; ${namesOf(held)}${WAY_OUT}`);
    },
    async close(): Promise<void> {
      redis.off('ready', onReady);
      await rounds.close();
      // So that another worker need not wait for it to expire.
      if (leaseKey !== undefined) await run(redis, 'lease', [leaseKey], [owner, 0]).catch(() => {});
    },
  };
}

function sentenceOf(reason: HoldReason): string {
  switch (reason) {
    case 'unknown_to_ledger':
      return 'Redis has it and the database does not know it';
    case 'ledger_behind':
      return 'the database is an older state, without packets that Redis has';
    case 'redis_behind':
      return 'Redis is an older state, without claims that the database has credited';
    default:
      return reason satisfies never;
  }
}

function namesOf(held: ReadonlyMap<string, HoldReason>): string {
  if (held.size === 0) return '';
  const names = [...held.keys()].slice(0, HELD_LOGGED_MAX).join(', ');
  return `${held.size} held: ${names}${held.size > HELD_LOGGED_MAX ? ', …' : ''}; `;
}
