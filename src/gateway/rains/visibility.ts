import { mayEnter, type Audience } from '../../rain/audience.ts';
import type { Visibility } from '../../rain/terms.ts';
import type { Session } from '../sockets/session.ts';
import { WELCOME_BYTES_MAX, WELCOME_LISTED_MAX } from './limits.ts';

type Kind = 'rains' | 'sales';

/**
 * Whether this user may take part. To others it is answered as one that there is not. Called with every grab and
 * purchase.
 */
export function mayTake(audience: Audience | undefined, kind: Kind, id: string, visibility: Visibility): boolean {
  return audience?.watchOnly !== true && mayEnter(audience, kind, id, visibility);
}

/**
 * The user's sockets that may hear of the user's wins or orders there: a token may be for another rain.
 */
export function entitled(sessions: Iterable<Session>, kind: Kind, id: string, visibility: Visibility = {}): Session[] {
  return [...sessions].filter(({ audience }) => mayEnter(audience, kind, id, visibility));
}

/** Whether this user is told of it unasked. */
export function isListedFor(audience: Audience | undefined, kind: Kind, id: string, visibility: Visibility): boolean {
  return (!visibility.unlisted || audience?.[kind].has(id) === true) && mayEnter(audience, kind, id, visibility);
}

/**
 * The entries that `welcome` lists: scheduled, open or paused ones, the next one first, few and short. Long ones are
 * left out.
 */
export function toList<Shown extends { state: string; opensAt: number }>(shown: readonly Shown[]): Shown[] {
  const next = shown
    .filter(({ state }) => state === 'loaded' || state === 'open' || state === 'paused')
    .sort((a, b) => a.opensAt - b.opensAt);
  let bytes = 0;
  return next.slice(0, WELCOME_LISTED_MAX).filter((one) => {
    const size = Buffer.byteLength(JSON.stringify(one));
    if (bytes + size > WELCOME_BYTES_MAX) return false;
    bytes += size;
    return true;
  });
}
