import { randomBytes } from 'node:crypto';
import { decodeJwt } from 'jose';
import { createTokenReader } from '../platform/auth/tokenReader.ts';
import { GUEST_PREFIX, guestId } from '../rain/names.ts';
import { createEntryTokens, type EntryTokenOptions, type IssuedToken } from './entryTokens.ts';

/** An expired guest token can be renewed for this long, so that a phone that slept keeps its winnings. */
const RENEWABLE_SECONDS = 24 * 60 * 60;
/** All renewals together: a copied token is worth nothing afterwards. */
const RENEWED_SECONDS_MAX = 7 * 24 * 60 * 60;

interface GuestOptions extends EntryTokenOptions {
  /** The unguessable part of a new guest's id. */
  random?: () => string;
}

/** `userId`: `guest-…` */
type IssuedGuest = IssuedToken & { userId: string };

export type GuestTokens = ReturnType<typeof createGuestTokens>;

/** Issues guest identities to everybody: in a demo, and at an event with an open link. */
export function createGuestTokens({ random = () => randomBytes(9).toString('base64url'), ...options }: GuestOptions) {
  const { secret, issuer, audience, now = Date.now } = options;
  const tokens = createEntryTokens(options);
  const read = createTokenReader({ secret, issuer, audience, expiredSecondsMax: RENEWABLE_SECONDS }, now);

  return {
    /**
     * The guest keeps the user id, and with it the nickname. The renewed token is for no more than the former one was,
     * since another login with this secret may have limited it.
     * @returns `undefined`: we issued it to no guest, or too long ago
     */
    async renew(former: string): Promise<IssuedGuest | undefined> {
      const bearer = await read(former);
      // The same secret may sign tokens of real users. We must not renew those.
      if (!bearer || bearer === 'unavailable' || !bearer.subject.startsWith(GUEST_PREFIX)) return undefined;
      const { auth_time, iat } = decodeJwt(former);
      const authTime = auth_time ?? iat;
      // Says what must be true: a time that is no number makes it false.
      if (!(typeof authTime === 'number' && now() / 1_000 < authTime + RENEWED_SECONDS_MAX)) return undefined;
      const { subject: userId, rains, sales, watch } = bearer;
      const limits = { ...(rains && { rains }), ...(sales && { sales }), ...(watch && { watch }) };
      return { ...(await tokens.issue(userId, { ...limits, authTime })), userId };
    },
    async issue(nickname?: string): Promise<IssuedGuest> {
      const userId = guestId(random(), nickname);
      return { ...(await tokens.issue(userId)), userId };
    },
  };
}
