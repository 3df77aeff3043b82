import { randomBytes } from 'node:crypto';
import { jwtVerify } from 'jose';
import { TOKEN_ALGORITHM, tokenKey } from '../platform/auth/token.ts';
import { GUEST_PREFIX, guestId } from '../rain/names.ts';
import { createEntryTokens, type EntryTokenOptions, type IssuedToken } from './entryTokens.ts';

/** An expired guest token can be renewed for this long, so that a phone that slept keeps its winnings. */
const RENEWABLE_SECONDS = 24 * 60 * 60;

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

  async function formerGuest(token: string): Promise<string | undefined> {
    try {
      const checks = {
        issuer,
        audience,
        algorithms: [TOKEN_ALGORITHM],
        currentDate: new Date(now()),
        clockTolerance: RENEWABLE_SECONDS,
      };
      const { payload } = await jwtVerify(token, tokenKey(secret), checks);
      // The same secret may sign tokens of real users. We must not renew those.
      return payload.sub?.startsWith(GUEST_PREFIX) ? payload.sub : undefined;
    } catch {
      return undefined;
    }
  }

  const issueTo = async (userId: string): Promise<IssuedGuest> => ({ ...(await tokens.issue(userId)), userId });

  return {
    /**
     * @param former an earlier token of a guest, who keeps the user id, and with it the nickname.
     * @returns `undefined`: we issued it to no guest, or too long ago
     */
    async renew(former: string): Promise<IssuedGuest | undefined> {
      const userId = await formerGuest(former);
      return userId === undefined ? undefined : issueTo(userId);
    },
    issue: (nickname?: string): Promise<IssuedGuest> => issueTo(guestId(random(), nickname)),
  };
}
