import type { Logger } from '../telemetry/log.ts';

/** How often a process looks whether it gets processor time, ms. */
const BEAT_MS = 1_000;
/** Repeated at most so often, ms. */
const REPORT_MS = 600_000;

/** One look: the time since the last one, and the processor time that the process has had in it, ms. */
interface Beat {
  elapsedMs: number;
  usedMs: number;
}

/**
 * Whether others had the processor: the look came two beats late, and the process itself was busy less than half of the
 * time. One that is late because of its own work was busy all of it.
 */
export function isStarved({ elapsedMs, usedMs }: Beat, beatMs = BEAT_MS): boolean {
  return elapsedMs >= 3 * beatMs && usedMs < elapsedMs / 2;
}

/** The processor time of this process since its start, ms. */
function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/**
 * Logs when this process gets too little processor time for its work. Nothing else tells it from a slow Redis or
 * database: all of its work is late alike.
 */
export function watchProcessor(
  log: Pick<Logger, 'warn'>,
  { beatMs = BEAT_MS, usedMs = processorMs } = {},
): { close(): void } {
  let [at, used] = [performance.now(), usedMs()];
  let nextReport = -Infinity;
  const timer = setInterval(() => {
    const [now, usedNow] = [performance.now(), usedMs()];
    const beat = { elapsedMs: Math.round(now - at), usedMs: Math.round(usedNow - used) };
    [at, used] = [now, usedNow];
    if (now < nextReport || !isStarved(beat, beatMs)) return;
    nextReport = now + REPORT_MS;
    log.warn(
      beat,
      'this process was stopped, or others had the processor: its work comes late; give it processor time of its own, see run-in-production',
    );
  }, beatMs).unref();
  return { close: () => clearInterval(timer) };
}
