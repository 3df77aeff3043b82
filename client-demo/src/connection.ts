import { BEARER_PREFIX, SUBPROTOCOL } from '../../src/protocol/constants.ts';
import type { ClientMessage, ServerMessage } from '../../src/protocol/messages.ts';
import { CLOSES } from '../../src/protocol/outcomes.ts';
import { readJson } from '../../src/rain/json.ts';
import { delayBeforeRetry } from '../../src/runtime/backoff.ts';
import { RECONNECT } from './backoff.ts';
import type { Credentials } from './credentials.ts';

/**
 * How long an answer may take, the welcome included, before the connection counts as dead. Counted from a question, not
 * from the last word: in a hidden tab the browser lets nothing be asked for a minute, and such a silence means nothing.
 */
const ANSWER_MS_MAX = 10_000;
const WATCH_MS = 1_000;
const AWAY_MS_MAX = 60_000;
export const PING_MS = 8_000;

/** `away`: the gateway restarts and has said when to come back; nothing is wrong. */
export type Link = 'connecting' | 'up' | 'away' | 'lost' | 'no_token' | 'refused';

export interface ConnectionOptions {
  url: string;
  credentials: Credentials;
  random: () => number;
  onMessage: (message: ServerMessage) => void;
  onLink: (link: Link) => void;
}

/**
 * One socket to the gateway, made anew for as long as there is hope: after a pause that grows with each failure, at once
 * when the phone comes back to a network. It is `up` from the server's welcome on. What was under way when it broke is its
 * user's business: asking again is harmless [R6].
 */
export class Connection {
  readonly #options: ConnectionOptions;
  #socket: WebSocket | undefined;
  #link: Link = 'connecting';
  #failures = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;
  /** How long the gateway that says goodbye wants us to stay away, ms. */
  #awayMs: number | undefined;
  /** When the oldest question without an answer was put. */
  #waitingSince: number | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  start(): void {
    setInterval(() => this.#watch(), WATCH_MS);
    addEventListener('online', () => this.#hurry());
    document.addEventListener('visibilitychange', () => { if (document.visibilityState === 'visible') this.#hurry(); });
    void this.#connect();
  }

  /** @returns false when there is no connection to send on */
  send(message: ClientMessage): boolean {
    if (this.#link !== 'up' || this.#socket?.readyState !== WebSocket.OPEN) return false;
    this.#waitingSince ??= performance.now();
    this.#socket.send(JSON.stringify(message));
    return true;
  }

  /** Hangs up and comes back, to be welcomed again. */
  renew(): void {
    if (this.#socket) this.#drop();
  }

  async #connect(): Promise<void> {
    clearTimeout(this.#retry);
    this.#retry = undefined;
    let token: string | undefined;
    try {
      token = await this.#options.credentials.token();
    } catch {
      return this.#tryLater();
    }
    if (token === undefined) return this.#tell('no_token');
    const socket = new WebSocket(this.#options.url, [SUBPROTOCOL, BEARER_PREFIX + token]);
    this.#socket = socket;
    this.#waitingSince = performance.now();
    socket.addEventListener('message', (event: MessageEvent<unknown>) => { if (socket === this.#socket) this.#hear(event.data); });
    socket.addEventListener('close', ({ code }) => { if (socket === this.#socket) this.#closed(code); });
  }

  #hear(frame: unknown): void {
    this.#waitingSince = undefined;
    const message = readMessage(frame);
    if (!message) return;
    if (message.type === 'welcome') {
      this.#failures = 0;
      this.#tell('up');
    } else if (message.type === 'goodbye') this.#awayMs = Math.min(Math.max(0, Number(message.reconnectInMs) || 0), AWAY_MS_MAX);
    this.#options.onMessage(message);
  }

  #closed(code: number): void {
    const welcomed = this.#link === 'up';
    this.#socket = undefined;
    const awayMs = this.#awayMs;
    this.#awayMs = undefined;
    if (awayMs !== undefined) return this.#comeBack(awayMs);
    const known = code in CLOSES ? CLOSES[code as keyof typeof CLOSES] : undefined;
    if (known?.retry === 'no') return this.#tell('refused');
    // A browser is not told why an upgrade was refused; after a second time the token is a suspect.
    if (known?.reason === 'token_expired' || (!welcomed && this.#failures % 2 === 1)) this.#options.credentials.doubt();
    this.#tryLater();
  }

  #tryLater(): void {
    this.#tell(this.#link === 'connecting' ? 'connecting' : 'lost');
    this.#retry = setTimeout(() => void this.#connect(), delayBeforeRetry(++this.#failures, RECONNECT, this.#options.random));
  }

  /** At the moment the gateway has chosen, which is another one for every page; the player need not know. */
  #comeBack(afterMs: number): void {
    this.#tell('away');
    this.#retry = setTimeout(() => void this.#connect(), afterMs);
  }

  #hurry(): void {
    if (this.#retry !== undefined) void this.#connect();
  }

  /** A socket whose other end has vanished never says so by itself. */
  #watch(): void {
    if (this.#socket && this.#waitingSince !== undefined && performance.now() - this.#waitingSince > ANSWER_MS_MAX) this.#drop();
  }

  /** Not waiting for the other end's goodbye, which may never come. */
  #drop(): void {
    const socket = this.#socket;
    this.#closed(1006);
    socket?.close();
  }

  #tell(link: Link): void {
    if (link === this.#link) return;
    this.#link = link;
    this.#options.onLink(link);
  }
}

/** The server is trusted to speak its protocol, but a frame from a proxy's error page must not stop the page. */
function readMessage(frame: unknown): ServerMessage | undefined {
  const value = typeof frame === 'string' ? readJson(frame) : undefined;
  return typeof value === 'object' && value !== null && 'type' in value ? value as ServerMessage : undefined;
}
