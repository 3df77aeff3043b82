import { monitorEventLoopDelay } from 'node:perf_hooks';
import { SWITCHES, type SwitchName } from '../../store/killSwitches.ts';
import type { Logger } from '../../platform/telemetry/log.ts';
import type { RedisClient } from '../../platform/redis/connect.ts';
import { Admission } from './admission.ts';
import type { Limits } from '../limits.ts';
import { Pressure } from './pressure.ts';
import { LatencyProbe } from './latencyProbe.ts';
import { RoundTrips } from './roundTrips.ts';
import { KillSwitches, type SwitchedBy } from './killSwitches.ts';
import type { Times } from '../telemetry/times.ts';
import { LoopBudget } from './loopBudget.ts';

interface OverloadRules {
  limits: Limits;
  /** Not the connection of the grabs: its pulse is to be felt, not theirs. */
  redis: RedisClient;
  /** Redis's clock as estimated here, epoch ms. */
  now: () => number;
  log: Logger;
  onFault: (error: unknown) => void;
  times?: Pick<Times, 'batches' | 'sizes' | 'probe'>;
  /** How long the event loop kept anybody waiting since this was last asked, ms. */
  loopDelayMs?: () => number;
}

/** What the gateway's figures tell of its load. */
export interface Load {
  grabsPendingLimit: number;
  loopDelayMs: number;
  roundTripMs: number;
  /** 1: off; and who says so. */
  switches: { name: SwitchName; off: boolean; by: SwitchedBy | undefined }[];
}

/** How a gateway stays well when more is asked than it can do: what it measures, what it gives up, and the one timer of all that. */
export interface OverloadControl {
  readonly admission: Admission;
  readonly loopBudget: LoopBudget;
  readonly roundTrips: RoundTrips;
  readonly pressure: Pressure;
  readonly killSwitches: KillSwitches;
  load(): Load;
  /** @throws when Redis cannot be read */
  start(): Promise<void>;
  close(): void;
}

const LOOK_MS = 50;
/** Redis's pulse is felt with every fourth look: each question wakes Redis up. */
const FEEL_EVERY = 4;

export function openOverloadControl({ limits, redis, now, log, onFault, times, loopDelayMs = watchLoop() }: OverloadRules): OverloadControl {
  const admission = new Admission(limits);
  const loopBudget = new LoopBudget({ limits });
  const roundTrips = new RoundTrips(undefined, times && ((ms, users) => { times.batches.add(ms / 1_000); times.sizes.add(users); }));
  const probe = new LatencyProbe({ redis, ...(times && { onAnswer: (ms) => times.probe.add(ms / 1_000) }) });
  const pressure = new Pressure(limits);
  const killSwitches = new KillSwitches({ redis, pressure, now, log, onFault });
  let [delayMs, looks, timer]: [number, number, NodeJS.Timeout | undefined] = [0, 0, undefined];

  function look(): void {
    delayMs = loopDelayMs();
    probe.look();
    const { roundTripMs, silentMs } = probe;
    admission.look({ ...roundTrips.take(), roundTripMs, stallMs: delayMs });
    if (pressure.look({ loopDelayMs: delayMs, roundTripMs, silentMs })) killSwitches.apply();
    if (looks++ % FEEL_EVERY === 0) probe.feel();
  }

  return {
    admission, loopBudget, roundTrips, pressure, killSwitches,
    load: () => ({
      grabsPendingLimit: admission.limit, loopDelayMs: delayMs, roundTripMs: probe.roundTripMs,
      switches: SWITCHES.map((name) => ({ name, off: killSwitches.off[name], by: killSwitches.heldBy(name) })),
    }),
    async start() {
      await killSwitches.start();
      timer = setInterval(look, LOOK_MS);
    },
    close() {
      clearInterval(timer);
      killSwitches.close();
    },
  };
}

/** Node's own measure: how late a timer of its is, at worst. */
function watchLoop(): () => number {
  const resolutionMs = 10;
  const delays = monitorEventLoopDelay({ resolution: resolutionMs });
  delays.enable();
  return () => {
    const longest = delays.max / 1e6;
    delays.reset();
    return Math.max(0, longest - resolutionMs);
  };
}
