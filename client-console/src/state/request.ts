import { AwayWatch } from './awayWatch.ts';
import type { FieldRefusal, Session } from './responses.ts';

/** Why a request failed. `unreachable`: the console may have executed it or not. Every verb is safe to repeat. */
export interface Refusal {
  /** HTTP status; 0 when no answer came. */
  status: number;
  code: string;
  reason: string;
  refusals: readonly FieldRefusal[];
}

export type Answer<T> = { ok: true; value: T } | { ok: false; refusal: Refusal };

/** No verb takes longer: a rain of five million packets is loaded in seconds. */
const ANSWER_MS_MAX = 60_000;
/** Smaller differences of the clocks are ignored: the `Date` header has whole seconds only, and answers take time. */
const CLOCK_DOUBT_MS = 1_500;

/**
 * How far the server's clock is ahead, whole ms, by the `Date` header of an answer; 0: they seem to agree; `undefined`:
 * no date.
 */
export function clockAheadMs(dateHeader: string | null, sentAt: number, answeredAt: number): number | undefined {
  const aheadMs = Math.round(Date.parse(dateHeader ?? '') + 500 - (sentAt + answeredAt) / 2);
  return Number.isNaN(aheadMs) ? undefined : Math.abs(aheadMs) > CLOCK_DOUBT_MS ? aheadMs : 0;
}

/**
 * The client of the console's HTTP API. It keeps the CSRF token and the server's clock, and reports the end of the
 * session.
 */
export class ApiClient {
  /** Called when the session has ended. */
  onExpired: () => void = () => {};
  /** The requests and streams that have lost the server. */
  readonly away = new AwayWatch();
  #csrf = '';
  #aheadMs = 0;

  /** The address of a path below `/api/console/`. Also correct if the console is served below a prefix. */
  static address(path: string): string {
    return new URL(`../api/console/${path}`, document.baseURI).href;
  }

  /** The address of a file that the API names relative to its origin. */
  static fileAddress(url: string): string {
    return new URL(`..${url}`, document.baseURI).href;
  }

  /** Now by the server's clock, whole epoch ms, accurate to about a second. */
  now(): number {
    return Date.now() + this.#aheadMs;
  }

  get<T>(path: string, signal?: AbortSignal): Promise<Answer<T>> {
    return this.send('GET', path, undefined, signal);
  }

  /** @param body a file is sent as CSV, and a sheet in the answer is a Blob; all else is JSON */
  post<T>(path: string, body: unknown = {}, signal?: AbortSignal): Promise<Answer<T>> {
    return this.send('POST', path, body, signal);
  }

  /** Sends a picture or a sound. */
  put<T>(path: string, file: Blob): Promise<Answer<T>> {
    return this.send('PUT', path, file, undefined, file.type || 'application/octet-stream');
  }

  /** The path `session` signs in, reads the session of this browser, and signs out; those below it open a new one. */
  async send<T>(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    body?: unknown,
    signal?: AbortSignal,
    fileType = 'text/csv',
  ): Promise<Answer<T>> {
    const timeout = AbortSignal.timeout(ANSWER_MS_MAX);
    const sentAt = Date.now();
    try {
      const response = await fetch(ApiClient.address(path), {
        method,
        credentials: 'same-origin',
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
        headers: {
          ...(body !== undefined && { 'content-type': body instanceof Blob ? fileType : 'application/json' }),
          ...(method !== 'GET' && this.#csrf !== '' && { 'x-csrf-token': this.#csrf }),
        },
        ...(body !== undefined && { body: body instanceof Blob ? body : JSON.stringify(body) }),
      });
      this.#aheadMs = clockAheadMs(response.headers.get('date'), sentAt, Date.now()) ?? this.#aheadMs;
      const sheet = response.headers.get('content-type')?.startsWith('text/csv');
      const answer: unknown = response.status === 204 ? undefined : await (sheet ? response.blob() : response.json());
      if (response.ok && path.startsWith('session')) this.#readToken(path, answer);
      if (response.ok) return { ok: true, value: answer as T };
      const refusal = refusalOf(response.status, answer);
      // A wrong password or code is 401, too, and ends nothing.
      if (refusal.code === 'no_session' && path !== 'session') this.onExpired();
      return { ok: false, refusal };
    } catch (fault) {
      return { ok: false, refusal: unanswered(fault, signal) };
    }
  }

  #readToken(path: string, answer: unknown): void {
    const { csrf, session } = (answer ?? {}) as Partial<Session> & { session?: Session };
    if (path === 'session' || csrf !== undefined || session) this.#csrf = session?.csrf ?? csrf ?? '';
  }
}

function unanswered(fault: unknown, signal: AbortSignal | undefined): Refusal {
  return {
    status: 0,
    code: signal?.aborted ? 'aborted' : 'unreachable',
    reason: fault instanceof Error ? fault.message : String(fault),
    refusals: [],
  };
}

function refusalOf(status: number, body: unknown): Refusal {
  const { code, reason, refusals } = (typeof body === 'object' && body !== null ? body : {}) as Partial<Refusal>;
  return {
    status,
    code: typeof code === 'string' ? code : 'internal',
    reason: typeof reason === 'string' ? reason : `HTTP ${status}`,
    refusals: Array.isArray(refusals) ? refusals : [],
  };
}
