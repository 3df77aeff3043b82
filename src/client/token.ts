/**
 * The user's JWT, or a function that fetches one. The function is called again when the last token may have caused a
 * refusal. It returns `undefined` when there is no token, and rejects when the fetch failed and may be repeated.
 */
export type TokenSource = string | (() => Promise<string | undefined>);

export interface TakenToken {
  token: string;
  /** Another token would not help: this one was fetched just now, or there is no other. */
  fresh: boolean;
}

export class Tokens {
  readonly #source: TokenSource;
  readonly #now: () => number;
  #current: string | undefined;
  #doubted = false;

  /** @param now epoch ms by the server's clock: phones are set wrong, and a wrong day would end the game */
  constructor(source: TokenSource, now: () => number) {
    this.#source = source;
    this.#now = now;
  }

  /** @returns `undefined` when there is no token. @throws the error of the source */
  async take(): Promise<TakenToken | undefined> {
    // A fixed token cannot be replaced, so an expired one is final; any other refusal may be temporary.
    if (typeof this.#source === 'string')
      return this.#doubted && hasExpired(this.#source, this.#now()) ? undefined : { token: this.#source, fresh: true };
    if (this.#current !== undefined) return { token: this.#current, fresh: false };
    this.#current = await this.#source();
    return this.#current === undefined ? undefined : { token: this.#current, fresh: true };
  }

  doubt(): void {
    this.#doubted = true;
    this.#current = undefined;
  }
}

/** Whether the token has expired. Only the gateway decides; this check saves useless requests. */
function hasExpired(token: string, now: number): boolean {
  try {
    const payload: { exp?: unknown } = JSON.parse(atob(token.split('.')[1]!.replace(/-/g, '+').replace(/_/g, '/')));
    return typeof payload.exp === 'number' && payload.exp * 1000 <= now;
  } catch {
    return true;
  }
}
