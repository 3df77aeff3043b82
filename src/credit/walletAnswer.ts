import { z } from 'zod';
import { amount } from '../rain/claim.ts';
import { readJson } from '../rain/json.ts';

/** What a wallet says it has paid under one claim id. */
export interface Payment {
  /** A decimal string. */
  amount: string;
  /** Absent: it does not say. */
  userId?: string | undefined;
}

const batchAnswer = z.object({ results: z.array(z.unknown()) });
const claimResult = z.object({
  claimId: z.string(),
  status: z.enum(['done', 'already', 'refused', 'retry']),
  reason: z.string().optional().catch(undefined),
  /** What `already` was paid. */
  userId: z.string().optional().catch(undefined),
  amount: amount.optional().catch(undefined),
});
type ClaimResult = z.infer<typeof claimResult>;

/**
 * The results of a batch by claim id; `undefined`: not a valid answer. An unreadable result counts as missing, and two
 * contradicting results count as unknown: the claim is sent again.
 */
export function readResults(text: string): Map<string, ClaimResult> | undefined {
  const parsed = batchAnswer.safeParse(readJson(text));
  if (!parsed.success) return undefined;
  const results = new Map<string, ClaimResult>();
  for (const result of parsed.data.results) {
    const { success, data } = claimResult.safeParse(result);
    if (!success) continue;
    const other = results.get(data.claimId);
    const contradicts = other && (other.status !== data.status || other.userId !== data.userId || other.amount !== data.amount);
    results.set(data.claimId, contradicts ? { ...data, status: 'retry', reason: `answered both ${other.status} and ${data.status}` } : data);
  }
  return results;
}

const receiptsAnswer = z.object({ receipts: z.array(z.unknown()) });
const receipt = z.object({ id: z.string(), amount, userId: z.string().optional().catch(undefined) });

/**
 * All receipts of an answer by claim id: those in its body, and the one in its header `Rain-Receipt: <claim id> <amount>`. An
 * unreadable receipt counts as missing.
 */
export function readReceipts(text: string, header?: string): Map<string, Payment[]> {
  const [, headerId, headerAmount] = /^(\S+) (\S+)$/.exec(header ?? '') ?? [];
  const body = receiptsAnswer.safeParse(readJson(text));
  const receipts = new Map<string, Payment[]>();
  for (const candidate of [{ id: headerId, amount: headerAmount }, ...(body.success ? body.data.receipts : [])]) {
    const { success, data } = receipt.safeParse(candidate);
    if (!success) continue;
    const others = receipts.get(data.id) ?? [];
    others.push({ amount: data.amount, userId: data.userId });
    receipts.set(data.id, others);
  }
  return receipts;
}

const conflictAnswer = z.object({ claimId: z.string(), userId: z.string(), amount });

/** What the body of a 409 says that was paid under this claim id: one payment, or none. */
export function readPaidBefore(text: string, claimId: string): Payment[] {
  const { success, data } = conflictAnswer.safeParse(readJson(text));
  return success && data.claimId === claimId ? [{ amount: data.amount, userId: data.userId }] : [];
}

/** External text shortened to one line for a dead letter. */
export function excerpt(text: string): string {
  return text.slice(0, 200).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu, ' ').trim();
}
