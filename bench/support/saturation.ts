import type { Cost } from './contender.ts';

/** Of one core: above it a process has no time left. */
const SATURATED = 0.95;

/**
 * Whether it was the driver that could do no more, and not the server: then answers per second are the driver's, and the
 * server met smaller batches than it would have. Why there is no figure, in one sentence, or `undefined`.
 */
export function saturation(ours: readonly Cost[], theirs: readonly Cost[]): string | undefined {
  const spoilt = [...ours, ...theirs].find(({ cpuMs, serverMs, elapsedMs }) => cpuMs / elapsedMs >= SATURATED && serverMs < cpuMs);
  return spoilt && `the load driver was saturated: ${Math.round(spoilt.cpuMs / spoilt.elapsedMs * 100)} % of a core, the server ${Math.round(spoilt.serverMs / spoilt.elapsedMs * 100)} %`;
}
