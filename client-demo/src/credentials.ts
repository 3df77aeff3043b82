import type { TokenSource } from '../../src/client/token.ts';
import { nicknameIn } from '../../src/rain/names.ts';
import { requestGuestToken, type PlayerConfig } from './api.ts';
import { recall, remember } from './storage.ts';

const INVITED_KEY = 'rain.token';
const GUEST_KEY = 'rain.guest';
const NAME_KEY = 'rain.name';
/** A reload keeps the player and the winnings. Per tab, two tabs are two players; on a device, a closed page keeps them, too. */
const STORES = { tab: () => sessionStorage, device: () => localStorage };
const { tab } = STORES;
const COMPACT_JWT = /^[\w-]+\.[\w-]+\.[\w-]*$/;

/** A link that would make this page another user's. Both are ids as the tokens have them; nobody has verified them yet. */
export interface Invitation {
  from: string;
  to: string;
  accept(): void;
}

/**
 * Takes the token of `#token=…`, if there is one, and removes it from the address bar and the history. A page without a token stores it.
 * @returns a question, if the page has the token of another user: a link of a stranger must not sign anybody in unasked
 */
export function takeInvitation(): Invitation | undefined {
  const invited = new URLSearchParams(location.hash.slice(1)).get('token');
  if (invited === null) return undefined;
  history.replaceState(history.state, '', location.pathname + location.search);
  if (!COMPACT_JWT.test(invited)) return undefined;
  const accept = () => { remember(tab, INVITED_KEY, invited); };
  const known = knownToken();
  const [from, to] = [known === undefined ? undefined : userIn(known), userIn(invited)];
  if (from !== undefined && from !== to) return { from, to, accept };
  accept();
  return undefined;
}

/** The user that a token names, without verifying it; '' where it cannot be read. */
function userIn(token: string): string {
  try {
    const bytes = Uint8Array.from(atob(token.split('.')[1]!.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0));
    const { sub }: { sub?: unknown } = JSON.parse(new TextDecoder().decode(bytes));
    return typeof sub === 'string' ? sub : '';
  } catch {
    return '';
  }
}

/** Whether the page should ask for a name: guests of an event have one, and this device has not played there yet. */
export function wantsName({ guests, event }: Pick<PlayerConfig, 'guests' | 'event'>): boolean {
  return guests === 'device' && event !== undefined && recall(tab, INVITED_KEY) === undefined && recall(STORES.device, GUEST_KEY) === undefined && recall(STORES.device, NAME_KEY) === undefined;
}

/** @returns whether it can be a name */
export function takeName(typed: string): boolean {
  const name = nicknameIn(typed);
  if (name !== undefined) remember(STORES.device, NAME_KEY, name);
  return name !== undefined;
}

/** @param guests `page`: a guest that nothing is kept of, for a screen that only watches */
export function openCredentials(guests: PlayerConfig['guests'] | 'page'): TokenSource {
  return recall(tab, INVITED_KEY) ?? (async () => {
    if (!guests) return undefined;
    if (guests === 'page') return requestGuestToken(undefined);
    const token = await requestGuestToken(recall(STORES[guests], GUEST_KEY), guests === 'device' ? recall(STORES.device, NAME_KEY) : undefined);
    if (token !== undefined) remember(STORES[guests], GUEST_KEY, token);
    return token;
  });
}

export function knownToken(): string | undefined {
  return recall(tab, INVITED_KEY) ?? recall(tab, GUEST_KEY) ?? recall(STORES.device, GUEST_KEY);
}
