/**
 * Who the client speaks for: a JWT, or where to get one; the latter is asked again when the last one may have been the reason
 * for a refusal, says `undefined` when there is none to be had, and rejects when none could be fetched just now.
 */
export type TokenSource = string | (() => Promise<string | undefined>);

export interface Taken {
  token: string;
  /** Asking for another would not help: this one was fetched just now, or is all there is. */
  fresh: boolean;
}

/** The token in use. */
export class Tokens {
  readonly #source: TokenSource;
  #current: string | undefined;
  #doubted = false;

  constructor(source: TokenSource) {
    this.#source = source;
  }

  /** @returns `undefined` when there is none to be had. @throws what the source throws */
  async take(): Promise<Taken | undefined> {
    // Nobody here can replace it, so one that ran out ends the matter; any other refusal may pass.
    if (typeof this.#source === 'string') return this.#doubted && isOver(this.#source) ? undefined : { token: this.#source, fresh: true };
    if (this.#current !== undefined) return { token: this.#current, fresh: false };
    this.#current = await this.#source();
    return this.#current === undefined ? undefined : { token: this.#current, fresh: true };
  }

  /** The last token may have been the reason for a refusal. */
  doubt(): void {
    this.#doubted = true;
    this.#current = undefined;
  }
}

/** Whether the token's own end has passed by this machine's clock; only the gateway's word counts, this one spares it questions. */
function isOver(token: string): boolean {
  try {
    const payload: { exp?: unknown } = JSON.parse(atob(token.split('.')[1]!.replaceAll('-', '+').replaceAll('_', '/')));
    return typeof payload.exp === 'number' && payload.exp * 1000 <= Date.now();
  } catch {
    return true;
  }
}
