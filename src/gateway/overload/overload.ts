import { SWITCHES } from '../../store/killSwitches.ts';
import type { Logger } from '../../platform/telemetry/log.ts';
import type { RedisClient } from '../../platform/redis/connect.ts';
import { Admission } from './admission.ts';
import type { Limits } from '../limits.ts';
import { SAMPLE_MS, SAMPLES_PER_PING } from './limits.ts';
import { Pressure } from './pressure.ts';
import { LatencyProbe } from './latencyProbe.ts';
import { RoundTrips } from './roundTrips.ts';
import { KillSwitches } from './killSwitches.ts';
import type { Times } from '../telemetry/times.ts';
import { LoopBudget } from './loopBudget.ts';
import { measureLoopDelay } from './loopDelay.ts';
import { Unread } from './unread.ts';

interface OverloadRules {
  limits: Limits;
  /** Not the connection of the grabs: pings must not queue behind them. */
  redis: RedisClient;
  /** Redis's clock as estimated here, epoch ms. */
  now: () => number;
  log: Logger;
  onFault: (error: unknown) => void;
  times: Times;
}

export type OverloadControl = ReturnType<typeof openOverloadControl>;

/**
 * Protects a gateway from overload: measures the load, limits grabs and switches functions off. One timer drives all of
 * it.
 */
export function openOverloadControl({ limits, redis, now, log, onFault, times }: OverloadRules) {
  const admission = new Admission(limits);
  const loopBudget = new LoopBudget({ limits });
  const unread = new Unread();
  const roundTrips = new RoundTrips(undefined, (ms, users) => {
    times.batches.add(ms / 1_000);
    times.sizes.add(users);
  });
  const probe = new LatencyProbe({ redis, onAnswer: (ms) => times.probe.add(ms / 1_000) });
  const pressure = new Pressure(limits);
  const killSwitches = new KillSwitches({ redis, pressure, now, log, onFault });
  const loopDelayMs = measureLoopDelay();
  let [delayMs, samples, timer]: [number, number, NodeJS.Timeout | undefined] = [0, 0, undefined];

  function sample(): void {
    delayMs = loopDelayMs();
    probe.tick();
    unread.resume();
    const { roundTripMs, silentMs } = probe;
    admission.update({ ...roundTrips.take(), roundTripMs, stallMs: delayMs });
    if (pressure.update({ loopDelayMs: delayMs, roundTripMs, silentMs })) killSwitches.apply();
    if (samples++ % SAMPLES_PER_PING === 0) void probe.ping();
  }

  return {
    admission,
    loopBudget,
    unread,
    roundTrips,
    pressure,
    killSwitches,
    /** For the metrics: each switch with whether it is off, and who has set it. */
    load: () => ({
      grabsPendingLimit: admission.limit,
      unread: unread.size,
      loopDelayMs: delayMs,
      roundTripMs: probe.roundTripMs,
      switches: SWITCHES.map((name) => ({ name, off: killSwitches.off[name], by: killSwitches.heldBy(name) })),
    }),
    /** @throws when Redis cannot be read */
    async start() {
      await killSwitches.start();
      timer = setInterval(sample, SAMPLE_MS);
    },
    close() {
      clearInterval(timer);
      killSwitches.close();
    },
  };
}
