import { setTimeout as sleep } from 'node:timers/promises';
import { startLoop } from '../platform/concurrency/loop.ts';
import { createPauses } from '../platform/concurrency/pauses.ts';
import { createSemaphore } from '../platform/concurrency/semaphore.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import { reportingFault, type Logger } from '../platform/telemetry/log.ts';
import { run } from '../store/scripts.ts';

/** The last audit of a live rain or sale. */
export interface Watched<Audit> {
  audit: Audit;
  /** Its duration, seconds. */
  seconds: number;
  /** When it ended, epoch ms of this machine. */
  at: number;
  /** `performance.now()` of the last visit, and the counts in Redis at that time. */
  visitedAt: number;
  counts: string;
  /** The last entries of Redis that were put back: how many, and when (as `visitedAt`). */
  healed?: { count: number; at: number };
}

/** The audited kind: all live rains, or all live sales. */
interface Audited<Live, Audit> {
  /** For log lines. */
  label(id: string): Record<string, string>;
  /** By id; those that nobody has looked at yet are audited in this order. */
  live(): Promise<ReadonlyMap<string, Live>>;
  leaseKey(id: string): string;
  /**
   * A cheap text that changes with nearly everything of it in Redis.
   * @returns undefined: Redis has lost it; others report that
   */
  readCounts(id: string, live: Live): Promise<string | undefined>;
  /** @returns undefined: the ledger does not have it; the settler reports that */
  audit(id: string): Promise<Audit | undefined>;
  isBalanced(audit: Audit): boolean;
  /** Nothing of it is on its way between Redis and the ledger. */
  isAtRest(audit: Audit): boolean;
  /** Called when it stops being balanced, and when it is balanced again. */
  report(id: string, audit: Audit): void;
  /** The response to the findings, at once. @returns how many of them it has healed */
  respond(id: string, live: Live, audit: Audit): Promise<number>;
  forget(id: string): void;
}

export interface AuditTiming {
  /** Unique among the auditors of all processes. */
  owner: string;
  /**
   * Pause after an audit: this many times as long as it took, one stall apart. After the last of a round at least this many ms; all are
   * looked at for changes as often.
   */
  pauseFactor?: number | undefined;
  pauseMsMin?: number | undefined;
  /** How long a balanced one without changes goes without an audit, and others wait for those that have changed. */
  quietMs?: number | undefined;
  /** How long one goes without an audit by this process while another one holds its lease. */
  leasedMs?: number | undefined;
}

/** At most 5 % of a core, of Redis and of the database. */
const PAUSE_FACTOR = 20;
/** Looked at for changes at once, so that one slow answer does not keep a round of hundreds. */
export const LOOKS_MAX = 16;
/**
 * Lease of one: longer than most audits take, renewed with each audit, and doubled where audits are rarer. It only
 * saves work.
 */
const LEASE_MS_MIN = 30_000;
const LEASE_MS_MAX = 600_000;
/** Anybody who can write to Redis can hold the lease for ever, and no honest process would audit. */
const LEASED_MS = 60_000;
/** How long a close waits for the audit under way. */
const CLOSE_MS = 5_000;

interface AuditLoopOptions<Live, Audit> extends AuditTiming {
  redis: RedisClient;
  log: Logger;
  audited: Audited<Live, Audit>;
}

/**
 * Audits in the background, one after the other [R8]. If there are several processes, the one with the lease of a rain
 * or sale audits it.
 */
