import { z } from 'zod';
import { amount } from '../rain/claim.ts';
import { readAnswer, readBatchAnswer, RESULT_STATUSES } from './batchAnswer.ts';

/** A wallet's payment under one claim id, made once. Absent fields are unknown. */
export interface Payment {
  /** A decimal string. */
  amount?: string;
  userId?: string;
  /** Amount or user as the wallet wrote them, when one of them has another form: nobody knows what was paid. */
  unreadable?: string;
}

/** `null` is how some languages write a field that is absent. */
const payment = z.object({ amount: amount.nullish(), userId: z.string().nullish() });

function toPayment(told: { amount?: unknown; userId?: unknown }): Payment {
  const { success, data } = payment.safeParse({ amount: told.amount, userId: told.userId });
  if (!success) return { unreadable: JSON.stringify({ amount: scalar(told.amount), userId: scalar(told.userId) }) };
  return {
    ...(typeof data.amount === 'string' && { amount: data.amount }),
    ...(typeof data.userId === 'string' && { userId: data.userId }),
  };
}

/** Bounds what is written out: an object may be as deep as the answer is long. */
const scalar = (value: unknown): unknown => (typeof value === 'object' && value !== null ? 'not a string' : value);

const claimResult = z.object({
  claimId: z.string(),
  status: z.enum(RESULT_STATUSES),
  reason: z.string().optional().catch(undefined),
  userId: z.unknown().optional(),
  amount: z.unknown().optional(),
});
/** `said`: what the result itself says that was paid. */
type ClaimResult = Pick<z.infer<typeof claimResult>, 'claimId' | 'status' | 'reason'> & { said: Payment };

/** The results of a batch by claim id; `undefined`: not a valid answer. */
export function readResults(text: string): Map<string, ClaimResult> | undefined {
  return readBatchAnswer(
    text,
    (value): ClaimResult | undefined => {
      const { success, data } = claimResult.safeParse(value);
      if (!success) return undefined;
      const { claimId, status, reason } = data;
      return { claimId, status, ...(reason !== undefined && { reason }), said: toPayment(data) };
    },
    ({ claimId }) => claimId,
  );
}

const receiptsAnswer = z.object({ receipts: z.array(z.unknown()) });
const receipt = z.object({ id: z.string(), amount: z.unknown().optional(), userId: z.unknown().optional() });

/**
 * All receipts of an answer by claim id: those in its body, and the one in its header `Rain-Receipt: <claim id>
 * <amount>`. One that names a claim and cannot be read otherwise is kept as unreadable: it may contradict a readable
 * one.
 */
export function readReceipts(text: string, header?: string): Map<string, Payment[]> {
  const [, headerId, headerAmount] = /^(\S+)(?: (.*))?$/.exec(header ?? '') ?? [];
  const body = receiptsAnswer.safeParse(readAnswer(text));
  const receipts = new Map<string, Payment[]>();
  for (const candidate of [{ id: headerId, amount: headerAmount }, ...(body.success ? body.data.receipts : [])]) {
    const { success, data } = receipt.safeParse(candidate);
    if (!success) continue;
    const paid = toPayment(data);
    const others = receipts.get(data.id) ?? [];
    // A receipt is for an amount.
    others.push(
      paid.unreadable === undefined && paid.amount === undefined ? { unreadable: JSON.stringify(paid) } : paid,
    );
    receipts.set(data.id, others);
  }
  return receipts;
}

const conflictAnswer = z.object({
  claimId: z.string(),
  userId: z.unknown().optional(),
  amount: z.unknown().optional(),
});

/** The payment that the body of a 409 names under this claim id, or none. */
export function readPaidBefore(text: string, claimId: string): Payment[] {
  const { success, data } = conflictAnswer.safeParse(readAnswer(text));
  return success && data.claimId === claimId ? [toPayment(data)] : [];
}

/** External text shortened to one line for a dead letter. */
export function excerpt(text: string): string {
  return text
    .slice(0, 200)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu, ' ')
    .trim();
}
