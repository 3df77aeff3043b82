import type { Session } from '../../state/responses.ts';
import { playerAddress } from '../../state/playerPage.ts';

/** Opens the player's page as this participant. The code is in the fragment, which browsers send to no server. */
export function personalLink(session: Pick<Session, 'playerPage'>, code: string): string {
  return playerAddress(session, `#code=${encodeURIComponent(code)}`).href;
}

/** Where the code is typed, as short as a browser takes it. */
export function shortAddress(session: Pick<Session, 'playerPage'>): string {
  const { host, pathname } = playerAddress(session, '');
  return host + pathname.replace(/\/$/, '');
}
