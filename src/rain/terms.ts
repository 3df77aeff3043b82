/** In how many rounds of a campaign a user may win at most. */
export const WINS_PER_USER_MAX = 100;

/**
 * The terms of a rain: all that an operator decides about it beside its money, its times and its title. They are one value,
 * carried whole from the request to the book, to Redis and to the players.
 *
 * - They are decided when the rain is created, and for good.
 * - A term that is absent is at its default: a flag is off, a count sets no bound.
 * - What is asked for is judged strictly [R12]. What is read back is carried whole: a term of a newer version is passed on as it
 *   is, and a gateway that does not know it grants nothing by guessing, see gateway/rains/terms.ts.
 * - A term keeps its name, kind and meaning. What means something else gets another name.
 * - Players are shown all of them, so that no term may be a secret.
 */
export const TERMS = {
  rehearsal: {
    kind: 'flag',
    keptBy: 'book',
    suits: 'rains of their own',
    asks: 'play it with test money: everything as it will be, and no wallet hears of it',
    tells: 'What is won in it is no real money, and players are to be told so',
    unsuited: 'what is won in a rehearsal would count as a win of the campaign; rehearse with a rain of its own',
  },
  excludeEarlierWinners: {
    kind: 'flag',
    keptBy: 'script',
    suits: 'rounds',
    asks: 'who has won in another round of the campaign gets nothing in this one',
    tells: 'Users who have won in another round of the campaign get nothing in this one',
    unsuited: 'only a round of a campaign has earlier winners',
  },
  winsMax: {
    kind: 'count', min: 1, max: WINS_PER_USER_MAX,
    keptBy: 'script',
    suits: 'rounds',
    tells: 'With so many wins in the campaign a user wins no more in this round; it follows from the campaign',
  },
} as const satisfies Record<string, TermDescription>;

type Kind = { kind: 'flag' } | { kind: 'count'; min: number; max: number };

export type TermDescription = Kind & {
  /** Who holds everybody to it: the book (its database), the script that grants (`lua/draft.lua` takes out what it needs), or each gateway. */
  keptBy: 'book' | 'script' | 'gateway';
  /** Which rains may have it. */
  suits: 'all' | 'rains of their own' | 'rounds';
  /** What the operator asks for with it; absent: nobody asks for it, it follows from something else. */
  asks?: string;
  /** What players are told by it, and developers of clients. */
  tells: string;
  /** Why another rain cannot have it. */
  unsuited?: string;
};

export type TermName = keyof typeof TERMS;
type Described = typeof TERMS;
type ValueOf<D> = D extends { kind: 'flag' } ? true : number;

/** Only those that are not at their default. There may be more than these: terms of a newer version. */
export type Terms = { readonly [N in TermName]?: ValueOf<Described[N]> };

export type RequestedTermName = { [N in TermName]: Described[N] extends { asks: string } ? N : never }[TermName];
/** What an operator has asked for. */
export type RequestedTerms = Pick<Terms, RequestedTermName>;
/** Those that are held by the gateways, by the script or by the book. */
export type TermKeptBy<W extends TermDescription['keptBy']> = { [N in TermName]: Described[N]['keptBy'] extends W ? N : never }[TermName];

export const TERM_NAMES = Object.keys(TERMS) as TermName[];

/** What is known about a term, whichever it is. */
export function describeTerm(name: TermName): TermDescription {
  return TERMS[name];
}

/** What an operator may ask for, of these rains. */
export function requestedTermNames(...which: TermDescription['suits'][]): RequestedTermName[] {
  return TERM_NAMES.filter((name): name is RequestedTermName => {
    const { asks, suits } = describeTerm(name);
    return asks !== undefined && (which.length === 0 || suits === 'all' || which.includes(suits));
  });
}

/** `excludeEarlierWinners` → `exclude-earlier-winners`, or with another mark between the words. */
export function termWords(name: string, between = '-'): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `${between}${letter.toLowerCase()}`);
}

/** What is carried through and not understood: terms of a newer version. */
export function unknownTerms(terms: Terms): string[] {
  return Object.keys(terms).filter((name) => !Object.hasOwn(TERMS, name));
}

/** Nothing has been decided but the defaults. */
export function areUsual(terms: Terms): boolean {
  for (const _ in terms) return false;
  return true;
}
