import { randomBytes } from 'node:crypto';
import { jwtVerify } from 'jose';
import { signToken, TOKEN_ALGORITHM, tokenKey } from '../platform/auth/token.ts';
import { GUEST_PREFIX, guestId } from '../rain/names.ts';

export const GUEST_TOKEN_SECONDS = 2 * 60 * 60;
/** An expired guest token can be renewed for this long, so that a phone that slept keeps its winnings. */
const RENEWABLE_SECONDS = 24 * 60 * 60;

interface GuestOptions {
  secret: string;
  issuer?: string;
  audience?: string;
  /** Epoch milliseconds. */
  now?: () => number;
  /** The unguessable part of a new guest's id. */
  random?: () => string;
}

export type GuestTokens = ReturnType<typeof createGuestTokens>;

/** Issues guest identities to everybody: in a demo, and at an event with an open link. */
export function createGuestTokens({ secret, issuer, audience, now = Date.now, random = () => randomBytes(9).toString('base64url') }: GuestOptions) {
  async function formerGuest(token: string): Promise<string | undefined> {
    try {
      const options = { issuer, audience, algorithms: [TOKEN_ALGORITHM], currentDate: new Date(now()), clockTolerance: RENEWABLE_SECONDS };
      const { payload } = await jwtVerify(token, tokenKey(secret), options);
      // The same secret may sign tokens of real users. We must not renew those.
      return payload.sub?.startsWith(GUEST_PREFIX) ? payload.sub : undefined;
    } catch {
      return undefined;
    }
  }

  return {
    /**
     * @param former an earlier token of this guest. If we issued it, the guest keeps the user id; otherwise the guest gets a new one.
     * @param nickname of a new guest; a guest who is known keeps the first one, since the id has it
     * @returns `userId`: `guest-…`; `expiresAt`: epoch milliseconds
     */
    async issue(former?: string, nickname?: string): Promise<{ token: string; userId: string; expiresAt: number }> {
      const issuedAt = now();
      const userId = (former && await formerGuest(former)) || guestId(random(), nickname);
      const token = await signToken(secret, { sub: userId, expiresInSeconds: GUEST_TOKEN_SECONDS, issuer, audience }, issuedAt);
      return { token, userId, expiresAt: (Math.floor(issuedAt / 1000) + GUEST_TOKEN_SECONDS) * 1000 };
    },
  };
}
