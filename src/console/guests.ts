import { randomBytes } from 'node:crypto';
import { jwtVerify } from 'jose';
import { signToken, TOKEN_ALGORITHM, tokenKey } from '../platform/auth/token.ts';

export const GUEST_TOKEN_SECONDS = 2 * 60 * 60;
/** How long after its end a guest token still proves who the guest was, so that a phone that slept keeps its winnings. */
const RENEWABLE_SECONDS = 24 * 60 * 60;
const GUEST_PREFIX = 'guest-';

interface GuestToken {
  token: string;
  /** `guest-…` */
  userId: string;
  /** Epoch milliseconds. */
  expiresAt: number;
}

/** Hands out identities to anybody who asks; only a demo has one. */
export interface GuestTokens {
  /** @param former a token this guest had before: he stays who he was, if it was one of ours; otherwise he is somebody new */
  issue(former?: string): Promise<GuestToken>;
}

interface GuestOptions {
  secret: string;
  issuer?: string;
  audience?: string;
  /** Epoch milliseconds. */
  now?: () => number;
  /** The unguessable part of a new guest's id. */
  random?: () => string;
}

export function createGuestTokens({ secret, issuer, audience, now = Date.now, random = randomName }: GuestOptions): GuestTokens {
  const names = { ...(issuer !== undefined && { issuer }), ...(audience !== undefined && { audience }) };

  async function formerGuest(token: string): Promise<string | undefined> {
    try {
      const options = { ...names, algorithms: [TOKEN_ALGORITHM], currentDate: new Date(now()), clockTolerance: RENEWABLE_SECONDS };
      const { payload } = await jwtVerify(token, tokenKey(secret), options);
      // The same secret may sign real users' tokens; prolonging one of those is not ours to do.
      return payload.sub?.startsWith(GUEST_PREFIX) ? payload.sub : undefined;
    } catch {
      return undefined;
    }
  }

  return {
    async issue(former) {
      const issuedAt = now();
      const userId = (former && await formerGuest(former)) || GUEST_PREFIX + random();
      const token = await signToken(secret, { sub: userId, expiresInSeconds: GUEST_TOKEN_SECONDS, ...names }, issuedAt);
      return { token, userId, expiresAt: (Math.floor(issuedAt / 1000) + GUEST_TOKEN_SECONDS) * 1000 };
    },
  };
}

function randomName(): string {
  return randomBytes(9).toString('base64url');
}
