import { z } from 'zod';
import { ofSqlState } from '../platform/network/retryable.ts';

/** How Prisma wraps what the driver was told. */
const prismaError = z.object({
  meta: z.object({
    driverAdapterError: z.object({ cause: z.object({ originalCode: z.string(), originalMessage: z.string() }) }),
  }),
});

/** The database has understood the values and does not take them, today or tomorrow. */
interface Refusal {
  /** SQLSTATE, e.g. `23514`. */
  code: string;
  message: string;
}

/** Anything that may pass, be it a deadlock, a lost connection or a full disk, is `undefined` here: see platform/network/retryable.ts. */
export function refusalOf(error: unknown): Refusal | undefined {
  const parsed = prismaError.safeParse(error);
  if (!parsed.success) return undefined;
  const { originalCode: code, originalMessage: message } = parsed.data.meta.driverAdapterError.cause;
  return ofSqlState(code) === 'refuse' ? { code, message } : undefined;
}
