import { UnrecoverableError } from 'bullmq';
import type { z } from 'zod';
import { firstRefusal, formatRefusal } from '../rain/refusal.ts';

/** @throws UnrecoverableError when the job is invalid, which a retry cannot change */
export function openJob<Job>(schema: z.ZodType<Job>, data: unknown): Job {
  const parsed = schema.safeParse(data);
  if (parsed.success) return parsed.data;
  throw new UnrecoverableError(formatRefusal(firstRefusal(parsed.error, 'job')));
}
