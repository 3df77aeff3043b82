import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { shardKeys } from '../store/keys.ts';
import { liveRains, readRain, type LiveRain } from '../store/rains.ts';
import { run } from '../store/scripts.ts';
import { auditRain, type Audit } from '../operator/audit.ts';
import type { OperatorContext } from '../operator/context.ts';
import type { Logger } from '../platform/telemetry/log.ts';
import { startLoop, type Loop } from '../platform/concurrency/loop.ts';

export interface AuditorOptions {
  context: OperatorContext;
  log: Logger;
  /** Unique among all watches of all processes. */
  owner?: string;
  /** Rest after a look at a rain: so many times as long as the look took, and at least so many ms. */
  restFactor?: number;
  restMsMin?: number;
  /** How long a rain in which nothing moves, and which adds up, goes without an audit. */
  quietMs?: number;
}

/** The last audit of a live rain. */
export interface Watched {
  audit: Audit;
  /** How long it took, seconds. */
  seconds: number;
  /** When it ended, epoch ms of this machine. */
  at: number;
}

export interface Auditor extends Loop {
  /** Waits for the audit under way, at most `deadlineMs`. */
  close(deadlineMs?: number): Promise<void>;
  /** The live rains that this process looks after. */
  seen(): ReadonlyMap<string, Watched>;
}

/** Never more than 5 % of a core, of Redis and of the book. */
const REST_FACTOR = 20;
/** Live rains that are told one by one at most, so that neither memory nor labels grow without bound [R10]. */
export const RAINS_TOLD_MAX = 200;
/** Longer than most audits take; renewed with each look, and doubled where looks are rarer. It saves work, it guards nothing. */
const LEASE_MS_MIN = 30_000;
const LEASE_MS_MAX = 600_000;
const PROBLEMS_TOLD = 3;

interface Visited {
  /** `performance.now()` of the last look. */
  at: number;
  /** What Redis counted then. */
  counts: string;
}

/**
 * Audits the live rains in the background, one after the other [R8]. A rain that stops adding up is told once, loudly, and
 * once more when it adds up again. Of several processes one looks after a rain: whoever holds its lease.
 */
export function startAuditor({ context, log, owner = randomUUID(), restFactor = REST_FACTOR, restMsMin = 5_000, quietMs = 60_000 }: AuditorOptions): Auditor {
  const seen = new Map<string, Watched>();
  const visited = new Map<string, Visited>();
  const failing = new Set<string>();
  let queue: [string, LiveRain][] = [];

  const lease = async (rainId: string, ms: number) => (await run(context.redis, 'lease', [shardKeys(rainId, 0).auditor], [owner, ms])) === 1;

  function drop(rainId: string): void {
    seen.delete(rainId);
    visited.delete(rainId);
    failing.delete(rainId);
  }

  async function look(rainId: string, live: LiveRain): Promise<void> {
    const start = performance.now();
    const before = visited.get(rainId);
    const between = before ? start - before.at : 0;
    if (!await lease(rainId, Math.round(Math.min(LEASE_MS_MAX, Math.max(LEASE_MS_MIN, 2 * between))))) return drop(rainId);
    const reading = await readRain(context.redis, rainId, live);
    if (!reading) return drop(rainId); // Lost: the guard says so.
    const { state, loaded, left, claims, spoiled, relayed } = reading;
    const counts = [state, loaded, left, claims, spoiled, relayed].join();
    const last = seen.get(rainId);
    const still = last?.audit.report.balanced && last.audit.equation.pending.count === 0 && before?.counts === counts;
    if (!still || Date.now() - last.at >= quietMs) {
      const audit = await auditRain(context, rainId);
      if (!audit) return drop(rainId); // Another book's rain: the settler says so.
      tell(rainId, last?.audit, audit);
      seen.set(rainId, { audit, seconds: (performance.now() - start) / 1_000, at: Date.now() });
    }
    visited.set(rainId, { at: start, counts });
  }

  function tell(rainId: string, before: Audit | undefined, { report, problems }: Audit): void {
    const fitted = before?.report.balanced !== false;
    if (report.balanced === fitted) return;
    if (report.balanced) log.warn({ rainId }, 'the money of the rain adds up again');
    else log.error({ rainId, problems: problems.length, first: problems.slice(0, PROBLEMS_TOLD) }, 'THE MONEY OF A LIVE RAIN DOES NOT ADD UP; look with: rain audit');
  }

  /** `''`: the list of rains itself. */
  async function attempt(rainId: string, action: () => Promise<void>): Promise<void> {
    try {
      await action();
      if (failing.delete(rainId)) log.info({ rainId }, 'the audit in the background works again');
    } catch (error) {
      if (!failing.has(rainId)) log.warn({ rainId, error: String(error) }, 'the audit in the background failed, will try again');
      failing.add(rainId);
    }
  }

  async function refill(): Promise<void> {
    const live = await liveRains(context.redis);
    for (const rainId of [...seen.keys(), ...visited.keys(), ...failing]) if (rainId !== '' && !live.has(rainId)) drop(rainId);
    queue = [...live].slice(0, RAINS_TOLD_MAX);
  }

  async function round(): Promise<number> {
    if (queue.length === 0) await attempt('', refill);
    const [next] = queue.splice(0, 1);
    const start = performance.now();
    if (next) await attempt(next[0], () => look(...next));
    // A rest after each rain; the shortest only after the last, so that many small rains do not wait for each other.
    return Math.max(restFactor * (performance.now() - start), queue.length > 0 ? 0 : restMsMin);
  }

  const rounds = startLoop(round);
  return {
    seen: () => seen,
    async close(deadlineMs = 5_000) {
      // An audit of a very big rain is not waited for: it changes nothing.
      await Promise.race([rounds.close(), sleep(deadlineMs, undefined, { ref: false })]);
      // So that another process need not wait for the leases to run out.
      await Promise.allSettled([...visited.keys()].map((rainId) => lease(rainId, 0)));
    },
  };
}
