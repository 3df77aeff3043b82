import { BEARER_PREFIX, SUBPROTOCOL } from '../protocol/constants.ts';
import type { ClientMessage, ServerMessage } from '../protocol/messages.ts';
import { readJson } from '../rain/json.ts';
import { delayBeforeRetry } from '../platform/network/backoff.ts';
import { RECONNECT } from './backoff.ts';
import { awayMsOf, reconnectAfter, type Loss } from './reconnect.ts';
import { onReturn } from './pageVisibility.ts';
import { OPEN, refusedStatus, type Socket, type SocketClass } from './socket.ts';
import type { TakenToken, Tokens } from './token.ts';

/**
 * Longest wait for an answer, ms. It counts from a request: in a hidden tab all timers are late, and silence means
 * nothing.
 */
const ANSWER_MS_MAX = 10_000;
const WATCH_MS = 1_000;
/** The same after waking: the socket may have died in the sleep, and people look at the page. */
const WAKE_ANSWER_MS_MAX = 2_000;
/** When the wall clock gains more than this on the monotonic one between two looks, the device has slept. */
const ASLEEP_MS_MIN = 1_000;

/**
 * `idle` not started, or closed by us · `away` the gateway restarts and has said when to come back, no fault ·
 * `no_token`, `refused` final, until `connect` is called again
 */
export type Link = 'idle' | 'connecting' | 'up' | 'away' | 'lost' | 'no_token' | 'refused';

interface ConnectionOptions {
  url: string;
  tokens: Tokens;
  WebSocket: SocketClass;
  random: () => number;
  /** Monotonic, ms. */
  now: () => number;
  onMessage: (message: ServerMessage) => void;
  /** The device may have slept, and the connection may be dead. A ping is to be sent now. */
  onWake: () => void;
  /** @param code reason of a refusal: a reason from the table of codes, `http_<status>` or `bad_token` */
  onLink: (link: Link, code?: string) => void;
}

/**
 * Reconnects while that can succeed. The caller repeats requests that were pending when it broke; a repeat is harmless
 * [R6].
 */
