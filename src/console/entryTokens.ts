import { randomBytes } from 'node:crypto';
import { signToken, type Named } from '../platform/auth/token.ts';

/** Long enough for an evening's round; a page asks for another one before. */
export const ENTRY_TOKEN_SECONDS = 2 * 60 * 60;

export interface EntryTokenOptions {
  secret: string;
  issuer?: string;
  audience?: string;
  /** Epoch milliseconds. */
  now?: () => number;
}

export interface IssuedToken {
  token: string;
  /** Epoch milliseconds. */
  expiresAt: number;
}

export type EntryTokens = ReturnType<typeof createEntryTokens>;

/**
 * Issues the tokens of those who come in by this console: guests, people on the list of participants, and the screens
 * of a hall.
 */
export function createEntryTokens({ secret, issuer, audience, now = Date.now }: EntryTokenOptions) {
  async function issue(sub: string, more: Named & { authTime?: number } = {}): Promise<IssuedToken> {
    const issuedAt = now();
    const token = await signToken(
      secret,
      { sub, expiresInSeconds: ENTRY_TOKEN_SECONDS, issuer, audience, ...more },
      issuedAt,
    );
    return { token, expiresAt: (Math.floor(issuedAt / 1000) + ENTRY_TOKEN_SECONDS) * 1000 };
  }
  return {
    issue,
    /** For a screen in a hall: with this token nobody can take part. */
    forScreen: () => issue(`screen-${randomBytes(9).toString('base64url')}`, { watch: true }),
  };
}
