import type { TokenSource } from '../../src/client/token.ts';
import { requestGuestToken } from './api.ts';

const INVITED_KEY = 'rain.token';
const GUEST_KEY = 'rain.guest';
const COMPACT_JWT = /^[\w-]+\.[\w-]+\.[\w-]*$/;

/** Stores the token of `#token=…`, if there is one, and removes it from the address bar and the history. */
export function takeInvitation(): void {
  const invited = new URLSearchParams(location.hash.slice(1)).get('token');
  if (invited === null) return;
  history.replaceState(history.state, '', location.pathname + location.search);
  if (COMPACT_JWT.test(invited)) remember(INVITED_KEY, invited);
}

/** The player's token. It is stored per tab: a reload keeps the player and the winnings, and two tabs are two players. */
export function openCredentials(demo: boolean): TokenSource {
  return recall(INVITED_KEY) ?? (async () => {
    if (!demo) return undefined;
    const token = await requestGuestToken(recall(GUEST_KEY));
    if (token !== undefined) remember(GUEST_KEY, token);
    return token;
  });
}

/** The stored token of the current player, for requests outside the game. */
export function knownToken(): string | undefined {
  return recall(INVITED_KEY) ?? recall(GUEST_KEY);
}

// If the browser forbids storage, the game works without it.
function recall(key: string): string | undefined {
  try {
    return sessionStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

function remember(key: string, token: string): void {
  try {
    sessionStorage.setItem(key, token);
  } catch { /* storage is forbidden, see above */ }
}
