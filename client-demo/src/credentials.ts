import type { TokenSource } from '../../src/client/token.ts';
import { requestGuestToken } from './api.ts';
import { recall, remember } from './storage.ts';

const INVITED_KEY = 'rain.token';
const GUEST_KEY = 'rain.guest';
/** Per tab: a reload keeps the player and the winnings, and two tabs are two players. */
const tab = () => sessionStorage;
const COMPACT_JWT = /^[\w-]+\.[\w-]+\.[\w-]*$/;

/** Stores the token of `#token=…`, if there is one, and removes it from the address bar and the history. */
export function takeInvitation(): void {
  const invited = new URLSearchParams(location.hash.slice(1)).get('token');
  if (invited === null) return;
  history.replaceState(history.state, '', location.pathname + location.search);
  if (COMPACT_JWT.test(invited)) remember(tab, INVITED_KEY, invited);
}

export function openCredentials(demo: boolean): TokenSource {
  return recall(tab, INVITED_KEY) ?? (async () => {
    if (!demo) return undefined;
    const token = await requestGuestToken(recall(tab, GUEST_KEY));
    if (token !== undefined) remember(tab, GUEST_KEY, token);
    return token;
  });
}

export function knownToken(): string | undefined {
  return recall(tab, INVITED_KEY) ?? recall(tab, GUEST_KEY);
}
