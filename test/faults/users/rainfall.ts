import { redisNow } from '../../../src/store/rains.ts';
import { createRain, type CreateRequest } from '../../../src/operator/create.ts';
import type { OperatorContext } from '../../../src/operator/context.ts';
import { loadRain } from '../../../src/operator/load.ts';

/** The parameters of one rain. Every user plays, and about two thirds win. */
export interface Shape {
  users: number;
  packets: number;
  shards: number;
  /** ms */
  opensInMs: number;
  windowMs: number;
  /** The users arrive within this time, ms; if absent, within the whole window. */
  arrivalsMs?: number;
}

export const SHAPE: Shape = { users: 300, packets: 200, shards: 1, opensInMs: 1_000, windowMs: 2_000 };

/** The request for a rain with an average of 1.00 per packet. */
export async function requestFor(
  context: OperatorContext,
  rainId: string,
  { packets, shards, opensInMs, windowMs }: Shape,
): Promise<CreateRequest & { id: string }> {
  const opensAt = (await redisNow(context.redis)) + opensInMs;
  return {
    id: rainId,
    plan: { budget: `${packets}.00`, packets, split: { method: 'double-mean' } },
    opensAt,
    closesAt: opensAt + windowMs,
    shards,
  };
}

/** Creates and loads the rain in this process. */
export async function createAndLoad(context: OperatorContext, request: CreateRequest & { id: string }): Promise<void> {
  const created = await createRain(context, request);
  if (!created.ok) throw new Error(JSON.stringify(created.refusals));
  const loaded = await loadRain(context, request.id);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.refusals));
}
