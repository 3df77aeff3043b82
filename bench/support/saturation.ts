import type { Cost } from './contender.ts';

/** Share of one core above which a process is saturated. */
const SATURATED = 0.95;

/**
 * Checks whether the driver was the bottleneck and not the server: then the answers per second are those of the driver, and the server
 * got smaller batches than possible. Returns one sentence, or `undefined`.
 */
export function saturation(ours: readonly Cost[], theirs: readonly Cost[]): string | undefined {
  const spoilt = [...ours, ...theirs].find(({ cpuMs, serverMs, elapsedMs }) => cpuMs / elapsedMs >= SATURATED && serverMs < cpuMs);
  return spoilt && `the load driver was saturated: ${Math.round(spoilt.cpuMs / spoilt.elapsedMs * 100)} % of a core, the server ${Math.round(spoilt.serverMs / spoilt.elapsedMs * 100)} %`;
}
