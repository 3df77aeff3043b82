import { redisNow } from '../../src/store/rains.ts';
import { createRain, type CreateRequest } from '../../src/operator/create.ts';
import type { OperatorContext } from '../../src/operator/context.ts';
import { loadRain } from '../../src/operator/load.ts';

/** How one rain of a run is made. Every user plays; about two thirds of them win. */
export interface Shape {
  users: number;
  packets: number;
  shards: number;
  /** ms */
  opensInMs: number;
  windowMs: number;
  /** The users arrive within so long, ms; otherwise within the whole window. */
  arrivalsMs?: number;
}

export const SHAPE: Shape = { users: 300, packets: 200, shards: 1, opensInMs: 1_000, windowMs: 2_000 };

/** What is asked of the operator: an amount of one unit per packet on average. */
export async function plan(context: OperatorContext, rainId: string, { packets, shards, opensInMs, windowMs }: Shape): Promise<CreateRequest & { id: string }> {
  const opensAt = await redisNow(context.redis) + opensInMs;
  return { id: rainId, plan: { budget: `${packets}.00`, packets, split: { method: 'double-mean' } }, opensAt, closesAt: opensAt + windowMs, shards };
}

/** Created and loaded in this process. */
export async function raise(context: OperatorContext, request: CreateRequest & { id: string }): Promise<void> {
  const created = await createRain(context, request);
  if (!created.ok) throw new Error(JSON.stringify(created.refusals));
  const loaded = await loadRain(context, request.id);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.refusals));
}
