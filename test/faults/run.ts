import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CreateRequest } from '../../src/operator/create.ts';
import { redisNow } from '../../src/store/rains.ts';
import { tokenFor } from '../support/client.ts';
import { watchLedger } from './means/bookWatch.ts';
import { chance, type Chance } from './means/chance.ts';
import { startCrowd, issueTokens, type Crowd } from './users/crowd.ts';
import type { Deployment, System } from './deployment.ts';
import { createAndLoad, requestFor, SHAPE, type Shape } from './users/rainfall.ts';
import { recover, type RunResult } from './recovery.ts';
import type { Excused } from './verdict.ts';

export interface Run {
  /** Seed of its random choices. */
  name: string;
  rainId: string;
}

interface Setting {
  rainId: string;
  random: Chance;
}

interface Rain extends Setting {
  crowd: Crowd;
  /** Epoch ms, by this machine's clock. */
  opensAt: number;
  closesAt: number;
  /** The longest time that this process was blocked since the users started, ms. */
  stoodStillMs(): number;
}

/** The context of a fault. */
export type Scene<D extends System = Deployment> = D & Rain;

/**
 * Breaks something when it is called. A part that is still broken when it resolves stays broken until the rest of the
 * system has settled the rain. So it must itself restart what the settlement needs.
 * @returns when the fault struck, epoch ms, if not at once
 */
export type Strike<D extends System = Deployment> = (scene: Scene<D>) => Promise<number | void> | number | void;

/**
 * `opening`: just before it, for what waits for the first wins itself. Else a random moment. `rain`: from just before
 * the first grab to just after the last · `swing`: in the first second, while packets are being won · `end`: around the
 * end and the settlement.
 */
type When = 'opening' | 'rain' | 'swing' | 'end';

export interface FaultOptions<D extends System = Deployment> {
  /** A run takes half a minute, so there is only one by default. */
  slow?: boolean;
  /** Also played once by `npm test`. */
  short?: boolean;
  /** Limit of runs, if more would show nothing new. */
  runsMax?: number;
  rain?: Partial<Shape>;
  when?: When;
  /** Runs before the rain is created, e.g. to start a process in a special way. */
  prepare?: (scene: D & Setting) => Promise<void>;
  /** Creates the rain, if the fault is in the creation. By default this process creates and loads it. */
  create?: (scene: D & Setting, request: CreateRequest & { id: string }) => Promise<void>;
  /** Known when the strike has ended. */
  excused?: () => Excused;
  /** Checks what only this fault must guarantee. @returns problems */
  check?: (scene: Scene<D>) => Promise<string[]> | string[];
  /** Figures that only this fault shows, by name. */
  measure?: (scene: Scene<D>) => Promise<Record<string, number>> | Record<string, number>;
}

/** One rain, one fault, one verdict. */
export async function playRun<D extends System>(
  deployment: D,
  run: Run,
  strike: Strike<D>,
  options: FaultOptions<D>,
): Promise<RunResult> {
  const random = chance(run.name);
  const { rainId, tokens, opensAt, arriveBy, closesAt } = await prepareRain(deployment, run, random, options);
  const crowd = startCrowd({
    rainId,
    gatewayUrls: deployment.gatewayUrls,
    tokens,
    from: opensAt - 400,
    to: arriveBy,
    random,
  });
  const book = watchLedger(deployment.context, rainId);
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  const scene: Scene<D> = {
    ...deployment,
    rainId,
    random,
    crowd,
    opensAt,
    closesAt,
    stoodStillMs: () => delay.max / 1e6,
  };
  try {
    await sleep(momentOf(options.when ?? 'rain', scene) - Date.now());
    const calledAt = Date.now();
    const struckAt = (await strike(scene)) ?? calledAt;
    const result = await recover({
      ...scene,
      book,
      struckAt,
      excused: options.excused?.(),
      heal: () => deployment.heal(),
    });
    return {
      ...result,
      figures: await options.measure?.(scene),
      problems: [...deployment.accidents(), ...((await options.check?.(scene)) ?? []), ...result.problems],
    };
  } finally {
    delay.disable();
    await crowd.leave();
    await book.stop();
    await deployment.heal();
  }
}

interface PreparedRain {
  rainId: string;
  /** The request that created the rain. */
  request: CreateRequest & { id: string };
  tokens: Map<string, string>;
  /** Epoch ms. */
  opensAt: number;
  arriveBy: number;
  closesAt: number;
}

const TRIES_MAX = 4;

/**
 * Creates the rain. On a busy machine that may take until after its opening; then another rain with a later opening is
 * created.
 */
export async function prepareRain<D extends System>(
  deployment: D,
  run: Run,
  random: Chance,
  options: FaultOptions<D>,
): Promise<PreparedRain> {
  for (let attempt = 1; ; attempt++) {
    const rainId = attempt === 1 ? run.rainId : `${run.rainId}-${attempt}`;
    const shape: Shape = { ...SHAPE, shards: random.between(1, 2), ...options.rain };
    const setting = { ...deployment, rainId, random };
    const tokens = await issueTokens(rainId, shape.users, tokenFor);
    await options.prepare?.(setting);
    const request = await requestFor(deployment.context, rainId, {
      ...shape,
      opensInMs: shape.opensInMs * 2 ** (attempt - 1),
    });
    const { opensAt, closesAt } = await inLocalTime(deployment, request);
    const late = () => Date.now() > opensAt - 200;
    try {
      await (options.create ? options.create(setting, request) : createAndLoad(deployment.context, request));
    } catch (error) {
      if (!late() || attempt === TRIES_MAX) throw error;
    }
    if (!late() || attempt === TRIES_MAX)
      return {
        rainId,
        request,
        tokens,
        opensAt,
        closesAt,
        arriveBy: opensAt + (shape.arrivalsMs ?? shape.windowMs - 100),
      };
  }
}

function momentOf(when: When, { random, opensAt, closesAt }: Rain): number {
  switch (when) {
    case 'rain':
      return random.between(opensAt - 200, closesAt + 200);
    case 'opening':
      return opensAt - 200;
    case 'swing':
      return random.between(opensAt + 50, opensAt + 1_000);
    case 'end':
      return random.between(closesAt - 150, closesAt + 700);
    default:
      return when satisfies never;
  }
}

async function inLocalTime(
  { context }: System,
  { opensAt, closesAt }: CreateRequest,
): Promise<{ opensAt: number; closesAt: number }> {
  const ahead = (await redisNow(context.redis)) - Date.now();
  return { opensAt: opensAt - ahead, closesAt: closesAt - ahead };
}
