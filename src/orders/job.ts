import type { z } from 'zod';
import { range, rangeJobId } from '../credit/job.ts';
import { saleId } from '../sale/ids.ts';

/** A range of one sale's reservation log. */
export const orderJob = range.extend({ saleId });
export type OrderJob = z.infer<typeof orderJob>;

export function orderJobId(job: OrderJob, again?: string): string {
  return rangeJobId(job.saleId, job, again);
}

/** Part of a sale's reservation log: `from` inclusive, `to` exclusive. */
export interface ReservationRange {
  saleId: string;
  from: number;
  to: number;
}

/** The range of a job, from its id alone; `undefined`: not an id of ours. */
export function rangeOfOrderJobId(id: string): ReservationRange | undefined {
  const match = /^([A-Za-z0-9_-]+(?:\.\d+)?)-(\d+)-(\d+)-[0-9a-f]{16}(-again-.+)?$/.exec(id);
  return match ? { saleId: match[1]!, from: Number(match[2]), to: Number(match[3]) } : undefined;
}
