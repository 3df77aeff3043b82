import { z } from 'zod';

/** How Prisma wraps what the driver was told. */
const prismaError = z.object({
  meta: z.object({
    driverAdapterError: z.object({ cause: z.object({ originalCode: z.string(), originalMessage: z.string() }) }),
  }),
});

/** The database has understood the values and does not take them, today or tomorrow. */
export interface Refusal {
  /** SQLSTATE, e.g. `23514`. */
  code: string;
  message: string;
}

/**
 * Class 22 (these are no values of this type) or 23 (a constraint forbids them). Anything else, be it a deadlock, a lost
 * connection or a full disk, may pass and is `undefined` here.
 */
export function refusalOf(error: unknown): Refusal | undefined {
  const parsed = prismaError.safeParse(error);
  if (!parsed.success) return undefined;
  const { originalCode: code, originalMessage: message } = parsed.data.meta.driverAdapterError.cause;
  return /^2[23]/.test(code) ? { code, message } : undefined;
}
