/** The most rounds of a campaign that a user may win. */
export const WINS_PER_USER_MAX = 100;

/**
 * The terms of a rain: all decisions of the operator besides money, times and title, fixed when the rain is created.
 * They are one value, passed unchanged from the request to the ledger, to Redis and to the players, who see all of
 * them.
 *
 * - An absent term has its default: a flag is off, a count is unlimited.
 * - Requests are checked strictly [R12]. Stored terms are passed on unchanged, even unknown ones of a newer version.
 *   A gateway that
 *   does not know a term grants nothing, see gateway/rains/terms.ts.
 * - A term never changes its name, kind or meaning. A new meaning needs a new name.
 */
export const TERMS = {
  rehearsal: {
    kind: 'flag',
    keptBy: 'book',
    suits: 'rains of their own',
    asks: 'use test money: everything works as in a real rain, but no wallet is called',
    tells: 'Wins are not real money, and players must be told so',
    unsuited: 'wins of a rehearsal would count as wins of the campaign; rehearse with a rain outside of it',
  },
  excludeEarlierWinners: {
    kind: 'flag',
    keptBy: 'script',
    suits: 'rounds',
    asks: 'users who have won in another round of the campaign win nothing in this one',
    tells: 'Users who have won in another round of the campaign win nothing in this one',
    unsuited: 'only a round of a campaign has earlier winners',
  },
  unlisted: {
    kind: 'flag',
    keptBy: 'gateway',
    suits: 'all',
    asks: 'tell nobody of it: only users who know the id see it',
    tells: 'Nobody is told of it unasked: `welcome` does not list it',
  },
  invitedOnly: {
    kind: 'flag',
    keptBy: 'gateway',
    suits: 'all',
    asks: 'only users whose token names the id, in its claim `rains`, see it and win',
    tells: 'Only users whose token names it see it and win; to all others there is no such rain',
  },
  winsMax: {
    kind: 'count',
    min: 1,
    max: WINS_PER_USER_MAX,
    keptBy: 'script',
    suits: 'rounds',
    tells: 'A user with this many wins in the campaign wins no more in this round; the campaign sets it',
  },
} as const satisfies Record<string, TermDescription>;

type Kind = { kind: 'flag' } | { kind: 'count'; min: number; max: number };

export type TermDescription = Kind & {
  /**
   * Where it is enforced: in the ledger's database, in the script that grants (see `lua/draft.lua`), or in each
   * gateway.
   */
  keptBy: 'book' | 'script' | 'gateway';
  /** The rains that may have it. */
  suits: 'all' | 'rains of their own' | 'rounds';
  /** Help text for the operator; absent: it cannot be requested but follows from something else. */
  asks?: string;
  /** Description for players and developers of clients. */
  tells: string;
  /** Why other rains cannot have it. */
  unsuited?: string;
};

export type TermName = keyof typeof TERMS;
type Described = typeof TERMS;
type ValueOf<D> = D extends { kind: 'flag' } ? true : number;

/** Only terms that differ from their default. Terms of a newer version may be present too. */
export type Terms = { readonly [N in TermName]?: ValueOf<Described[N]> };

/** The users who see a rain or a sale. */
export type Visibility = Pick<Terms, 'unlisted' | 'invitedOnly'>;

export type RequestedTermName = { [N in TermName]: Described[N] extends { asks: string } ? N : never }[TermName];
/** The terms that an operator requested. */
export type RequestedTerms = Pick<Terms, RequestedTermName>;
/** The names of terms enforced by the gateways, the script or the ledger. */
export type TermKeptBy<W extends TermDescription['keptBy']> = {
  [N in TermName]: Described[N]['keptBy'] extends W ? N : never;
}[TermName];

export const TERM_NAMES = Object.keys(TERMS) as TermName[];

export function describeTerm(name: TermName): TermDescription {
  return TERMS[name];
}

/** The terms that an operator may request for these rains. */
export function requestedTermNames(...which: TermDescription['suits'][]): RequestedTermName[] {
  return TERM_NAMES.filter((name): name is RequestedTermName => {
    const { asks, suits } = describeTerm(name);
    return asks !== undefined && (which.length === 0 || suits === 'all' || which.includes(suits));
  });
}

/** `excludeEarlierWinners` → `exclude-earlier-winners`, or with another separator. */
export function termWords(name: string, between = '-'): string {
  return name.replace(/[A-Z]/g, (letter) => `${between}${letter.toLowerCase()}`);
}

/** Names of unknown terms, of a newer version. */
export function unknownTerms(terms: Terms): string[] {
  return Object.keys(terms).filter((name) => !(TERM_NAMES as readonly string[]).includes(name));
}

/** Whether all terms have their defaults. */
export function areUsual(terms: Terms): boolean {
  for (const _ in terms) return false;
  return true;
}
