import { setTimeout as sleep } from 'node:timers/promises';
import type { CreateRequest } from '../../src/operator/create.ts';
import { redisNow } from '../../src/grab/reading.ts';
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
}

/**
 * Breaks something, at the moment it is called. What is still broken when it resolves stays so until the rain is settled by
 * the rest of the system; what must run for that, it starts again itself.
 * @returns when it broke, epoch ms, if that was not at once
 */
export type Strike = (scene: Scene) => Promise<number | void> | number | void;

/**
 * By chance: from just before the first grab to just after the last, in the first half of the window while packets are being
 * won, or around the end and the settlement.
 */
export type When = 'rain' | 'swing' | 'end';

export interface FaultOptions {
  /** It takes half a minute: once, unless more is asked for. */
  slow?: boolean;
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
export async function playRun(deployment: Deployment, { name, rainId }: Run, strike: Strike, options: FaultOptions): Promise<RunResult> {
  const random = chance(name);
  const shape: Shape = { ...SHAPE, shards: random.between(1, 2), ...options.rain };
  const before = { ...deployment, rainId, random };
  const tickets = await issueTickets(rainId, shape.users, tokenFor);
  await options.prepare?.(before);
  const request = await plan(deployment.desk, rainId, shape);
  if (options.raise) await options.raise(before, request);
  else await raise(deployment.desk, request);
  const { opensAt, closesAt } = await inLocalTime(deployment, request);
  const crowd = gather({ rainId, gatewayUrls: deployment.gatewayUrls, tickets, from: opensAt - 400, to: closesAt - 100, random });
  const book = watchBook(deployment.desk.ledger, rainId);
  const scene: Scene = { ...before, crowd, opensAt, closesAt };
  try {
    await sleep(momentOf(options.when ?? 'rain', scene) - Date.now());
    const calledAt = Date.now();
    const struckAt = await strike(scene) ?? calledAt;
    const result = await recover({ ...scene, book, struckAt, heal: () => deployment.heal() });
    return { ...result, problems: [...deployment.accidents(), ...(await options.check?.(scene) ?? []), ...result.problems] };
  } finally {
    await crowd.leave();
    await book.stop();
    await deployment.heal();
  }
}

function momentOf(when: When, { random, opensAt, closesAt }: Scene): number {
  switch (when) {
    case 'rain': return random.between(opensAt - 200, closesAt + 200);
    case 'swing': return random.between(opensAt + 50, Math.round((opensAt + closesAt) / 2));
    case 'end': return random.between(closesAt - 150, closesAt + 700);
    default: return when satisfies never;
  }
}

async function inLocalTime({ desk }: Deployment, { opensAt, closesAt }: CreateRequest): Promise<{ opensAt: number; closesAt: number }> {
  const ahead = await redisNow(desk.redis) - Date.now();
  return { opensAt: opensAt - ahead, closesAt: closesAt - ahead };
}
