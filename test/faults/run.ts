import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CreateRequest } from '../../src/operator/create.ts';
import { redisNow } from '../../src/store/rains.ts';
import { tokenFor } from '../support/client.ts';
import { watchBook } from './bookWatch.ts';
import { chance, type Chance } from './chance.ts';
import { gather, issueTickets, type Crowd } from './crowd.ts';
import type { Deployment } from './deployment.ts';
import { plan, raise, SHAPE, type Shape } from './rainfall.ts';
import { recover, type RunResult } from './recovery.ts';

export interface Run {
  /** What its chance is drawn from. */
  name: string;
  rainId: string;
}

/** What a fault has before it. */
export interface Scene extends Deployment {
  rainId: string;
  random: Chance;
  crowd: Crowd;
  /** Epoch ms, by this machine's clock, which is Redis's. */
  opensAt: number;
  closesAt: number;
  /** The longest time for which this process could do nothing since its users came, ms. */
  stoodStillMs(): number;
}

/**
 * Breaks something, at the moment it is called. What is still broken when it resolves stays so until the rain is settled by
 * the rest of the system; what must run for that, it starts again itself.
 * @returns when it broke, epoch ms, if that was not at once
 */
export type Strike = (scene: Scene) => Promise<number | void> | number | void;

/**
 * By chance: from just before the first grab to just after the last, in the first second, while packets are being
 * won, or around the end and the settlement.
 */
type When = 'rain' | 'swing' | 'end';

export interface FaultOptions {
  /** It takes half a minute: once, unless more is asked for. */
  slow?: boolean;
  /** Also played by `npm test`, once. */
  short?: boolean;
  /** More runs would show nothing more. */
  runsMax?: number;
  rain?: Partial<Shape>;
  when?: When;
  /** Before the rain is made, e.g. to start a part in a special way. */
  prepare?: (scene: Pick<Scene, keyof Deployment | 'rainId' | 'random'>) => Promise<void>;
  /** Makes the rain, where that is what breaks; otherwise it is created and loaded by this process. */
  raise?: (scene: Pick<Scene, keyof Deployment | 'rainId' | 'random'>, request: CreateRequest & { id: string }) => Promise<void>;
  /** Looks at what this fault alone must keep; gives sentences. */
  check?: (scene: Scene) => Promise<string[]> | string[];
}

/** One rain, one fault, one verdict. */
export async function playRun(deployment: Deployment, run: Run, strike: Strike, options: FaultOptions): Promise<RunResult> {
  const random = chance(run.name);
  const { rainId, tickets, opensAt, arriveBy, closesAt } = await fall(deployment, run, random, options);
  const crowd = gather({ rainId, gatewayUrls: deployment.gatewayUrls, tickets, from: opensAt - 400, to: arriveBy, random });
  const book = watchBook(deployment.context, rainId);
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  const scene: Scene = { ...deployment, rainId, random, crowd, opensAt, closesAt, stoodStillMs: () => delay.max / 1e6 };
  try {
    await sleep(momentOf(options.when ?? 'rain', scene) - Date.now());
    const calledAt = Date.now();
    const struckAt = await strike(scene) ?? calledAt;
    const result = await recover({ ...scene, book, struckAt, heal: () => deployment.heal() });
    return { ...result, problems: [...deployment.accidents(), ...(await options.check?.(scene) ?? []), ...result.problems] };
  } finally {
    delay.disable();
    await crowd.leave();
    await book.stop();
    await deployment.heal();
  }
}

interface Fallen {
  rainId: string;
  /** As it was asked for. */
  request: CreateRequest & { id: string };
  tickets: Map<string, string>;
  /** Epoch ms. */
  opensAt: number;
  arriveBy: number;
  closesAt: number;
}

const TRIES_MAX = 4;

/** Makes the rain. On a machine that stands still for a while it may be too late for its own opening; then another one is made, further ahead. */
export async function fall(deployment: Deployment, run: Run, random: Chance, options: FaultOptions): Promise<Fallen> {
  for (let attempt = 1; ; attempt++) {
    const rainId = attempt === 1 ? run.rainId : `${run.rainId}-${attempt}`;
    const shape: Shape = { ...SHAPE, shards: random.between(1, 2), ...options.rain };
    const ground = { ...deployment, rainId, random };
    const tickets = await issueTickets(rainId, shape.users, tokenFor);
    await options.prepare?.(ground);
    const request = await plan(deployment.context, rainId, { ...shape, opensInMs: shape.opensInMs * 2 ** (attempt - 1) });
    const { opensAt, closesAt } = await inLocalTime(deployment, request);
    const late = () => Date.now() > opensAt - 200;
    try {
      await (options.raise ? options.raise(ground, request) : raise(deployment.context, request));
    } catch (error) {
      if (!late() || attempt === TRIES_MAX) throw error;
    }
    if (!late() || attempt === TRIES_MAX) return { rainId, request, tickets, opensAt, closesAt, arriveBy: opensAt + (shape.arrivalsMs ?? shape.windowMs - 100) };
  }
}

function momentOf(when: When, { random, opensAt, closesAt }: Scene): number {
  switch (when) {
    case 'rain': return random.between(opensAt - 200, closesAt + 200);
    case 'swing': return random.between(opensAt + 50, opensAt + 1_000);
    case 'end': return random.between(closesAt - 150, closesAt + 700);
    default: return when satisfies never;
  }
}

async function inLocalTime({ context }: Deployment, { opensAt, closesAt }: CreateRequest): Promise<{ opensAt: number; closesAt: number }> {
  const ahead = await redisNow(context.redis) - Date.now();
  return { opensAt: opensAt - ahead, closesAt: closesAt - ahead };
}
