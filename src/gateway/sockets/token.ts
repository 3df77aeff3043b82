import { userId } from '../../rain/claim.ts';
import { createTokenReader, type TokenRules } from '../../platform/auth/tokenReader.ts';

/** Who the token's bearer is, and until when (epoch ms). */
export interface Identity {
  userId: string;
  expiresAt: number;
}

export type VerifyToken = (token: string) => Promise<Identity | undefined>;

/**
 * The user is the `sub` of a verified, unexpired token and nothing else [R9].
 *
 * Whether it has run out is judged by Redis's clock, which all gateways share and which rules the rain: a gateway whose own
 * clock is ten minutes ahead would turn away, in the middle of a rain, whoever has less than that left, and one behind would
 * let in whose token ran out ten minutes ago.
 *
 * @param now that clock, epoch ms
 */
export function createVerifier(rules: TokenRules, now: () => number): VerifyToken {
  const read = createTokenReader(rules, now);
  return async (token) => {
    const bearer = await read(token);
    const user = userId.safeParse(bearer?.subject);
    return bearer && user.success ? { userId: user.data, expiresAt: bearer.expiresAt } : undefined;
  };
}
