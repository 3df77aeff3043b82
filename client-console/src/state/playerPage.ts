import type { Session } from './responses.ts';

/** An address below the player's page. Without one of its own, that page is beside the console. */
export function playerAddress({ playerPage }: Pick<Session, 'playerPage'>, path: string): URL {
  return new URL(path, playerPage ?? new URL('../', location.href.split('#')[0]));
}
