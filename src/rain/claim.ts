import { z } from 'zod';
import { matching, plainId, rainId, userId } from './ids.ts';
import { readJson } from './json.ts';
import { parseMoney } from './money.ts';
import { firstRefusal, formatRefusal } from './refusal.ts';

const AMOUNT = 'expected a positive amount such as "12.21"';

/** A positive amount as in messages and lists, e.g. `"12.21"`. */
export const amount = z.string(AMOUNT).refine((text) => (parseMoney(text) ?? 0n) > 0n, AMOUNT);

/** The proof that a user was told of a win, made by whoever holds SIGNING_SECRET. */
export const receipt = matching(/^[A-Za-z0-9_-]{22}$/, 'expected the receipt of a win, 22 letters, digits, _ or -');

/** The name that a gateway gives itself when it starts. */
const GATEWAY_NAME = /^[a-z0-9]{8}$/;

/**
 * The record of a win. Written by `lua/grab.lua`, it passes unchanged through the claim log, the relay and the job to
 * the ledger.
 */
export const claim = z.object({
  rainId,
  redPacketId: plainId,
  amount,
  userId,
  /** Redis's clock at the win, as a string: cjson would change a long number. */
  at: matching(/^\d{13}$/, 'expected epoch milliseconds'),
  /** The packet's signature as its list element had it; absent in claims from before packets were signed. */
  mac: z
    .string('expected a signature of at most 64 characters')
    .max(64, 'expected a signature of at most 64 characters')
    .optional(),
  /**
   * The gateway that was told of this win: it is told of the credit. Nothing else depends on it, so another text is as
   * good as none.
   */
  gateway: z.string().regex(GATEWAY_NAME).optional().catch(undefined),
});
export type Claim = z.infer<typeof claim>;

type ParsedClaim = { ok: true; claim: Claim } | { ok: false; reason: string };

/** Parses one entry of the claim log: a claim, or the reason why it is not one. Never throws. */
export function parseClaim(entry: string): ParsedClaim {
  const value = readJson(entry);
  if (value === undefined) return { ok: false, reason: 'not JSON' };
  const parsed = claim.safeParse(value);
  return parsed.success
    ? { ok: true, claim: parsed.data }
    : { ok: false, reason: formatRefusal(firstRefusal(parsed.error, 'claim')) };
}

/** Whether this entry, of the claim log or of a user, is this win. */
export function isEntryOf(
  entry: string | null | undefined,
  { userId: winner, redPacketId, amount: won }: Pick<Claim, 'userId' | 'redPacketId' | 'amount'>,
): boolean {
  const parsed = typeof entry === 'string' ? parseClaim(entry) : undefined;
  return (
    parsed?.ok === true &&
    parsed.claim.userId === winner &&
    parsed.claim.redPacketId === redPacketId &&
    parsed.claim.amount === won
  );
}
