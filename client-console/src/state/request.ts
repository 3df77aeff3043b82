import type { FieldRefusal, Session } from './responses.ts';

/** Why the console did not do it. `unreachable`: it may have, or not; every verb is safe to repeat. */
export interface Refusal {
  /** HTTP status; 0 when no answer came. */
  status: number;
  code: string;
  reason: string;
  refusals: readonly FieldRefusal[];
}

export type Answer<T> = { ok: true; value: T } | { ok: false; refusal: Refusal };

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** No verb of the console takes longer; a rain of five million packets is loaded in seconds. */
const ANSWER_MS_MAX = 60_000;
/** Below this a clock that differs is not told from a slow answer: the `Date` header knows whole seconds only. */
const CLOCK_DOUBT_MS = 1_500;

/** The one way to the console's HTTP API. Knows the session's token, the server's clock, and when nobody is logged in any more. */
export class Ask {
  /** Called when the console does not know this browser any more. */
  onExpired: () => void = () => {};
  #csrf = '';
  #aheadMs = 0;

  /** The address of a path below `/api/console/`, also where the console is served below another path. */
  static address(path: string): string {
    return new URL(`../api/console/${path}`, document.baseURI).href;
  }

  /** Now by the server's clock, epoch ms, to a second. */
  now(): number {
    return Date.now() + this.#aheadMs;
  }

  get<T>(path: string, signal?: AbortSignal): Promise<Answer<T>> {
    return this.#ask('GET', path, undefined, signal);
  }

  post<T>(path: string, body: unknown = {}, signal?: AbortSignal): Promise<Answer<T>> {
    return this.#ask('POST', path, body, signal);
  }

  put<T>(path: string, body: unknown): Promise<Answer<T>> {
    return this.#ask('PUT', path, body);
  }

  remove<T>(path: string): Promise<Answer<T>> {
    return this.#ask('DELETE', path);
  }

  async login(name: string, password: string): Promise<Answer<Session>> {
    return this.#keep(await this.#ask<Session>('POST', 'session', { name, password }));
  }

  /** The session that this browser has already, if any. */
  async resume(): Promise<Answer<Session>> {
    return this.#keep(await this.#ask<Session>('GET', 'session'));
  }

  async logout(): Promise<void> {
    await this.#ask('DELETE', 'session');
    this.#csrf = '';
  }

  #keep(answer: Answer<Session>): Answer<Session> {
    if (answer.ok) this.#csrf = answer.value.csrf;
    return answer;
  }

  async #ask<T>(method: Method, path: string, body?: unknown, signal?: AbortSignal): Promise<Answer<T>> {
    const patience = AbortSignal.timeout(ANSWER_MS_MAX);
    const askedAt = Date.now();
    try {
      const response = await fetch(Ask.address(path), {
        method, credentials: 'same-origin', signal: signal ? AbortSignal.any([signal, patience]) : patience,
        headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...(method !== 'GET' && this.#csrf !== '' && { 'x-csrf-token': this.#csrf }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      this.#readClock(response, askedAt);
      const said: unknown = response.status === 204 ? undefined : await response.json();
      if (response.ok) return { ok: true, value: said as T };
      const refusal = refusalOf(response.status, said);
      if (response.status === 401 && path !== 'session') this.onExpired();
      return { ok: false, refusal };
    } catch (fault) {
      return { ok: false, refusal: { status: 0, code: signal?.aborted ? 'aborted' : 'unreachable', reason: fault instanceof Error ? fault.message : String(fault), refusals: [] } };
    }
  }

  #readClock(response: Response, askedAt: number): void {
    const date = Date.parse(response.headers.get('date') ?? '');
    if (Number.isNaN(date)) return;
    const ahead = date + 500 - (askedAt + Date.now()) / 2;
    this.#aheadMs = Math.abs(ahead) > CLOCK_DOUBT_MS ? ahead : 0;
  }
}

function refusalOf(status: number, said: unknown): Refusal {
  const { code, reason, refusals } = (typeof said === 'object' && said !== null ? said : {}) as Partial<Refusal>;
  return {
    status, code: typeof code === 'string' ? code : 'internal', reason: typeof reason === 'string' ? reason : `HTTP ${status}`,
    refusals: Array.isArray(refusals) ? refusals : [],
  };
}