export function startAuditLoop<Live, Audit>({
  redis,
  log,
  audited,
  owner,
  pauseFactor = PAUSE_FACTOR,
  pauseMsMin = 5_000,
  quietMs = 60_000,
  leasedMs = LEASED_MS,
}: AuditLoopOptions<Live, Audit>) {
  const seen = new Map<string, Watched<Audit>>();
  const failing = new Set<string>();
  /** When this process last audited one whose lease another one holds, or first met it, `performance.now()`. */
  const leased = new Map<string, number>();
  /** When this process last came to each, `performance.now()`. */
  const visited = new Map<string, number>();
  const look = createSemaphore(LOOKS_MAX);
  const pauses = createPauses(pauseFactor);
  /** Not visited yet in this round. */
  let queues: Record<'changed' | 'overdue' | 'others', [string, Live][]> = { changed: [], overdue: [], others: [] };
  let isTurnOfOverdue = true;
  let refillAt = -Infinity;

  const lease = async (id: string, ms: number) =>
    (await run(redis, 'lease', [audited.leaseKey(id)], [owner, ms])) === 1;

  function drop(id: string): void {
    seen.delete(id);
    failing.delete(id);
    leased.delete(id);
    visited.delete(id);
    pauses.forget(id);
    audited.forget(id);
  }

  /**
   * Another process has the lease, or somebody who wants no audit: looks for tampering now and then, and reports
   * nothing else.
   * @returns whether it was audited
   */
  async function glance(id: string, live: Live, start: number): Promise<boolean> {
    seen.delete(id);
    const since = leased.get(id) ?? start;
    leased.set(id, since);
    if (start - since < leasedMs) return false;
    leased.set(id, start);
    const audit = await audited.audit(id);
    if (audit) await audited.respond(id, live, audit);
    return true;
  }

  /** @returns whether it was audited */
  async function visit(id: string, live: Live): Promise<boolean> {
    const start = performance.now();
    const last = seen.get(id);
    const between = last ? start - last.visitedAt : 0;
    if (!(await lease(id, Math.round(Math.min(LEASE_MS_MAX, Math.max(LEASE_MS_MIN, 2 * between))))))
      return glance(id, live, start);
    leased.delete(id);
    const counts = await audited.readCounts(id, live);
    if (counts === undefined) return (drop(id), false);
    const isUnchanged =
      last && audited.isBalanced(last.audit) && audited.isAtRest(last.audit) && last.counts === counts;
    if (isUnchanged && Date.now() - last.at < quietMs) {
      seen.set(id, { ...last, visitedAt: start });
      return false;
    }
    const audit = await audited.audit(id);
    if (!audit) return (drop(id), false);
    if (audited.isBalanced(audit) !== (last === undefined || audited.isBalanced(last.audit))) audited.report(id, audit);
    const watched: Watched<Audit> = {
      audit,
      seconds: (performance.now() - start) / 1_000,
      at: Date.now(),
      visitedAt: start,
      counts,
      ...(last?.healed && { healed: last.healed }),
    };
    seen.set(id, watched);
    const count = await audited.respond(id, live, audit);
    if (count > 0) watched.healed = { count, at: start };
    return true;
  }

  /** Key `''` stands for the list of all. */
  const attempt = (id: string, work: () => Promise<void>) =>
    reportingFault(failing, id, work, {
      began: (error) =>
        log.warn({ ...audited.label(id), error: String(error) }, 'the background audit failed, will try again'),
      over: () => log.info(audited.label(id), 'the background audit works again'),
    });

  /** New, or changed since its audit. */
  async function hasChanged(id: string, live: Live): Promise<boolean> {
    if (!visited.has(id)) return true;
    const last = seen.get(id);
    return (
      last !== undefined &&
      (await audited.readCounts(id, live).then(
        (counts) => counts !== last.counts,
        () => true,
      ))
    );
  }

  const isOverdue = (id: string) => performance.now() - (visited.get(id) ?? -Infinity) >= quietMs;

  async function refill(): Promise<void> {
    const live = await audited.live();
    for (const id of [...seen.keys(), ...failing, ...leased.keys(), ...visited.keys()])
      if (id !== '' && !live.has(id)) drop(id);
    const at = ([id]: [string, Live]) => visited.get(id) ?? 0;
    const ones = [...live].sort((a, b) => at(a) - at(b));
    const changed = await Promise.all(ones.map((one) => look(() => hasChanged(...one))));
    queues = { changed: [], overdue: [], others: [] };
    for (const [i, one] of ones.entries())
      queues[changed[i] ? 'changed' : isOverdue(one[0]) ? 'overdue' : 'others'].push(one);
  }

  /** By turns: many that stay unbalanced, or that change all the time, would keep the rest waiting for minutes. */
  function takeNext(): [string, Live] | undefined {
    isTurnOfOverdue = !isTurnOfOverdue;
    const { changed, overdue, others } = queues;
    return (
      (isTurnOfOverdue ? (overdue.shift() ?? changed.shift()) : (changed.shift() ?? overdue.shift())) ?? others.shift()
    );
  }

  const isDone = () => Object.values(queues).every((queue) => queue.length === 0);

  const rounds = startLoop(async () => {
    if (isDone() || performance.now() >= refillAt) {
      const began = performance.now();
      await attempt('', refill);
      refillAt = performance.now() + Math.max(pauseMsMin, pauses.after('', performance.now() - began));
    }
    const next = takeNext();
    let pauseMs = 0;
    if (next) {
      const [id] = next;
      const start = performance.now();
      visited.set(id, start);
      let isWhole = false;
      await attempt(id, async () => void (isWhole = await visit(...next)));
      pauseMs = pauses.after(id, performance.now() - start, isWhole);
    }
    // Pause after each; the minimum applies only after the last one, so that many small ones do not wait for each
    // other.
    return Math.max(pauseMs, isDone() ? pauseMsMin : 0);
  });
  return {
    /** The rains or sales that this process audits. */
    seen: (): ReadonlyMap<string, Watched<Audit>> => seen,
    async close(): Promise<void> {
      // Do not wait for the audit of a very big one: it changes nothing.
      await Promise.race([rounds.close(), sleep(CLOSE_MS, undefined, { ref: false })]);
      // Release the leases, so that another process need not wait for them to expire.
      await Promise.allSettled([...seen.keys()].map((id) => lease(id, 0)));
    },
  };
}
