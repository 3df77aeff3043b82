import { userId } from '../../rain/ids.ts';
import { createTokenReader, type TokenRules } from '../../platform/auth/tokenReader.ts';

/** In a claim of a token: every rain, or every sale, that is not by invitation. */
export const EVERY = '*';

/** What a session knows of its token. */
export interface Identity {
  userId: string;
  /** Epoch ms at which the token runs out, by Redis's clock. */
  expiresAt: number;
  /** What the token is for; `undefined`: everything that is not by invitation. */
  audience: Audience | undefined;
}

/** The ids that the claims `rains` and `sales` of a token name. A token with one of them is for nothing else. */
export interface Audience {
  readonly rains: ReadonlySet<string>;
  readonly sales: ReadonlySet<string>;
  /** Its bearer takes part in nothing: the screen of a hall. */
  readonly watchOnly?: boolean;
}

const NOTHING: ReadonlySet<string> = new Set();
const EVERYTHING: ReadonlySet<string> = new Set([EVERY]);

export type VerifyToken = (token: string) => Promise<Identity | undefined>;

/**
 * Verifies tokens. The user is the `sub` of a verified, unexpired token and nothing else [R9].
 * @param now Redis's clock, epoch ms: by its own clock, a fast gateway would refuse valid tokens, and a slow one accept expired ones
 */
export function createVerifier(rules: TokenRules, now: () => number): VerifyToken {
  const read = createTokenReader(rules, now);
  return async (token) => {
    const bearer = await read(token);
    const user = userId.safeParse(bearer?.subject);
    if (!bearer || !user.success) return undefined;
    return { userId: user.data, expiresAt: bearer.expiresAt, audience: audienceOf(bearer) };
  };
}

function audienceOf({ rains, sales, watch }: { rains?: string[] | undefined; sales?: string[] | undefined; watch?: true | undefined }): Audience | undefined {
  const watchOnly = watch === true;
  if (rains || sales) return { rains: rains ? new Set(rains) : NOTHING, sales: sales ? new Set(sales) : NOTHING, watchOnly };
  return watchOnly ? { rains: EVERYTHING, sales: EVERYTHING, watchOnly } : undefined;
}
