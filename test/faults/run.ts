import { setTimeout as sleep } from 'node:timers/promises';
import type { CreateRequest } from '../../src/operator/create.ts';
import { redisNow } from '../../src/grab/reading.ts';
import { tokenFor } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { watchBook } from './bookWatch.ts';
import { chance, type Chance } from './chance.ts';
import { gather, issueTickets, type Crowd } from './crowd.ts';
import type { Deployment } from './deployment.ts';
import { plan, raise, SHAPE, type Shape } from './rainfall.ts';
import { judge, recoverySeconds, type Verdict } from './verdict.ts';

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
  /** For a fault whose one run is enough or long. */
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

export interface RunResult extends Verdict {
  recoverySeconds: number;
  /** When, in words. */
  struck: string;
}

/** From the fault until the rain is settled, ms. */
const SETTLED_WITHIN_MS = 90_000;
const ANSWERED_WITHIN_MS = 60_000;
const ASKED_WITHIN_MS = 20_000;

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

    const unanswered = await crowd.answered(ANSWERED_WITHIN_MS);
    const settled = await eventually(() => book.settledAt() !== undefined, { timeoutMs: Math.max(0, struckAt + SETTLED_WITHIN_MS - Date.now()) }).then(() => true, () => false);
    await deployment.heal();
    const forgotten = await crowd.askOnceMore(ASKED_WITHIN_MS);
    // The book is closed a moment before Redis hears of it.
    if (settled) await eventually(async () => (await deployment.desk.redis.hexists('rain:settled', rainId)) === 1, { timeoutMs: 30_000 }).catch(() => {});
    const verdict = await judge(deployment.desk, deployment.database, rainId, crowd);
    return {
      ...verdict,
      problems: [
        ...unanswered.map((userId) => `${userId} never got an answer`), ...forgotten.map((userId) => `${userId} asked once more and was not answered`),
        ...(settled ? [] : [`not settled within ${SETTLED_WITHIN_MS / 1_000} s of the fault`]),
        ...deployment.accidents(), ...(await options.check?.(scene) ?? []), ...verdict.problems,
      ],
      recoverySeconds: recoverySeconds(struckAt, closesAt, crowd, book),
      struck: `${struckAt - opensAt} ms after the opening`,
    };
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
