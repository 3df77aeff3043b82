import { askForGuestToken } from './desk.ts';

const INVITED_KEY = 'rain.token';
const GUEST_KEY = 'rain.guest';
const COMPACT_JWT = /^[\w-]+\.[\w-]+\.[\w-]*$/;

/** Who this page speaks for. Kept for the tab alone, so that a reload finds its winnings again and two tabs are two players. */
export interface Credentials {
  /**
   * @returns a token, or `undefined` when there is none to be had
   * @throws when none could be fetched just now
   */
  token(): Promise<string | undefined>;
  /** The last token may have been the reason for a refusal. */
  doubt(): void;
}

/** A token of `#token=…`, if there is one, at once taken out of the address bar and the history. */
export function takeInvitation(): void {
  const invited = new URLSearchParams(location.hash.slice(1)).get('token');
  if (invited === null) return;
  history.replaceState(history.state, '', location.pathname + location.search);
  if (COMPACT_JWT.test(invited)) remember(INVITED_KEY, invited);
}

export function openCredentials(demo: boolean): Credentials {
  const invited = recall(INVITED_KEY);
  if (invited !== undefined) {
    let doubted = false;
    // Nobody here can replace an invitation, so one that ran out ends the matter; any other refusal may pass.
    return { token: async () => (doubted && isOver(invited) ? undefined : invited), doubt: () => { doubted = true; } };
  }
  if (!demo) return { token: async () => undefined, doubt: () => {} };
  let current: string | undefined;
  return {
    async token() {
      current ??= await askForGuestToken(recall(GUEST_KEY));
      if (current !== undefined) remember(GUEST_KEY, current);
      return current;
    },
    doubt: () => { current = undefined; },
  };
}

/** The token of whoever plays here, as far as one is known; for questions beside the game. */
export function knownToken(): string | undefined {
  return recall(INVITED_KEY) ?? recall(GUEST_KEY);
}

/** Whether the token's own end has passed by this phone's clock; only the gateway's word counts, this one spares it questions. */
function isOver(token: string): boolean {
  try {
    const payload: { exp?: unknown } = JSON.parse(atob(token.split('.')[1]!.replaceAll('-', '+').replaceAll('_', '/')));
    return typeof payload.exp === 'number' && payload.exp * 1000 <= Date.now();
  } catch {
    return true;
  }
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