export class Connection {
  readonly #options: ConnectionOptions;
  #socket: Socket | undefined;
  #taken: TakenToken | undefined;
  #link: Link = 'idle';
  #failures = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #stop: AbortController | undefined;
  #reconnectAt: number | undefined;
  /** Time of the oldest request without an answer. */
  #waitingSince: number | undefined;
  /** Wall clock minus monotonic clock. It grows by each sleep. */
  #apartMs: number;
  /** Since the last waking no pong has come to a ping sent at `sentAt` or later. */
  #probe: { sentAt: number; timer: ReturnType<typeof setTimeout> } | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#apartMs = Date.now() - options.now();
  }

  get link(): Link {
    return this.#link;
  }

  start(): void {
    if (this.#stop) return;
    const stop = new AbortController();
    this.#stop = stop;
    const watch = setInterval(() => this.#watch(), WATCH_MS);
    stop.signal.addEventListener('abort', () => clearInterval(watch));
    onReturn(() => this.#wake(), stop.signal);
    this.#setLink('connecting');
    void this.#connect();
  }

  stop(): void {
    this.#end('idle', () => this.#socket?.close(1000));
  }

  send(message: ClientMessage): boolean {
    if (this.#link !== 'up' || this.#socket?.readyState !== OPEN) return false;
    this.#waitingSince ??= this.#options.now();
    this.#socket.send(JSON.stringify(message));
    return true;
  }

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
      // The address was checked before, so the token has invalid characters.
      return this.#end('refused', undefined, 'bad_token');
    }
    this.#socket = socket;
    this.#waitingSince = now();
    let refused: number | undefined;
    socket.addEventListener('error', (event) => {
      refused ??= refusedStatus(event);
    });
    socket.addEventListener('message', ({ data }) => {
      if (socket === this.#socket) this.#receive(data);
    });
    socket.addEventListener('close', ({ code }) => {
      if (socket === this.#socket)
        this.#onLost(refused === undefined ? { kind: 'closed', code } : { kind: 'refused', status: refused });
    });
  }

  #receive(frame: unknown): void {
    this.#waitingSince = undefined;
    const message = readMessage(frame);
    if (!message) return;
    // Other messages may have been received before the sleep.
    if (message.type === 'welcome' || (message.type === 'pong' && message.t >= (this.#probe?.sentAt ?? 0)))
      this.#endProbe();
    if (message.type === 'welcome') {
      this.#failures = 0;
      this.#setLink('up');
    } else if (message.type === 'goodbye') {
      const awayMs = awayMsOf(message.reconnectInMs);
      this.#reconnectAt = awayMs === undefined ? undefined : this.#options.now() + awayMs;
    }
    this.#options.onMessage(message);
  }

  #onLost(loss: Loss): void {
    this.#endProbe();
    this.#socket = undefined;
    const [reconnectAt, welcomed] = [this.#reconnectAt, this.#link === 'up'];
    this.#reconnectAt = undefined;
    const awayMs = reconnectAt === undefined ? undefined : Math.max(0, reconnectAt - this.#options.now());
    const reconnect = reconnectAfter({
      loss,
      awayMs,
      welcomed,
      failures: this.#failures,
      freshToken: this.#taken?.fresh ?? false,
    });
    switch (reconnect.kind) {
      case 'never':
        return this.#end('refused', undefined, reconnect.code);
      case 'invited':
        this.#setLink('away');
        this.#retry = setTimeout(() => void this.#connect(), reconnect.afterMs);
        return;
      case 'later':
        if (reconnect.newToken) this.#options.tokens.doubt();
        return this.#tryLater(reconnect.atLeastMs);
      default:
        return reconnect satisfies never;
    }
  }

  #tryLater(atLeastMs = 0): void {
    this.#setLink(this.#link === 'connecting' ? 'connecting' : 'lost');
    this.#retry = setTimeout(
      () => void this.#connect(),
      atLeastMs + delayBeforeRetry(++this.#failures, RECONNECT, this.#options.random),
    );
  }

  /** Monotonic times from before a sleep say nothing, and a socket that died in it sends no close event. */
  #wake(hasSlept = this.#hasSlept()): void {
    if (this.#retry !== undefined) return void this.#connect();
    if (!this.#socket || this.#probe) return;
    if (hasSlept) this.#reconnectAt = undefined;
    this.#waitingSince = undefined;
    this.#probe = { sentAt: this.#options.now(), timer: setTimeout(() => this.#drop(), WAKE_ANSWER_MS_MAX) };
    if (this.#link === 'up') this.#options.onWake();
  }

  /** Since the last look: a connection that is begun after it is not from before the sleep. */
  #hasSlept(): boolean {
    const before = this.#apartMs;
    this.#apartMs = Date.now() - this.#options.now();
    return this.#apartMs - before > ASLEEP_MS_MIN;
  }

  #endProbe(): void {
    clearTimeout(this.#probe?.timer);
    this.#probe = undefined;
  }

  /** A socket whose other end has disappeared sends no close event. */
  #watch(): void {
    if (this.#hasSlept()) return this.#wake(true);
    if (this.#socket && this.#waitingSince !== undefined && this.#options.now() - this.#waitingSince > ANSWER_MS_MAX)
      this.#drop();
  }

  /** Does not wait for the close frame of the other end, which may never come. */
  #drop(): void {
    const socket = this.#socket;
    this.#onLost({ kind: 'closed', code: 1006 });
    socket?.close();
  }

  /** Stops all tries until `start` is called again. */
  #end(link: Link, closeSocket?: () => void, code?: string): void {
    if (!this.#stop) return;
    this.#stop.abort();
    this.#stop = undefined;
    clearTimeout(this.#retry);
    this.#retry = undefined;
    this.#endProbe();
    closeSocket?.();
    this.#socket = undefined;
    this.#failures = 0;
    this.#reconnectAt = undefined;
    this.#setLink(link, code);
  }

  #setLink(link: Link, code?: string): void {
    if (link === this.#link) return;
    this.#link = link;
    this.#options.onLink(link, code);
  }
}

/** We trust the server's messages, but a frame that is not JSON, for example from a proxy, must not stop the client. */
function readMessage(frame: unknown): ServerMessage | undefined {
  const value = typeof frame === 'string' ? readJson(frame) : undefined;
  return typeof value === 'object' && value !== null && 'type' in value ? (value as ServerMessage) : undefined;
}
