import { BEARER_PREFIX, SUBPROTOCOL } from '../protocol/constants.ts';
import type { ClientMessage, ServerMessage } from '../protocol/messages.ts';
import { readJson } from '../rain/json.ts';
import { delayBeforeRetry } from '../platform/network/backoff.ts';
import { RECONNECT } from './backoff.ts';
import { awayMsOf, reconnectAfter, type Loss } from './reconnect.ts';
import { onReturn } from './pageVisibility.ts';
import { OPEN, refusedStatus, type Socket, type SocketClass } from './socket.ts';
import type { Taken, Tokens } from './token.ts';

/**
 * How long an answer may take, the welcome included, before the connection counts as dead. Counted from a question, not
 * from the last word: in a hidden tab the browser lets nothing be asked for a minute, and such a silence means nothing.
 */
const ANSWER_MS_MAX = 10_000;
const WATCH_MS = 1_000;

/**
 * `idle` not asked for, or closed by us · `away` the gateway restarts and has said when to come back; nothing is wrong ·
 * `no_token`, `refused` for good, unless somebody asks to connect again
 */
export type Link = 'idle' | 'connecting' | 'up' | 'away' | 'lost' | 'no_token' | 'refused';

interface ConnectionOptions {
  url: string;
  tokens: Tokens;
  WebSocket: SocketClass;
  random: () => number;
  /** Monotonic ms. */
  now: () => number;
  onMessage: (message: ServerMessage) => void;
  /** @param code why it is refused: a reason of the page of codes, `http_<status>` or `bad_token` */
  onLink: (link: Link, code?: string) => void;
}

/**
 * One socket to the gateway, made anew for as long as there is hope: after a pause that grows with each failure, at once
 * when the phone comes back to a network. It is `up` from the server's welcome on. What was under way when it broke is its
 * user's business: asking again is harmless [R6].
 */
export class Connection {
  readonly #options: ConnectionOptions;
  #socket: Socket | undefined;
  #taken: Taken | undefined;
  #link: Link = 'idle';
  #failures = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #stop: AbortController | undefined;
  /** When the gateway that says goodbye wants to see us again. */
  #comeBackAt: number | undefined;
  /** When the oldest question without an answer was put. */
  #waitingSince: number | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  get link(): Link {
    return this.#link;
  }

  /** Does nothing while it is kept up already. */
  start(): void {
    if (this.#stop) return;
    const stop = new AbortController();
    this.#stop = stop;
    const watch = setInterval(() => this.#watch(), WATCH_MS);
    stop.signal.addEventListener('abort', () => clearInterval(watch));
    onReturn(() => this.#hurry(), stop.signal);
    this.#tell('connecting');
    void this.#connect();
  }

  stop(): void {
    this.#end('idle', () => this.#socket?.close(1000));
  }

  /** @returns false when there is no connection to send on */
  send(message: ClientMessage): boolean {
    if (this.#link !== 'up' || this.#socket?.readyState !== OPEN) return false;
    this.#waitingSince ??= this.#options.now();
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
    const { signal } = this.#stop!;
    const { url, tokens, WebSocket, now } = this.#options;
    try {
      this.#taken = await tokens.take();
    } catch {
      return signal.aborted ? undefined : this.#tryLater();
    }
    if (signal.aborted) return;
    if (this.#taken === undefined) return this.#end('no_token');
    let socket: Socket;
    try {
      socket = new WebSocket(url, [SUBPROTOCOL, BEARER_PREFIX + this.#taken.token]);
    } catch {
      // The address was looked at before: what cannot stand in the request is the token.
      return this.#end('refused', undefined, 'bad_token');
    }
    this.#socket = socket;
    this.#waitingSince = now();
    let refused: number | undefined;
    socket.addEventListener('error', (event) => { refused ??= refusedStatus(event); });
    socket.addEventListener('message', ({ data }) => { if (socket === this.#socket) this.#hear(data); });
    socket.addEventListener('close', ({ code }) => {
      if (socket === this.#socket) this.#lose(refused === undefined ? { kind: 'closed', code } : { kind: 'refused', status: refused });
    });
  }

  #hear(frame: unknown): void {
    this.#waitingSince = undefined;
    const message = readMessage(frame);
    if (!message) return;
    if (message.type === 'welcome') {
      this.#failures = 0;
      this.#tell('up');
    } else if (message.type === 'goodbye') {
      const awayMs = awayMsOf(message.reconnectInMs);
      this.#comeBackAt = awayMs === undefined ? undefined : this.#options.now() + awayMs;
    }
    this.#options.onMessage(message);
  }

  #lose(loss: Loss): void {
    this.#socket = undefined;
    const [comeBackAt, welcomed] = [this.#comeBackAt, this.#link === 'up'];
    this.#comeBackAt = undefined;
    const awayMs = comeBackAt === undefined ? undefined : Math.max(0, comeBackAt - this.#options.now());
    const reconnect = reconnectAfter({ loss, awayMs, welcomed, failures: this.#failures, freshToken: this.#taken?.fresh ?? false });
    switch (reconnect.kind) {
      case 'never': return this.#end('refused', undefined, reconnect.code);
      case 'invited':
        this.#tell('away');
        this.#retry = setTimeout(() => void this.#connect(), reconnect.afterMs);
        return;
      case 'later':
        if (reconnect.newToken) this.#options.tokens.doubt();
        return this.#tryLater(reconnect.atLeastMs);
      default: return reconnect satisfies never;
    }
  }

  #tryLater(atLeastMs = 0): void {
    this.#tell(this.#link === 'connecting' ? 'connecting' : 'lost');
    this.#retry = setTimeout(() => void this.#connect(), atLeastMs + delayBeforeRetry(++this.#failures, RECONNECT, this.#options.random));
  }

  #hurry(): void {
    if (this.#retry !== undefined) void this.#connect();
  }

  /** A socket whose other end has vanished never says so by itself. */
  #watch(): void {
    if (this.#socket && this.#waitingSince !== undefined && this.#options.now() - this.#waitingSince > ANSWER_MS_MAX) this.#drop();
  }

  /** Not waiting for the other end's goodbye, which may never come. */
  #drop(): void {
    const socket = this.#socket;
    this.#lose({ kind: 'closed', code: 1006 });
    socket?.close();
  }

  /** Nothing is tried any more, until somebody starts it again. */
  #end(link: Link, goodbye?: () => void, code?: string): void {
    if (!this.#stop) return;
    this.#stop.abort();
    this.#stop = undefined;
    clearTimeout(this.#retry);
    this.#retry = undefined;
    goodbye?.();
    this.#socket = undefined;
    this.#failures = 0;
    this.#comeBackAt = undefined;
    this.#tell(link, code);
  }

  #tell(link: Link, code?: string): void {
    if (link === this.#link) return;
    this.#link = link;
    this.#options.onLink(link, code);
  }
}

/** The server is trusted to speak its protocol, but a frame from a proxy's error page must not stop anybody. */
function readMessage(frame: unknown): ServerMessage | undefined {
  const value = typeof frame === 'string' ? readJson(frame) : undefined;
  return typeof value === 'object' && value !== null && 'type' in value ? value as ServerMessage : undefined;
}
