import { userId } from '../../rain/claim.ts';
import { createTokenReader, type TokenRules } from '../../platform/auth/tokenReader.ts';

/** The user of a token, and its expiry (epoch ms). */
export interface Identity {
  userId: string;
  expiresAt: number;
}

export type VerifyToken = (token: string) => Promise<Identity | undefined>;

/**
 * Verifies tokens. The user is the `sub` of a verified, unexpired token and nothing else [R9].
 *
 * Expiry is checked by Redis's clock, which all gateways share and which rules the rain. With its own clock, a gateway that is ten
 * minutes fast would refuse, in the middle of a rain, every token with less than ten minutes left; a slow one would accept tokens
 * that expired ten minutes ago.
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
