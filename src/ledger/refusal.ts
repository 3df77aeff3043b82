import { z } from 'zod';
import { ofSqlState } from '../platform/network/retryable.ts';

/** How Prisma wraps an error of the driver. */
const prismaError = z.object({
  meta: z.object({
    driverAdapterError: z.object({ cause: z.object({ originalCode: z.string(), originalMessage: z.string() }) }),
  }),
});

/**
 * The database understood the values and will never accept them; `code`: SQLSTATE, e.g. `23514`. `undefined`: any fault
 * that may pass, such as a deadlock, a lost connection or a full disk, see platform/network/retryable.ts.
 */
export function refusalOf(error: unknown): { code: string; message: string } | undefined {
  const parsed = prismaError.safeParse(error);
  if (!parsed.success) return undefined;
  const { originalCode: code, originalMessage: message } = parsed.data.meta.driverAdapterError.cause;
  return ofSqlState(code) === 'refuse' ? { code, message } : undefined;
}
