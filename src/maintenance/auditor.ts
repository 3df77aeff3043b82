import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { shardKeys } from '../store/keys.ts';
import { liveRains, type LiveRain } from '../store/rains.ts';
import { run } from '../store/scripts.ts';
import { auditRain, type Audit } from '../operator/audit.ts';
import { summedOnce } from '../operator/audit/accounts.ts';
import type { OperatorContext } from '../operator/context.ts';
import { reportingFault, type Logger } from '../platform/telemetry/log.ts';
import { startLoop } from '../platform/concurrency/loop.ts';
import { readCounts } from './rainCounts.ts';
import { createTamperingResponse, type OnTampering } from './tamperingResponse.ts';

export interface AuditorOptions {
  context: OperatorContext;
  log: Logger;
  /** Unique among all auditors of all processes. */
  owner?: string;
  /** Pause after auditing a rain: this many times as long as the audit took, and at least this many ms. */
  pauseFactor?: number;
  pauseMsMin?: number;
  /** How long a balanced rain without changes goes without an audit. */
  quietMs?: number;
  onTampering?: OnTampering;
  /** How long a rain goes without an audit by this process while another one holds its lease. */
  leasedMs?: number;
}

/** The last audit of a live rain. */
export interface Watched {
  audit: Audit;
  /** Its duration, seconds. */
  seconds: number;
  /** When it ended, epoch ms of this machine. */
  at: number;
  /** `performance.now()` of the last visit, and the counters in Redis at that time. */
  visitedAt: number;
  counts: string;
  /** The last entries of the dedupe hash that were put back: how many, and when (as `visitedAt`). */
  healed?: { count: number; at: number };
}

export type Auditor = ReturnType<typeof startAuditor>;

/** At most 5 % of a core, of Redis and of the database. */
const PAUSE_FACTOR = 20;
/** Live rains reported individually at most, so that memory and metric labels stay bounded [R10]. */
export const RAINS_REPORTED_MAX = 200;
/** Lease of a rain: longer than most audits take, renewed with each audit, and doubled where audits are rarer. It only saves work. */
const LEASE_MS_MIN = 30_000;
const LEASE_MS_MAX = 600_000;
const PROBLEMS_LOGGED_MAX = 3;
/** Who can write to Redis can hold the lease for ever, and no honest process would audit. */
const LEASED_MS = 60_000;
/** How long a close waits for the audit under way. */
const CLOSE_MS = 5_000;

/**
 * Audits the live rains in the background, one after the other [R8]. It logs when a rain stops being balanced, and when it is
 * balanced again, and stops a rain that was tampered with. Of several processes, the one with the rain's lease audits it.
 */
