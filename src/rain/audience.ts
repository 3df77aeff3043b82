import type { Visibility } from './terms.ts';

/** In a claim of a token: every rain, or every sale, that is not by invitation. */
const EVERY = '*';

/** The ids that the claims `rains` and `sales` of a token name. A token with one of them is for nothing else. */
export interface Audience {
  readonly rains: ReadonlySet<string>;
  readonly sales: ReadonlySet<string>;
  /** Its bearer takes part in nothing: the screen of a hall. */
  readonly watchOnly?: boolean;
}

/** The claims of a token that say what it is for. */
interface Claims {
  rains?: readonly string[] | undefined;
  sales?: readonly string[] | undefined;
  watch?: true | undefined;
}

const NOTHING: ReadonlySet<string> = new Set();
const EVERYTHING: ReadonlySet<string> = new Set([EVERY]);

/** @returns `undefined`: the token is for everything that is not by invitation */
export function audienceOf({ rains, sales, watch }: Claims): Audience | undefined {
  const watchOnly = watch === true;
  if (rains || sales)
    return { rains: rains ? new Set(rains) : NOTHING, sales: sales ? new Set(sales) : NOTHING, watchOnly };
  return watchOnly ? { rains: EVERYTHING, sales: EVERYTHING, watchOnly } : undefined;
}

/** Whether this user may watch it. To others it is answered as one that there is not. */
export function mayEnter(
  audience: Audience | undefined,
  kind: 'rains' | 'sales',
  id: string,
  { invitedOnly }: Visibility,
): boolean {
  if (audience === undefined) return !invitedOnly;
  const named = audience[kind];
  return named.has(id) || (!invitedOnly && named.has(EVERY));
}
