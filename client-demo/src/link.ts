import { codeIn } from '../../src/platform/auth/typedCode.ts';
import { requestParticipantToken, untilAnswered, type PlayerConfig } from './api.ts';
import { askForCode, keepCode, keepInvited, knownToken, playsWith } from './credentials.ts';

/** To learn whose code a link has, while the page has a user. */
const TRIES = 3;
const COMPACT_JWT = /^[\w-]+\.[\w-]+\.[\w-]*$/;

/** The part of a link about the person who follows it. It is in the fragment, which no server logs. */
interface PersonalLink {
  token?: string;
  code?: string;
}

/**
 * A link that would make this page another user's. Both are ids as the tokens have them; nobody has verified them yet.
 */
export interface Invitation {
  from: string;
  to: string;
  accept(): void;
}

/** Takes what `#token=…` or `#code=…` says, and removes it from the address bar and the history. */
export function takeLink(): PersonalLink {
  const named = new URLSearchParams(location.hash.slice(1));
  const [token, typed] = [named.get('token'), named.get('code')];
  if (token === null && typed === null) return {};
  history.replaceState(history.state, '', location.pathname + location.search);
  const code = typed === null ? undefined : codeIn(typed);
  return { ...(token !== null && COMPACT_JWT.test(token) && { token }), ...(code !== undefined && { code }) };
}

/** A link followed on the open page changes only the fragment. */
export function reloadOnLink(): void {
  addEventListener('hashchange', () => {
    if (/^#(?:token|code)=/.test(location.hash)) location.reload();
  });
}

/**
 * A page without a user becomes that of the link.
 * @returns a question, if the page has another user: a link of a stranger must not sign anybody in unasked;
 *   `refused`: nobody has the code of the link, and the page has a user
 */
export async function followLink(
  { token, code }: PersonalLink,
  config: PlayerConfig,
  random: () => number,
): Promise<Invitation | 'refused' | undefined> {
  const known = knownToken(config);
  if (token !== undefined) return invite(known, token, () => keepInvited(token));
  if (code === undefined || !config.participants || playsWith(code)) return undefined;
  // Whose it is need not be known here: the page asks for a token with it.
  if (known === undefined) {
    keepCode(code);
    return undefined;
  }
  const found = await untilAnswered(() => requestParticipantToken(code), random, TRIES).catch(
    () => 'unanswered' as const,
  );
  // The page plays on as its user.
  if (found === 'unanswered') return undefined;
  // After a wrong link a guest may type the code. A person who decides to stay a guest is not asked for it as well.
  askForCode(found === undefined);
  return found === undefined ? 'refused' : invite(known, found, () => keepCode(code, found));
}

function invite(known: string | undefined, token: string, accept: () => void): Invitation | undefined {
  const [from, to] = [known === undefined ? undefined : userIn(known), userIn(token)];
  if (from !== undefined && from !== to) return { from, to, accept };
  accept();
  return undefined;
}

/** The user that a token names, without verifying it; '' where it cannot be read. */
function userIn(token: string): string {
  try {
    const bytes = Uint8Array.from(atob(token.split('.')[1]!.replace(/-/g, '+').replace(/_/g, '/')), (letter) =>
      letter.charCodeAt(0),
    );
    const { sub }: { sub?: unknown } = JSON.parse(new TextDecoder().decode(bytes));
    return typeof sub === 'string' ? sub : '';
  } catch {
    return '';
  }
}