export function startAuditor({ context, log, owner = randomUUID(), pauseFactor = PAUSE_FACTOR, pauseMsMin = 5_000, quietMs = 60_000, onTampering = 'pause', leasedMs = LEASED_MS }: AuditorOptions) {
  const seen = new Map<string, Watched>();
  const failing = new Set<string>();
  /** When this process last audited a rain whose lease another one holds, or first met it, `performance.now()`. */
  const leased = new Map<string, number>();
  const response = createTamperingResponse({ context, log, onTampering });
  let queue: [string, LiveRain][] = [];
  /** One for each round of all rains. */
  let sumOfBalances = summedOnce(context);

  const lease = async (rainId: string, ms: number) => (await run(context.redis, 'lease', [shardKeys(rainId, 0).auditor], [owner, ms])) === 1;

  function drop(rainId: string): void {
    seen.delete(rainId);
    failing.delete(rainId);
    leased.delete(rainId);
    response.forget(rainId);
  }

  /** Another process has the lease, or somebody who wants no audit: looks for tampering now and then, and reports nothing else. */
  async function glance(rainId: string, shards: number, start: number): Promise<void> {
    seen.delete(rainId);
    const since = leased.get(rainId) ?? start;
    leased.set(rainId, since);
    if (start - since < leasedMs) return;
    leased.set(rainId, start);
    const audit = await auditRain(context, rainId, sumOfBalances);
    if (audit) await response.respond(rainId, shards, audit);
  }

  async function visit(rainId: string, live: LiveRain): Promise<void> {
    const start = performance.now();
    const last = seen.get(rainId);
    const between = last ? start - last.visitedAt : 0;
    if (!await lease(rainId, Math.round(Math.min(LEASE_MS_MAX, Math.max(LEASE_MS_MIN, 2 * between))))) return glance(rainId, live.shards, start);
    leased.delete(rainId);
    const counts = await readCounts(context.redis, rainId, live.shards);
    if (counts === undefined) return drop(rainId); // Lost: the Redis monitor reports it.
    const isUnchanged = last?.audit.report.balanced && last.audit.equation.pending.count === 0 && last.counts === counts;
    if (isUnchanged && Date.now() - last.at < quietMs) return void seen.set(rainId, { ...last, visitedAt: start });
    const audit = await auditRain(context, rainId, sumOfBalances);
    if (!audit) return drop(rainId); // A rain of another ledger: the settler reports it.
    report(rainId, last?.audit.report.balanced !== false, audit);
    const watched: Watched = { audit, seconds: (performance.now() - start) / 1_000, at: Date.now(), visitedAt: start, counts, ...(last?.healed && { healed: last.healed }) };
    seen.set(rainId, watched);
    const count = await response.respond(rainId, live.shards, audit);
    if (count > 0) watched.healed = { count, at: start };
  }

  function report(rainId: string, wasBalanced: boolean, { report, problems }: Audit): void {
    if (report.balanced === wasBalanced) return;
    if (report.balanced) log.warn({ rainId }, 'the money of the rain is balanced again');
    else log.error({ rainId, problems: problems.length, first: problems.slice(0, PROBLEMS_LOGGED_MAX) }, 'THE MONEY OF A LIVE RAIN IS NOT BALANCED; check it with: rain audit');
  }

  /** Key `''` stands for the list of rains. */
  const attempt = (rainId: string, work: () => Promise<void>) => reportingFault(failing, rainId, work, {
    began: (error) => log.warn({ rainId, error: String(error) }, 'the background audit failed, will try again'),
    over: () => log.info({ rainId }, 'the background audit works again'),
  });

  async function refill(): Promise<void> {
    const live = await liveRains(context.redis);
    for (const rainId of [...seen.keys(), ...failing, ...leased.keys()]) if (rainId !== '' && !live.has(rainId)) drop(rainId);
    // By the ledger: who can write to Redis could fill its index with rains that come before the real ones.
    const rains = await context.ledger.rains(RAINS_REPORTED_MAX, 'unsettled');
    queue = rains.flatMap(({ id }): [string, LiveRain][] => (live.has(id) ? [[id, live.get(id)!]] : []));
    sumOfBalances = summedOnce(context);
  }

  const rounds = startLoop(async () => {
    if (queue.length === 0) await attempt('', refill);
    const next = queue.shift();
    const start = performance.now();
    if (next) await attempt(next[0], () => visit(...next));
    // Pause after each rain; the minimum applies only after the last one, so that many small rains do not wait for each other.
    return Math.max(pauseFactor * (performance.now() - start), queue.length > 0 ? 0 : pauseMsMin);
  });
  return {
    /** The live rains that this process audits. */
    seen: (): ReadonlyMap<string, Watched> => seen,
    async close(): Promise<void> {
      // Do not wait for the audit of a very big rain: it changes nothing.
      await Promise.race([rounds.close(), sleep(CLOSE_MS, undefined, { ref: false })]);
      // Release the leases, so that another process need not wait for them to expire.
      await Promise.allSettled([...seen.keys()].map((rainId) => lease(rainId, 0)));
    },
  };
}
