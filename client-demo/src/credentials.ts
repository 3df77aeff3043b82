import type { TokenSource } from '../../src/client/token.ts';
import { askForGuestToken } from './api.ts';

const INVITED_KEY = 'rain.token';
const GUEST_KEY = 'rain.guest';
const COMPACT_JWT = /^[\w-]+\.[\w-]+\.[\w-]*$/;

/** A token of `#token=…`, if there is one, at once taken out of the address bar and the history. */
export function takeInvitation(): void {
  const invited = new URLSearchParams(location.hash.slice(1)).get('token');
  if (invited === null) return;
  history.replaceState(history.state, '', location.pathname + location.search);
  if (COMPACT_JWT.test(invited)) remember(INVITED_KEY, invited);
}

/** Who this page speaks for. Kept for the tab alone, so that a reload finds its winnings again and two tabs are two players. */
export function openCredentials(demo: boolean): TokenSource {
  return recall(INVITED_KEY) ?? (async () => {
    if (!demo) return undefined;
    const token = await askForGuestToken(recall(GUEST_KEY));
    if (token !== undefined) remember(GUEST_KEY, token);
    return token;
  });
}

/** The token of whoever plays here, as far as one is known; for questions beside the game. */
export function knownToken(): string | undefined {
  return recall(INVITED_KEY) ?? recall(GUEST_KEY);
}

// A browser that forbids storage plays on without it.
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
  } catch { /* see above */ }
}
