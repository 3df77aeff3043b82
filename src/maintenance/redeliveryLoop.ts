import { ENTRIES_MAX } from '../credit/job.ts';
import { startLoop, type Loop } from '../platform/concurrency/loop.ts';
import type { Logger } from '../platform/telemetry/log.ts';

export interface LoggedEntry {
  index: number;
  entry: string;
}

/** An entry that is not settled; `missing`: no job and no dead letter has it either. */
interface Unsettled {
  index: number;
  missing: boolean;
}

/** One log as redelivery reads it. */
interface ReadableLog {
  /** Entries before it are settled, and stay so; absent: it is read from the oldest. */
  from?: number;
  length(): Promise<number>;
  /** Entries `from` (inclusive, counted from the oldest) to `to` (exclusive). */
  read(from: number, to: number): Promise<string[]>;
  /** The unsettled ones of these entries, in order. */
  unsettled(entries: readonly LoggedEntry[]): Promise<Unsettled[]>;
  /** Sends a range to the queue again; 0 when another process does it. */
  resend(from: number, to: number): Promise<number>;
}

/** The redelivered kind: the claims of rains, or the reservations of sales. */
export interface Redelivered<Live> {
  entries: 'claims' | 'reservations';
  /** The fields that name a rain or sale in our own log. */
  label(id: string): Readonly<Record<string, string>>;
  live(): Promise<ReadonlyMap<string, Live>>;
  /** How many entries are settled; `undefined`: none can be missing. */
  settled(id: string, live: Live): Promise<number | undefined>;
  /** Opened when entries are missing, read to its end, and then dropped. */
  logs(id: string, live: Live): Promise<readonly ReadableLog[]>;
}

export interface RedeliveryTiming {
  /** Unfinished jobs. */
  jobsPending: () => Promise<number>;
  log: Logger;
  everyMs?: number;
  /**
   * How long nothing of a rain or sale must have been settled before missing entries are sent again, ms; doubled after
   * each attempt.
   */
  sweepAfterMs?: number;
}

/**
 * With this many unfinished jobs, missing entries are probably among them; also the most jobs that one sweep adds
 * [R10].
 */
const JOBS_MAX = 100;
const SWEEP_AFTER_MS_MAX = 600_000;

/**
 * Sends entries again that the queue has lost: they were carried to it but are not settled, and nothing moves any more.
 * Sending them twice is harmless [R5]. Dead letters are left to the operator, discarded ones stay discarded, and
 * entries in an unfinished job are left to it.
 */
export function startRedeliveryLoop<Live>(
  source: Redelivered<Live>,
  { jobsPending, log, everyMs = 5_000, sweepAfterMs = 15_000 }: RedeliveryTiming,
): Loop {
  const { entries: what } = source;
  const missing = new Map<string, { settled: number; since: number; sweepAfterMs: number }>();

  async function visit(id: string, live: Live): Promise<void> {
    const settled = await source.settled(id, live);
    if (settled === undefined) return void missing.delete(id);
    const before = missing.get(id);
    if (before?.settled !== settled) return void missing.set(id, { settled, since: performance.now(), sweepAfterMs });
    if (performance.now() - before.since < before.sweepAfterMs || (await jobsPending()) >= JOBS_MAX) return;
    const sent = await sweep(id, live);
    if (sent > 0)
      log.warn(
        { ...source.label(id), [what]: sent },
        `${what} that were carried to the queue are missing from the ledger and were sent again`,
      );
    missing.set(id, {
      settled,
      since: performance.now(),
      sweepAfterMs: Math.min(2 * before.sweepAfterMs, SWEEP_AFTER_MS_MAX),
    });
  }

  async function sweep(id: string, live: Live): Promise<number> {
    let [sent, jobs] = [0, 0];
    for (const one of await source.logs(id, live)) {
      const length = await one.length();
      for (let from = one.from ?? 0; from < length && jobs < JOBS_MAX; from += ENTRIES_MAX) {
        const entries = await one.read(from, Math.min(from + ENTRIES_MAX, length));
        const ranges = missingRanges(await one.unsettled(entries.map((entry, i) => ({ index: from + i, entry }))));
        for (const range of ranges.slice(0, JOBS_MAX - jobs)) {
          sent += await one.resend(range.from, range.to);
          jobs++;
        }
      }
    }
    return sent;
  }

  return startLoop(async (signal) => {
    try {
      for (const [id, live] of await source.live()) {
        if (!signal.aborted)
          await visit(id, live).catch((error: unknown) =>
            log.warn({ ...source.label(id), error: String(error) }, 'sweeping failed, will try again'),
          );
      }
    } catch (error) {
      log.warn({ error: String(error) }, `redelivery cannot read whose ${what} there are, will try again`);
    }
    return everyMs;
  });
}

/**
 * Ranges from the first to the last missing entry, split by unsettled entries that are not missing; settled ones in
 * between do no harm.
 */
function missingRanges(unsettled: readonly Unsettled[]): { from: number; to: number }[] {
  const ranges: { from: number; to: number }[] = [];
  let cut = true;
  for (const { index, missing } of unsettled) {
    if (missing && cut) ranges.push({ from: index, to: index + 1 });
    else if (missing) ranges.at(-1)!.to = index + 1;
    cut = !missing;
  }
  return ranges;
}
