import { audienceOf, type Audience } from '../../rain/audience.ts';
import { bearerId } from '../../rain/ids.ts';
import { createTokenReader, type TokenRules } from '../../platform/auth/tokenReader.ts';

/** A session's knowledge of its token. */
export interface Identity {
  userId: string;
  /** Epoch ms at which the token runs out, by Redis's clock. */
  expiresAt: number;
  /** The scope of the token; `undefined`: everything that is not by invitation. */
  audience: Audience | undefined;
}

/** `unavailable`: the issuer does not send the keys that would tell whether the token is good. */
export type VerifyToken = (token: string) => Promise<Identity | 'unavailable' | undefined>;

/**
 * Verifies tokens. The user is the `sub` of a verified, unexpired token and nothing else [R9].
 * @param now Redis's clock, epoch ms: by its own clock, a fast gateway would refuse valid tokens, and a slow one
 *   accept expired ones
 */
export function createVerifier(rules: TokenRules, now: () => number): VerifyToken {
  const read = createTokenReader(rules, now);
  return async (token) => {
    const bearer = await read(token);
    if (bearer === 'unavailable') return bearer;
    const user = bearerId.safeParse(bearer?.subject);
    if (!bearer || !user.success) return undefined;
    return { userId: user.data, expiresAt: bearer.expiresAt, audience: audienceOf(bearer) };
  };
}
